//! Wire protocols and database engines: one driver is one file or folder.

pub mod database;
pub mod duckdb;
pub mod durability;
mod embedded;
pub mod ldap;
pub mod mysql;
mod password;
mod patience;
pub mod postgresql;
mod ring;
pub mod session;
pub mod settings;
pub mod sqlite;
pub mod storage;
mod stream;
pub mod table;
mod target;
mod tls;
pub mod value;
