//! DuckDB in process: a prebuilt library that is loaded when a target asks for it, one database
//! file that all users share, a connection for each.
//!
//! Placeholders are `?`, in order. A database belongs to iGen if its table `igen_metadata` says so;
//! others are opened for reading only, to look, and never written or removed. DuckDB lets one
//! process at a time use a file that it may write.

mod content;
mod database;
mod error;
mod ffi;
mod file;
mod library;
mod load;
mod session;
mod shared;

pub use database::Database;
pub use session::Session;

#[cfg(test)]
mod tests;

/// Scheme of its targets.
pub const SCHEME: &str = "duckdb";
