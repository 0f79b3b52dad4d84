//! SQLite in process: the bundled library, one database file in WAL mode, a connection for each
//! user.
//!
//! Placeholders are `?`, in order. A database belongs to iGen if its header carries iGen's
//! application id; no other file is ever opened as a database, written or removed.

mod busy;
mod content;
mod database;
mod error;
mod facts;
mod file;
mod functions;
mod load;
mod log;
mod prepared;
mod session;

pub use database::Database;
pub use session::Session;

/// Scheme of its targets.
pub const SCHEME: &str = "sqlite";
