//! The one reader of the kernel's reports about processes, sockets and free memory. It also sets scheduling and
//! reserves memory in pages of a kind. The engine, workloads, tools and monitors use it.

pub mod buddy;
pub mod connections;
pub mod control_groups;
pub mod ended;
pub mod group;
pub mod holders;
pub mod limits;
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
