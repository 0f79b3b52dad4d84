//! Databases of four engines behind one interface: what a workload wants to be in one, connections to it, and its
//! statements. Each engine is a folder.

pub mod content;
pub mod database;
pub mod duckdb;
pub mod durability;
mod embedded;
#[cfg(test)]
mod hostile_tests;
pub mod server;
pub mod session;
pub mod settings;
pub mod sqlite;
pub mod value;
