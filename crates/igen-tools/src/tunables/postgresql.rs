//! Checks of a PostgreSQL server, by its files and command line.

use super::area::Area;
use super::check::State::{Check as Look, Fail, Info};
use super::check::{Check, Found};
use super::machine::Machine;
use super::server_files::same_device;
use super::settings::bytes;
use crate::foreign_file::text;
use crate::show::bytes_text;

const RESOURCES: &str = "PostgreSQL manual, Resource Consumption";
const WAL: &str = "PostgreSQL manual, Write Ahead Log";
const MIB: u64 = 1 << 20;
const PAGE: u64 = 8192;

/// The list.
pub(super) const CHECKS: &[Check] = &[
    Check {
        area: Area::Postgresql,
        name: "shared buffers",
        good: "15 to 40 % of memory",
        why: "with less, more reads are system calls; with more, the page cache has too little room",
        source: RESOURCES,
        change: "shared_buffers",
        judge: |machine| {
            let size = bytes(machine.setting("shared_buffers").unwrap_or("128MB"), PAGE)?;
            let share = size as f64 / machine.memory_bytes("MemTotal")? as f64;
            let text = format!("{}, {:.0} % of memory", bytes_text(size), 100.0 * share);
            Some((Look.unless((0.15..=0.4).contains(&share)), text))
        },
    },
    Check {
        area: Area::Postgresql,
        name: "huge pages for shared buffers",
        good: "a pool as large as the shared memory",
        why: "each process has its own page tables for the shared memory: with 4 KiB pages, 0.2 % of its size for each process",
        source: "PostgreSQL manual, Linux Huge Pages; large pages: Solaris tuning notes for Siebel",
        change: "huge_pages = on, and vm.nr_hugepages",
        judge: |machine| {
            let wanted = machine.setting("huge_pages").unwrap_or("try");
            let pool =
                machine.memory_bytes("HugePages_Total")? * machine.memory_bytes("Hugepagesize")?;
            let size = bytes(machine.setting("shared_buffers").unwrap_or("128MB"), PAGE)?;
            let text = format!("{wanted}, pool of {}", bytes_text(pool));
            let good = boolean(wanted) != Some(false) && pool >= size;
            // Small ones gain nothing.
            Some((
                if size < 1024 * MIB && !good {
                    Info
                } else {
                    Look.unless(good)
                },
                text,
            ))
        },
    },
    Check {
        area: Area::Postgresql,
        name: "fsync",
        good: "on",
        why: "without it a crash of the machine destroys the database, and results are not valid for a real database",
        source: WAL,
        change: "fsync = on",
        judge: |machine| on(machine, "fsync"),
    },
    Check {
        area: Area::Postgresql,
        name: "full pages in the log",
        good: "on",
        why: "without it a page that was half written at a power failure cannot be repaired",
        source: WAL,
        change: "full_page_writes = on",
        judge: |machine| on(machine, "full_page_writes"),
    },
    Check {
        area: Area::Postgresql,
        name: "commits wait for the disk",
        good: "on",
        why: "if it is off, a crash loses the last commits; report that with the result",
        source: WAL,
        change: "synchronous_commit = on",
        judge: |machine| {
            let value = machine.setting("synchronous_commit").unwrap_or("on");
            Some((Look.unless(boolean(value) != Some(false)), value.to_owned()))
        },
    },
    Check {
        area: Area::Postgresql,
        name: "group commit",
        good: "0, or a few µs if many users commit at once",
        why: "a commit can wait for others to share a flush",
        source: WAL,
        change: "commit_delay",
        judge: |machine| {
            Some((
                Info,
                format!("{} µs", machine.setting("commit_delay").unwrap_or("0")),
            ))
        },
    },
    Check {
        area: Area::Postgresql,
        name: "log between checkpoints",
        good: "at least 4 GiB, so that checkpoints start by time and not by size",
        why: "after each checkpoint whole pages are written to the log (one log switch per hour)",
        source: "PostgreSQL manual, WAL Configuration; log switches: Solaris tuning notes for Oracle",
        change: "max_wal_size = 16GB",
        judge: |machine| {
            let size = bytes(machine.setting("max_wal_size").unwrap_or("1GB"), MIB)?;
            Some((Look.unless(size >= 4096 * MIB), bytes_text(size)))
        },
    },
    Check {
        area: Area::Postgresql,
        name: "time between checkpoints",
        good: "at least 15 min",
        why: "a checkpoint writes every changed page",
        source: "PostgreSQL manual, WAL Configuration",
        change: "checkpoint_timeout = 30min",
        judge: |machine| {
            let text = machine.setting("checkpoint_timeout").unwrap_or("5min");
            let end = text
                .find(|letter: char| !letter.is_ascii_digit())
                .unwrap_or(text.len());
            let number: u64 = text[..end].parse().ok()?;
            let seconds = match text[end..].trim() {
                "min" => 60 * number,
                "h" => 3600 * number,
                "d" => 86_400 * number,
                _ => number,
            };
            Some((Look.unless(seconds >= 900), text.to_owned()))
        },
    },
    Check {
        area: Area::Postgresql,
        name: "device of the log",
        good: "a different device than the data",
        why: "flushes of the log wait for writes of data, and one broken disk destroys both",
        source: "PostgreSQL manual, WAL Internals; redo logs apart: Solaris tuning notes for Siebel",
        change: "initdb --waldir, or a link in place of pg_wal",
        judge: |machine| {
            let data = machine.server.as_ref()?.data.as_ref()?;
            let same = same_device(data, &data.join("pg_wal"))?;
            Some((
                Look.unless(!same),
                if same { "the same" } else { "another" }.to_owned(),
            ))
        },
    },
    Check {
        area: Area::Postgresql,
        name: "I/Os in flight of a scan",
        good: "at least 16 on flash",
        why: "one I/O at a time leaves a fast disk mostly idle (DB_FILE_MULTIBLOCK_READ_COUNT)",
        source: "PostgreSQL manual, Resource Consumption; multiblock reads: Solaris tuning notes for Oracle",
        change: "effective_io_concurrency = 200",
        judge: |machine| {
            let count = match machine.setting("effective_io_concurrency") {
                Some(text) => text.parse().ok()?,
                None if version(machine)? >= 18 => 16_u64,
                None => 1,
            };
            Some((Look.unless(count >= 16), count.to_string()))
        },
    },
    Check {
        area: Area::Postgresql,
        name: "cost of a random page",
        good: "1.1 on flash",
        why: "with 4, meant for rotating disks, the planner scans whole tables instead of using an index",
        source: "PostgreSQL manual, Query Planning",
        change: "random_page_cost = 1.1",
        judge: |machine| {
            let text = machine.setting("random_page_cost").unwrap_or("4");
            let cost: f64 = text.parse().ok()?;
            Some((Look.unless(cost < 2.0), text.to_owned()))
        },
    },
    Check {
        area: Area::Postgresql,
        name: "direct I/O",
        good: "any; without it pages are in memory twice",
        why: "the page cache contains the same pages as the shared buffers (double buffering)",
        source: "PostgreSQL manual, Developer Options; direct I/O: Solaris tuning notes for Siebel",
        change: "debug_io_direct, but not in production",
        judge: |machine| {
            Some((
                Info,
                machine
                    .setting("debug_io_direct")
                    .unwrap_or("off")
                    .to_owned(),
            ))
        },
    },
    Check {
        area: Area::Postgresql,
        name: "connections",
        good: "at most 100 for each processor; use a pool for more",
        why: "each connection is a process with its own memory",
        source: "PostgreSQL manual, Connections and Authentication",
        change: "max_connections, and a pool such as pgbouncer",
        judge: |machine| {
            let count = machine.count("max_connections", 100)?;
            Some((
                Look.unless(count <= 100 * machine.processors()),
                count.to_string(),
            ))
        },
    },
    Check {
        area: Area::Postgresql,
        name: "log of statements",
        good: "none",
        why: "otherwise each statement is written to a file",
        source: "PostgreSQL manual, Error Reporting and Logging",
        change: "log_statement = none, log_min_duration_statement = -1",
        judge: |machine| {
            let all = machine.setting("log_statement").unwrap_or("none");
            let slow = machine
                .setting("log_min_duration_statement")
                .unwrap_or("-1");
            let each = slow.trim_end_matches(char::is_alphabetic).trim_end() == "0";
            let good = all.eq_ignore_ascii_case("none") && !each;
            Some((
                Fail.unless(good),
                if slow == "-1" {
                    all.to_owned()
                } else {
                    format!("{all}, from {slow} on")
                },
            ))
        },
    },
    Check {
        area: Area::Postgresql,
        name: "parallel workers",
        good: "at most the number of processors",
        why: "additional workers only wait for each other (CPU_COUNT)",
        source: "PostgreSQL manual, Resource Consumption; CPU_COUNT: Solaris tuning notes for Oracle",
        change: "max_parallel_workers",
        judge: |machine| {
            let count = machine.count("max_parallel_workers", 8)?;
            Some((
                Look.unless(count <= machine.processors()),
                count.to_string(),
            ))
        },
    },
];

