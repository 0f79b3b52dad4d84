//! THE list of workloads. A new one is one file and one word here; command line, schema, docs and
//! smoke test iterate over it.

use igen_engine::WorkloadEntry;
use igen_model::{Model, Noop};

use crate::ldap::{
    Ldap, bind::Bind, mixed::Mixed, modify::Modify, search::Search, siteminder::SiteMinder,
};
use crate::{
    bank::Bank, command::Command, cpu::Cpu, http::Http, io::Io, mem::Mem, oltp::Oltp, ram::Ram,
    scan::Scan, web::Web,
};

/// All workloads, in the order in which they are shown. Not a constant: each crate that names one would
/// compile them all again.
pub static WORKLOADS: &[WorkloadEntry] = &[
    WorkloadEntry::of::<Noop>(),
    WorkloadEntry::of::<Model>(),
    WorkloadEntry::of::<Command>(),
    WorkloadEntry::of::<Cpu>(),
    WorkloadEntry::of::<Ram>(),
    WorkloadEntry::of::<Mem>(),
    WorkloadEntry::of::<Io>(),
    WorkloadEntry::of::<Oltp>(),
    WorkloadEntry::of::<Bank>(),
    WorkloadEntry::of::<Scan>(),
    WorkloadEntry::of::<Ldap<Search>>(),
    WorkloadEntry::of::<Ldap<SiteMinder>>(),
    WorkloadEntry::of::<Ldap<Bind>>(),
    WorkloadEntry::of::<Ldap<Modify>>(),
    WorkloadEntry::of::<Ldap<Mixed>>(),
    WorkloadEntry::of::<Http>(),
    WorkloadEntry::of::<Web>(),
];

/// The workload of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static WorkloadEntry> {
    WORKLOADS.iter().find(|entry| entry.name == name)
}
