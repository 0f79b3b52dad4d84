//! Checks of a MariaDB or MySQL server, by its files and command line.

use super::area::Area;
use super::check::State::{Check as Look, Fail, Info};
use super::check::{Check, State};
use super::machine::Machine;
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
        good: "50 to 80 % of memory on a server of its own",
        why: "what is not in it is read from the disk",
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
        why: "commits of the last second are lost in a crash otherwise: say so with the result",
        source: VARIABLES,
        change: "innodb_flush_log_at_trx_commit = 1",
        judge: |machine| Some(is(machine, "innodb_flush_log_at_trx_commit", "1", "1")),
    },
    Check {
        area: Area::Mariadb,
        name: "flush of the binary log",
        good: "1 where there is one",
        why: "a replica and its source differ after a crash otherwise",
        source: "MariaDB manual, Replication and Binary Log System Variables",
        change: "sync_binlog = 1",
        judge: |machine| {
            machine.setting("log_bin")?;
            Some(is(machine, "sync_binlog", "0", "1"))
        },
    },
    Check {
        area: Area::Mariadb,
        name: "double writes",
        good: "on",
        why: "a page that was half written when the power failed cannot be repaired without",
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
        why: "the page cache holds what the buffer pool holds too (double buffering)",
        source: "MariaDB manual, InnoDB System Variables; direct I/O: Solaris tuning notes for Siebel",
        change: "innodb_flush_method = O_DIRECT",
        judge: |machine| {
            let value = machine.setting("innodb_flush_method").unwrap_or("O_DIRECT");
            Some((Look.unless(value.starts_with("O_DIRECT")), value.to_owned()))
        },
    },
    Check {
        area: Area::Mariadb,
        name: "size of the log",
        good: "at least 1 GiB: what is written in an hour",
        why: "when it is full, everybody waits for a checkpoint (one log switch an hour)",
        source: "MariaDB manual, InnoDB Redo Log; log switches: Solaris tuning notes for Oracle",
        change: "innodb_log_file_size = 4G",
        judge: |machine| {
            let size = bytes(machine.setting("innodb_log_file_size").unwrap_or("96M"), 1)?;
            Some((Look.unless(size >= 1024 * MIB), bytes_text(size)))
        },
    },
    Check {
        area: Area::Mariadb,
        name: "device of the log",
        good: "another than that of the data",
        why: "flushes of the log wait behind writes of data, and one broken disk takes both",
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
        good: "at least 1,000 a second on flash",
        why: "changed pages are not written fast enough, until everybody waits",
        source: VARIABLES,
        change: "innodb_io_capacity = 2000",
        judge: |machine| {
            let count = machine.count("innodb_io_capacity", 200)?;
            Some((Look.unless(count >= 1000), count.to_string()))
        },
    },
    Check {
        area: Area::Mariadb,
        name: "read-ahead",
        good: "known: 56 pages in order begin one",
        why: "a scan waits for each piece that was not read ahead (DB_FILE_MULTIBLOCK_READ_COUNT)",
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
        why: "each statement is written to a file",
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
        why: "one lock for all statements",
        source: "MariaDB manual, Query Cache",
        change: "query_cache_type = 0",
        judge: |machine| {
            let value = machine
                .setting("query_cache_type")
                .unwrap_or("0")
                .to_ascii_lowercase();
            Some((Look.unless(["0", "off"].contains(&value.as_str())), value))
        },
    },
    Check {
        area: Area::Mariadb,
        name: "allocator of memory",
        good: "jemalloc or tcmalloc",
        why: "threads wait for each other in the C library's own, and memory is not given back (libumem)",
        source: "MariaDB manual, Using MariaDB with TCMalloc or jemalloc; libumem: Solaris tuning notes for Siebel",
        change: "LD_PRELOAD in the unit of the service",
        judge: |machine| {
            let found = allocator(machine)?;
            Some((
                Look.unless(found != "that of the C library"),
                found.to_owned(),
            ))
        },
    },
];

fn is(machine: &Machine, name: &str, default: &str, good: &str) -> (State, String) {
    let value = machine.setting(name).unwrap_or(default);
    (Look.unless(value == good), value.to_owned())
}
