//! PostgreSQL, spoken to directly: a connection for each user, many of them on each thread.
//!
//! Statements are prepared once; each then takes one write and one read. What comes back is decoded
//! where it was received. Placeholders are `?`, in order, as everywhere.

mod authentication;
mod connect;
mod connection;
mod content;
mod copy;
mod database;
mod error;
mod facts;
mod message;
mod row;
mod session;
mod statement;

use std::path::PathBuf;

use igen_net::Scheme;

pub use database::Database;
pub use session::Session;

/// Scheme of its targets.
pub const SCHEME: &str = "postgresql";

const TARGETS: Scheme = Scheme {
    name: SCHEME,
    port: 5432,
    socket_option: "host",
    socket: |folder, port| PathBuf::from(format!("{folder}/.s.PGSQL.{port}")),
    path: "database",
    example: ("user", "database"),
    password_file: false,
    tls: false,
};
