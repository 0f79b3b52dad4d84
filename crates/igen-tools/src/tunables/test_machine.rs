//! A machine of files that a test names.

#![allow(clippy::unwrap_used)]

use std::fs;

use super::area::Area;
use super::check::Found;
use super::machine::Machine;
use super::{LISTS, judged, server};

/// What a check says of a machine of these files.
pub(super) fn judge(area: Area, name: &str, files: &[(&str, &str)]) -> Found {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let check = LISTS
        .into_iter()
        .flatten()
        .find(|check| check.area == area && check.name == name)
        .unwrap();
    let machine = Machine::new(folder.path());
    let servers: Vec<Machine> = server::running(folder.path())
        .into_iter()
        .map(|server| machine.with(server))
        .collect();
    judged(check, &machine, &servers)
        .pop()
        .and_then(|(_, found)| found)
}
