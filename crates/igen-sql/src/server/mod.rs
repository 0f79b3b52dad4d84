//! Databases on servers: one client, generic over the protocol that a connection speaks.

mod content;
mod database;
pub mod mysql;
mod pooler;
pub mod postgresql;
mod protocol;
mod session;

pub use database::Database;
pub use session::Session;

use igen_net::Scheme;

/// What the URLs of databases on servers mean.
pub const TARGETS: [Scheme; 2] = [mysql::TARGETS, postgresql::TARGETS];
