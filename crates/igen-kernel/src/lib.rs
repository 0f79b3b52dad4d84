//! The one reader of what the kernel reports about processes, sockets and free memory, how it is told to schedule,
//! and memory in pages of a kind: for the engine, for workloads, for tools, which look once, and for monitors.

pub mod buddy;
pub mod connections;
pub mod ended;
pub mod group;
pub mod holders;
pub mod listeners;
pub mod netlink;
pub mod pool;
pub mod proc_file;
pub mod process_stat;
pub mod process_walk;
pub mod records;
pub mod region;
pub mod run_delay;
pub mod scheduling;
pub mod server;
pub mod space;
pub mod started;
