//! One-shot tools and facts: one probe is one file, and one word in `probes.rs`.

#![forbid(unsafe_code)]

mod cgroup;
mod container;
mod cpu;
mod cpu_info;
mod environment;
mod fact_list;
mod file_system;
mod host;
mod hypervisor;
mod kernel;
mod memory;
mod network;
mod power;
pub mod probes;
mod storage;
mod topology;
mod tree;

pub use probes::{Entry, facts, list};
