//! What the kernel tells of processes that end and of free memory, how it is told to schedule, and memory in pages of a
//! kind: for the engine, for workloads, for tools, which look once, and for monitors.

pub mod buddy;
pub mod ended;
pub mod group;
pub mod netlink;
pub mod pool;
pub mod records;
pub mod region;
pub mod scheduling;
pub mod space;
pub mod started;
