//! Checks of a MariaDB or MySQL server, by its files and command line.

use super::area::Area;
use super::check::State::{Check as Look, Fail, Info};
use super::check::{Check, Found};
use super::machine::Machine;
use super::mariadb_defaults::known;
use super::server_files::{allocator, same_device};
use super::settings::bytes;
use crate::show::bytes_text;

const VARIABLES: &str = "MariaDB manual, InnoDB System Variables";
const MIB: u64 = 1 << 20;

/// The list.
pub(super) const CHECKS: &[Check] = &[
    Check {
        area: Area::Mariadb,
        name: "buffer pool",
        good: "50 to 80 % of memory on a dedicated server",
        why: "pages outside of it are read from the disk",
        source: VARIABLES,
        change: "innodb_buffer_pool_size",
        judge: |machine| {
            let size = bytes(
                machine.setting("innodb_buffer_pool_size").unwrap_or("128M"),
                1,
            )?;
            let share = size as f64 / machine.memory_bytes("MemTotal")? as f64;
            let text = format!("{}, {:.0} % of memory", bytes_text(size), 100.0 * share);
            Some((Look.unless((0.5..=0.8).contains(&share)), text))
        },
    },
    Check {
        area: Area::Mariadb,
        name: "flush of the log at each commit",
        good: "1",
        why: "otherwise a crash loses commits of the last second; report that with the result",
        source: VARIABLES,
        change: "innodb_flush_log_at_trx_commit = 1",
        judge: |machine| is(machine, "innodb_flush_log_at_trx_commit", "1"),
    },
    Check {
        area: Area::Mariadb,
        name: "flush of the binary log",
        good: "1 if there is a binary log",
        why: "otherwise a replica and its source differ after a crash",
        source: "MariaDB manual, Replication and Binary Log System Variables",
        change: "sync_binlog = 1",
        judge: |machine| {
            machine.setting("log_bin")?;
            is(machine, "sync_binlog", "1")
        },
    },
    Check {
        area: Area::Mariadb,
        name: "double writes",
        good: "on",
        why: "without it a page that was half written at a power failure cannot be repaired",
        source: VARIABLES,
        change: "innodb_doublewrite = 1",
        judge: |machine| {
            let value = machine
                .setting("innodb_doublewrite")
                .unwrap_or("1")
                .to_ascii_lowercase();
            let off = ["0", "off", "false"].contains(&value.as_str());
            Some((Fail.unless(!off), value))
        },
    },
    Check {
        area: Area::Mariadb,
        name: "direct I/O",
        good: "O_DIRECT",
        why: "otherwise the page cache contains the same pages as the buffer pool (double buffering)",
        source: "MariaDB manual, InnoDB System Variables; direct I/O: Solaris tuning notes for Siebel",
        change: "innodb_flush_method = O_DIRECT",
        judge: |machine| {
            let value = known(machine, "innodb_flush_method")?;
            let direct = value.to_ascii_uppercase().starts_with("O_DIRECT");
            Some((Look.unless(direct), value.to_owned()))
        },
    },
    Check {
        area: Area::Mariadb,
        name: "size of the log",
        good: "at least 1 GiB, enough for the writes of an hour",
        why: "when it is full, all users wait for a checkpoint (one log switch per hour)",
        source: "MariaDB manual, InnoDB Redo Log; log switches: Solaris tuning notes for Oracle",
        change: "innodb_log_file_size = 4G",
        judge: |machine| {
            let size = bytes(known(machine, "innodb_log_file_size")?, 1)?;
            Some((Look.unless(size >= 1024 * MIB), bytes_text(size)))
        },
    },
    Check {
        area: Area::Mariadb,
        name: "device of the log",
        good: "a different device than the data",
        why: "flushes of the log wait for writes of data, and one broken disk destroys both",
        source: "MariaDB manual, InnoDB Redo Log; redo logs apart: Solaris tuning notes for Siebel",
        change: "innodb_log_group_home_dir",
        judge: |machine| {
            let data = machine.server.as_ref()?.data.as_ref()?;
            let log = machine.setting("innodb_log_group_home_dir").unwrap_or(".");
            let same = same_device(data, &data.join(log))?;
            Some((
                Look.unless(!same),
                if same { "the same" } else { "another" }.to_owned(),
            ))
        },
    },
    Check {
        area: Area::Mariadb,
        name: "I/Os in the background",
        good: "at least 1,000 per second on flash",
        why: "with less, changed pages are written too slowly, and finally all users wait",
        source: VARIABLES,
        change: "innodb_io_capacity = 2000",
        judge: |machine| {
            let count: u64 = known(machine, "innodb_io_capacity")?.parse().ok()?;
            Some((Look.unless(count >= 1000), count.to_string()))
        },
    },
    Check {
        area: Area::Mariadb,
        name: "read-ahead",
        good: "any; 56 pages in order start a read-ahead",
        why: "a scan waits for data that were not read ahead (DB_FILE_MULTIBLOCK_READ_COUNT)",
        source: "MariaDB manual, InnoDB System Variables; multiblock reads: Solaris tuning notes for Oracle",
        change: "innodb_read_ahead_threshold",
        judge: |machine| {
            Some((
                Info,
                machine
                    .setting("innodb_read_ahead_threshold")
                    .unwrap_or("56")
                    .to_owned(),
            ))
        },
    },
    Check {
        area: Area::Mariadb,
        name: "log of all statements",
        good: "off",
        why: "otherwise each statement is written to a file",
        source: "MariaDB manual, General Query Log",
        change: "general_log = 0",
        judge: |machine| {
            let value = machine
                .setting("general_log")
                .unwrap_or("0")
                .to_ascii_lowercase();
            Some((
                Fail.unless(["0", "off", "false"].contains(&value.as_str())),
                value,
            ))
        },
    },
    Check {
        area: Area::Mariadb,
        name: "query cache",
        good: "off",
        why: "otherwise all statements share one lock",
        source: "MariaDB manual, Query Cache",
        change: "query_cache_type = 0",
        judge: |machine| {
            let value = known(machine, "query_cache_type")?.to_ascii_lowercase();
            Some((Look.unless(["0", "off"].contains(&value.as_str())), value))
        },
    },
    Check {
        area: Area::Mariadb,
        name: "allocator of memory",
        good: "jemalloc or tcmalloc",
        why: "threads wait for each other in the allocator of the C library, and it does not free memory (libumem)",
        source: "MariaDB manual, Using MariaDB with TCMalloc or jemalloc; libumem: Solaris tuning notes for Siebel",
        change: "set LD_PRELOAD in the unit of the service",
        judge: |machine| {
            let found = allocator(machine)?;
            Some((Look.unless(found != "C library"), found.to_owned()))
        },
    },
];

