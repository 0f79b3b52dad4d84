//! MariaDB and MySQL over their own protocol, a connection for each user.
//!
//! The protocol is written out here because decoding decides what a transaction costs the client:
//! rows are read straight from the input, without allocation, and column definitions are sent once
//! where the server (MariaDB since 10.6) can leave them out.

mod authentication;
mod connect;
mod connection;
mod content;
mod error;
mod facts;
#[cfg(feature = "testing")]
pub mod fuzz;
mod handshake;
mod packet;
mod protocol;
mod row;
mod rows;
mod statement;

pub(super) use protocol::TARGETS;

/// A database on a server.
pub type Database = super::Database<connection::Connection>;
/// A connection with its prepared statements.
pub type Session = super::Session<connection::Connection>;

/// Scheme of its targets.
pub const SCHEME: &str = "mysql";
