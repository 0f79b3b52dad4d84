//! THE list of workloads. A new one is one file and one word here; command line, schema, docs and
//! smoke test iterate over it.

use igen_engine::Entry;

use crate::ldap::{
    Ldap, bind::Bind, mixed::Mixed, modify::Modify, search::Search, siteminder::SiteMinder,
};
use crate::{
    bank::Bank, cpu::Cpu, io::Io, mem::Mem, model::Model, noop::Noop, oltp::Oltp, ram::Ram,
    scan::Scan,
};

/// All workloads, in the order in which they are shown. Not a constant: each crate that names one would
/// compile them all again.
pub static WORKLOADS: &[Entry] = &[
    Entry::of::<Noop>(),
    Entry::of::<Model>(),
    Entry::of::<Cpu>(),
    Entry::of::<Ram>(),
    Entry::of::<Mem>(),
    Entry::of::<Io>(),
    Entry::of::<Oltp>(),
    Entry::of::<Bank>(),
    Entry::of::<Scan>(),
    Entry::of::<Ldap<Search>>(),
    Entry::of::<Ldap<SiteMinder>>(),
    Entry::of::<Ldap<Bind>>(),
    Entry::of::<Ldap<Modify>>(),
    Entry::of::<Ldap<Mixed>>(),
];

/// The workload of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    WORKLOADS.iter().find(|entry| entry.name == name)
}
