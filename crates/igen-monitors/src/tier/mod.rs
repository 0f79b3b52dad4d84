//! Tiers: processes that serve together, such as the web servers, the applications and the database behind
//! one address.
//!
//! Reads of a control group `cpu.stat`, `memory.current`, `memory.stat` and the ids of its processes (version 1:
//! `cpuacct.usage_user`, `cpuacct.usage_sys`, `cpu.stat`, `memory.usage_in_bytes`, `memory.stat`); of processes
//! `/proc/<pid>/stat` of each and of all below them. Memory of a control group is what it is charged with, less
//! the pages of files that nobody used lately; of processes it is their PSS (`smaps_rollup`: pages that several
//! share are counted once), every 10 s, because the resident size would count the buffers of PostgreSQL once for
//! each backend.
//! Counters never go back: the time of a process that ends stays, whether its parent waits for it or not, and so
//! does that of a control group that is made anew. Of processes that start and end between two readings only
//! those are counted that a process of the tier waits for.
//! Cost: 20 µs for a control group and 1 µs for each of its processes; 11 µs for each process of a tree; the
//! search for new processes of a program takes 6 µs for each process on the host, and PSS 33 µs and more for
//! each of the tier's, by its size: both wait until they cost less than 0.1 % of one processor.
//! Requirements: PSS needs the right to trace the processes; without it the memory is left out.

mod check;
mod container;
mod control_group;
mod family;
mod fault;
mod monitor;
mod proportional;
mod source;
mod spent;
mod usage;

pub(crate) use check::check;
pub(crate) use monitor::Tiers;
