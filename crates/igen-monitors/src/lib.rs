//! Periodic samplers: one sampler is one file, and one word in `monitors.rs`.

#![forbid(unsafe_code)]

mod block_io;
mod children;
mod clients;
mod context;
mod cpu;
mod device;
mod disk;
mod free_blocks;
mod memory;
pub mod monitors;
mod mysql;
mod network;
mod of_interest;
mod outlet;
mod postgresql;
mod power;
mod pressure;
mod process;
mod processes;
mod server;
#[cfg(test)]
mod shell;
mod short_lived;
mod targets;
mod threads;
mod tier;
mod values;

pub use context::Context;
pub use monitors::{MonitorEntry, Opened, Unavailable, check, check_watched, list, open};
pub use targets::{are_elsewhere, servers};
