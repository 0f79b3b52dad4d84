//! Periodic samplers: one sampler is one file, and one word in `monitors.rs`.

#![forbid(unsafe_code)]

mod cpu;
mod disk;
mod memory;
pub mod monitors;
mod network;
mod pressure;
mod proc_file;
mod process;
mod process_stat;
mod processes;
mod threads;
mod values;

pub use monitors::{Entry, Opened, Unavailable, list, open};
