//! What a setting of MariaDB or MySQL is where nobody has set it: that depends on the make and on its version. The head of
//! InnoDB's log says which server has made it; the one that runs is of that version, or of a later one that goes on with the log.

use std::fs;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::machine::Machine;
use crate::foreign_file::open;

/// Where the head of a log says who has made it: `LOG_HEADER_CREATOR` to `LOG_HEADER_CREATOR_END`.
const CREATOR: Range<usize> = 16..48;

/// Whose server it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Make {
    MariaDb,
    MySql,
}

use Make::{MariaDb, MySql};

/// Settings whose defaults differ, with the first version of each default that is still the same.
const DEFAULTS: &[(&str, Make, (u32, u32), &str)] = &[
    ("innodb_flush_method", MariaDb, (10, 6), "O_DIRECT"),
    ("innodb_flush_method", MySql, (8, 4), "O_DIRECT"),
    ("innodb_io_capacity", MariaDb, (0, 0), "200"),
    ("innodb_io_capacity", MySql, (8, 4), "10000"),
    ("innodb_log_file_size", MariaDb, (10, 5), "96M"),
    ("query_cache_type", MariaDb, (0, 0), "0"),
    ("sync_binlog", MariaDb, (0, 0), "0"),
    ("sync_binlog", MySql, (8, 0), "1"),
];
/// The same in all.
const EVERYWHERE: &[(&str, &str)] = &[("innodb_flush_log_at_trx_commit", "1")];

/// A setting as it is set, or as it is where nobody has set it; none where that is not known, or there is no such setting.
pub(super) fn known<'a>(machine: &'a Machine, name: &str) -> Option<&'a str> {
    let set = machine.setting(name);
    let everywhere = || EVERYWHERE.iter().find(|(one, _)| *one == name);
    set.or_else(|| everywhere().map(|(_, value)| *value))
        .or_else(|| {
            let (make, version) = maker(machine)?;
            let fits = |(one, of, since, _): &&(&str, Make, (u32, u32), &str)| {
                *one == name && *of == make && *since <= version
            };
            DEFAULTS.iter().find(fits).map(|(.., value)| *value)
        })
}

/// The make, and the version that it has at least; none where no log can be read.
fn maker(machine: &Machine) -> Option<(Make, (u32, u32))> {
    let data = machine.server.as_ref()?.data.as_ref()?;
    let folder = machine.setting("innodb_log_group_home_dir").unwrap_or(".");
    let mut head = [0; CREATOR.end];
    let mut file = open(&log(&data.join(folder))?).ok()?;
    file.read_exact(&mut head).ok()?;
    said(&head[CREATOR])
}

/// The log of a server; from MySQL 8.0.30 on it has files that come and go, and some that were not begun yet.
fn log(folder: &Path) -> Option<PathBuf> {
    let usual = folder.join("ib_logfile0");
    if usual.exists() {
        return Some(usual);
    }
    let entries = fs::read_dir(folder.join("#innodb_redo")).ok()?;
    let mut files = entries.flatten().map(|entry| entry.path());
    files.find(|path| !path.to_string_lossy().ends_with("_tmp"))
}

/// `MariaDB 10.11.6`, filled up with zeros.
fn said(creator: &[u8]) -> Option<(Make, (u32, u32))> {
    let text = creator.split(|byte| *byte == 0).next()?;
    let (name, version) = std::str::from_utf8(text).ok()?.split_once(' ')?;
    let make = match name {
        "MariaDB" => MariaDb,
        "MySQL" => MySql,
        _ => return None,
    };
    let mut numbers = version.split('.').map(str::parse);
    Some((make, (numbers.next()?.ok()?, numbers.next()?.ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_names_its_maker() {
        let made = |text: &str| said(text.as_bytes());
        assert_eq!(made("MariaDB 10.11.19\0\0"), Some((MariaDb, (10, 11))));
        assert_eq!(made("MySQL 8.0.36\0\0"), Some((MySql, (8, 0))));
        for other in ["\0\0", "Backup 10.11.19\0", "MariaDB\0", "MySQL 8\0"] {
            assert_eq!(made(other), None, "{other}");
        }
    }
}
