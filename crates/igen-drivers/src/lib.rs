//! Wire protocols and database engines: one driver is one file or folder.

mod bounds;
pub mod database;
pub mod duckdb;
pub mod durability;
mod embedded;
#[cfg(test)]
mod hostile_tests;
pub mod ldap;
pub mod mysql;
mod password;
mod patience;
pub mod postgresql;
mod ring;
mod said;
pub mod session;
pub mod settings;
pub mod sqlite;
pub mod storage;
mod stream;
pub mod table;
mod target;
mod tls;
pub mod value;
