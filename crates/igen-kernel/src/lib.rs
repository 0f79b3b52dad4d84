//! What the kernel tells of processes that end and of free memory, and how it is told to schedule: for the engine, for
//! tools, which look once, and for monitors.

pub mod buddy;
pub mod ended;
pub mod netlink;
pub mod records;
pub mod scheduling;