fn is(machine: &Machine, name: &str, good: &str) -> Found {
    let value = known(machine, name)?;
    Some((Look.unless(value == good), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::area::Area;
    use super::super::check::Found;
    use super::super::check::State::{Check, Pass};
    use super::super::test_machine::judge;

    /// What is said of a server without settings whose log such a server has made.
    fn of(maker: &str, name: &str) -> Found {
        let log = format!("{}{maker:\0<32}", "\0".repeat(16));
        let server = [
            ("proc/7/comm", "mysqld\n"),
            ("proc/7/status", "PPid:\t1\n"),
            (
                "proc/7/cmdline",
                "/usr/sbin/mysqld\0--datadir=/data\0--log-bin=b\0",
            ),
            ("data/ib_logfile0", log.as_str()),
        ];
        judge(Area::Mariadb, name, &server)
    }

    #[test]
    fn defaults_are_those_of_the_make_and_its_version() {
        let found = |state, value: &str| Some((state, value.to_owned()));
        for (name, maker, expected) in [
            ("direct I/O", "MariaDB 10.11.19", found(Pass, "O_DIRECT")),
            ("direct I/O", "MariaDB 10.5.8", None),
            ("direct I/O", "MySQL 8.0.36", None),
            ("direct I/O", "MySQL 8.4.0", found(Pass, "O_DIRECT")),
            (
                "flush of the binary log",
                "MariaDB 10.11.19",
                found(Check, "0"),
            ),
            ("flush of the binary log", "MySQL 8.0.36", found(Pass, "1")),
            ("flush of the binary log", "MySQL 5.7.1", None),
            ("query cache", "MariaDB 10.11.19", found(Pass, "0")),
            ("query cache", "MySQL 8.0.36", None),
            ("size of the log", "MariaDB 10.5.8", found(Check, "96 MiB")),
            ("size of the log", "MySQL 8.0.36", None),
            (
                "I/Os in the background",
                "MySQL 8.4.0",
                found(Pass, "10000"),
            ),
            ("I/Os in the background", "nobody", None),
            (
                "flush of the log at each commit",
                "nobody",
                found(Pass, "1"),
            ),
        ] {
            assert_eq!(of(maker, name), expected, "{name} of {maker}");
        }
    }
}
