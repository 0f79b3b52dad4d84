//! One-shot tools beside a benchmark: one tool is one file or folder, and one word in `tools.rs`.

mod audit;
mod compiler;
mod counters;
mod emit;
mod foreign_file;
mod meminfo;
mod pages;
mod pfp;
mod processes;
mod ripc;
mod schedule;
mod shmalloc;
mod show;
mod taking;
mod tool;
mod tools;
mod tunables;
mod zones;

pub use emit::Emit;
pub use schedule::guard::{Guard, Watched};
pub use tool::{Entry, Tool};
pub use tools::{find, list};
pub use tunables::facts as tunables_facts;
