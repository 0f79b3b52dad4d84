//! Wire protocols and database engines: one driver is one file or folder.

pub mod sqlite;
pub mod value;
