//! Databases on servers: one client, generic over the protocol that a connection speaks.

mod content;
mod database;
mod lack;
pub mod mysql;
mod open;
mod own;
mod pooler;
pub mod postgresql;
mod protocol;
mod session;

pub use database::Database;
pub use own::{is_own, own_sessions, ranges};
pub use session::Session;

use igen_net::Scheme;

/// The schemes of the URLs of database servers.
pub const TARGETS: [Scheme; 2] = [mysql::TARGETS, postgresql::TARGETS];
