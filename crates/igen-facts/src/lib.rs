//! Facts about the environment: one subject is one file, and one word in `facts.rs`.

#![forbid(unsafe_code)]

mod container;
mod cpu;
mod cpu_info;
mod environment;
mod fact_list;
mod facts;
mod file_system;
mod host;
mod hypervisor;
mod kernel;
#[cfg(test)]
mod machines;
mod memory;
mod network;
mod power;
mod storage;
mod topology;
mod tree;

pub use facts::{Subject, list, read};
