//! Databases on servers.

pub mod mysql;
pub mod postgresql;
