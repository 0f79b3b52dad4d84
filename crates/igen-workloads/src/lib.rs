//! The workloads of iGen: one workload is one file or folder, and one word in `workloads.rs`.

pub mod bank;
pub mod command;
mod conflict;
pub mod cpu;
pub mod http;
mod io;
pub mod ldap;
pub mod mem;
mod memory;
mod names;
pub mod oltp;
mod page_cache;
mod pages;
mod place;
pub mod ram;
mod random;
pub mod scan;
mod secret;
pub mod web;
mod words;
pub mod workloads;
mod zipf;

pub use igen_sql::server::own_sessions;
