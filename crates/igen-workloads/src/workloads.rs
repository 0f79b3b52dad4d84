//! THE list of workloads. A new one is one file and one word here; command line, schema, docs and
//! smoke test iterate over it.

use igen_engine::Entry;

use crate::{bank::Bank, cpu::Cpu, model::Model, noop::Noop, oltp::Oltp, ram::Ram, scan::Scan};

/// All workloads, in the order in which they are shown.
pub const WORKLOADS: &[Entry] = &[
    Entry::of::<Noop>(),
    Entry::of::<Model>(),
    Entry::of::<Cpu>(),
    Entry::of::<Ram>(),
    Entry::of::<Oltp>(),
    Entry::of::<Bank>(),
    Entry::of::<Scan>(),
];

/// The workload of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    WORKLOADS.iter().find(|entry| entry.name == name)
}