fn on(machine: &Machine, name: &str) -> Found {
    let value = machine.setting(name).unwrap_or("on");
    Some((Fail.unless(boolean(value)?), value.to_owned()))
}

/// A switch in any spelling that the server takes: the words, and their beginnings where they are those of no other.
fn boolean(text: &str) -> Option<bool> {
    let text = text.to_ascii_lowercase();
    let begins = |word: &str, least: usize| text.len() >= least && word.starts_with(&text);
    if begins("true", 1) || begins("yes", 1) || text == "on" || text == "1" {
        Some(true)
    } else if begins("false", 1) || begins("no", 1) || begins("off", 2) || text == "0" {
        Some(false)
    } else {
        None
    }
}

/// The first number of the version that has made the data: no other one starts with it.
fn version(machine: &Machine) -> Option<u64> {
    let data = machine.server.as_ref()?.data.as_ref()?;
    text(&data.join("PG_VERSION"))
        .trim()
        .split('.')
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::area::Area;
    use super::super::check::Found;
    use super::super::check::State::{Check, Fail, Pass};
    use super::super::test_machine::judge;
    use super::boolean;

    /// What is said of a server of that version with that file.
    fn of(version: &str, file: &str, name: &str) -> Found {
        let server = [
            ("proc/7/comm", "postgres\n"),
            ("proc/7/status", "PPid:\t1\n"),
            ("proc/7/cmdline", "/usr/bin/postgres\0-D\0/data\0"),
            ("proc/8/comm", "postgres\n"),
            ("proc/8/status", "PPid:\t7\n"),
            ("proc/meminfo", "MemTotal: 8388608 kB\n"),
            ("data/PG_VERSION", version),
            ("data/postgresql.conf", file),
        ];
        judge(Area::Postgresql, name, &server)
    }

    #[test]
    fn settings_are_judged_by_their_file() {
        let found = |name| of("15\n", "fsync = off\nshared_buffers = 2GB\n", name).unwrap();
        assert_eq!(found("fsync"), (Fail, "off".to_owned()));
        let expected = (Pass, "2 GiB, 25 % of memory".to_owned());
        assert_eq!(found("shared buffers"), expected);
        assert_eq!(found("log between checkpoints").0, Check);
    }

    #[test]
    fn switches_are_read_in_any_spelling() {
        for (spelling, expected) in [
            ("on", Some(true)),
            ("T", Some(true)),
            ("yes", Some(true)),
            ("1", Some(true)),
            ("OF", Some(false)),
            ("f", Some(false)),
            ("No", Some(false)),
            ("0", Some(false)),
            ("o", None),
            ("offer", None),
            ("", None),
        ] {
            assert_eq!(boolean(spelling), expected, "{spelling}");
        }
        let state = |file, name| of("15\n", file, name).map(|(state, _)| state);
        assert_eq!(state("fsync = F", "fsync"), Some(Fail));
        let name = "commits wait for the disk";
        assert_eq!(state("synchronous_commit = FALSE", name), Some(Check));
        assert_eq!(state("synchronous_commit = local", name), Some(Pass));
        let name = "log of statements";
        assert_eq!(state("log_min_duration_statement = 0ms", name), Some(Fail));
        assert_eq!(state("log_min_duration_statement = 10ms", name), Some(Pass));
    }

    #[test]
    fn a_default_is_that_of_the_version() {
        let found = |version| of(version, "", "I/Os in flight of a scan");
        assert_eq!(found("18\n"), Some((Pass, "16".to_owned())));
        assert_eq!(found("17\n"), Some((Check, "1".to_owned())));
        assert_eq!(found("9.6\n"), Some((Check, "1".to_owned())));
        assert_eq!(found("\n"), None);
    }
}
