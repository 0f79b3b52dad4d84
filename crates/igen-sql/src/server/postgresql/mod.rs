//! PostgreSQL, spoken to directly: a connection for each user, many of them on each thread.
//!
//! Statements are prepared once; each then takes one write and one read. What comes back is decoded
//! where it was received. Placeholders are `?`, in order, as everywhere.

mod authentication;
mod connect;
mod connection;
mod content;
mod copy;
mod error;
mod facts;
#[cfg(feature = "testing")]
pub mod fuzz;
mod message;
mod protocol;
mod row;
mod statement;

pub(super) use protocol::TARGETS;

/// A database on a server.
pub type Database = super::Database<connection::Connection>;
/// A connection with its prepared statements.
pub type Session = super::Session<connection::Connection>;

/// Scheme of its targets.
pub const SCHEME: &str = "postgresql";
