//! What the kernel tells of processes that end and of free memory: for tools, which look once, and for monitors.

#![forbid(unsafe_code)]

pub mod buddy;
pub mod ended;
pub mod netlink;
pub mod records;
