//! SQLite in process: the bundled library, one database file in WAL mode, a connection for each
//! user.
//!
//! Placeholders are `?`, in order. A database belongs to iGen if its header carries iGen's
//! application id; no other file is ever opened as a database, written or removed.

mod busy;
mod error;
mod facts;
mod file;
mod load;
mod session;
mod target;

pub use file::{FileIdentity, Found, look, remove};
pub use load::{Batch, Loader};
pub use session::{Session, Settings, Synchronous};
pub use target::path_of;

/// Scheme of its targets.
pub const SCHEME: &str = "sqlite";
/// Type of a primary key that the database assigns: the rowid, which is the largest one in the
/// table plus one. (AUTOINCREMENT would write a second table with each insert.)
pub const IDENTITY: &str = "INTEGER PRIMARY KEY";
