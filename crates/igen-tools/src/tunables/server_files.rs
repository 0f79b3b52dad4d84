//! Files and memory of a server that runs.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::machine::Machine;

/// Whether two folders are on the same file system; none where one cannot be looked at.
pub(super) fn same_device(one: &Path, other: &Path) -> Option<bool> {
    Some(fs::metadata(one).ok()?.dev() == fs::metadata(other).ok()?.dev())
}

/// Who gives memory to the server, by the libraries that it has mapped.
pub(super) fn allocator(machine: &Machine) -> Option<&'static str> {
    let pid = machine.server.as_ref()?.pid;
    let maps = machine.text(&format!("proc/{pid}/maps"))?;
    let known = ["jemalloc", "tcmalloc", "mimalloc"];
    Some(
        known
            .into_iter()
            .find(|name| maps.contains(name))
            .unwrap_or("C library"),
    )
}
