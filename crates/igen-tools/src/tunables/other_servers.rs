//! Checks of directories (`OpenLDAP`) and web servers (nginx), by their files.

use super::area::Area;
use super::check::Check;
use super::check::State::{Check as Look, Fail, Info};
use super::server_files::allocator;
use super::settings::bytes;
use crate::show::bytes_text;

const SLAPD: &str = "slapd-config(5)";
const MDB: &str = "slapd-mdb(5)";
const CORE: &str = "nginx.org, Core functionality";
const HTTP: &str = "nginx.org, ngx_http_core_module";

/// The list.
pub(super) const CHECKS: &[Check] = &[
    Check {
        area: Area::Openldap,
        name: "log of operations",
        good: "none",
        why: "otherwise each operation is written to the system log",
        source: SLAPD,
        change: "olcLogLevel: none",
        judge: |machine| {
            let value = machine.setting("loglevel").unwrap_or("stats");
            Some((
                Fail.unless(["none", "0"].contains(&value)),
                value.to_owned(),
            ))
        },
    },
    Check {
        area: Area::Openldap,
        name: "threads",
        good: "2 to 16 for each processor",
        why: "additional threads only wait for each other (CPU_COUNT)",
        source: "slapd-config(5); CPU_COUNT: Solaris tuning notes for Oracle",
        change: "olcThreads",
        judge: |machine| {
            let text = machine.setting("threads").unwrap_or("16");
            let each = text.parse::<u64>().ok()?.div_ceil(machine.processors());
            Some((Look.unless((2..=16).contains(&each)), text.to_owned()))
        },
    },
    Check {
        area: Area::Openldap,
        name: "flush at each change",
        good: "on",
        why: "otherwise changes are lost in a crash; if it is off, report that with the result",
        source: MDB,
        change: "remove olcDbNoSync and olcDbEnvFlags: nosync",
        judge: |machine| {
            let off = machine
                .setting("dbnosync")
                .is_some_and(|value| value.eq_ignore_ascii_case("true"));
            let flags = machine
                .setting("dbenvflags")
                .or(machine.setting("envflags"))
                .unwrap_or_default();
            let off = off || flags.contains("nosync") || flags.contains("mapasync");
            Some((Look.unless(!off), if off { "off" } else { "on" }.to_owned()))
        },
    },
    Check {
        area: Area::Openldap,
        name: "largest size of the database",
        good: "at least 1 GiB",
        why: "adding an entry fails at this size; a larger limit does not cost anything",
        source: MDB,
        change: "olcDbMaxSize",
        judge: |machine| {
            let text = machine
                .setting("dbmaxsize")
                .or(machine.setting("maxsize"))
                .unwrap_or("10485760");
            let size = bytes(text, 1)?;
            Some((Look.unless(size >= 1 << 30), bytes_text(size)))
        },
    },
    Check {
        area: Area::Openldap,
        name: "indexes",
        good: "an index for each attribute in searches",
        why: "a search without an index reads every entry",
        source: MDB,
        change: "olcDbIndex",
        judge: |machine| {
            let index = machine.setting("dbindex").or(machine.setting("index"));
            Some((
                Look.unless(index.is_some()),
                index.unwrap_or("none").to_owned(),
            ))
        },
    },
    Check {
        area: Area::Openldap,
        name: "allocator of memory",
        good: "jemalloc or tcmalloc",
        why: "threads wait for each other in the allocator of the C library (libumem)",
        source: "OpenLDAP administrator's guide, Tuning; libumem: Solaris tuning notes for Siebel",
        change: "set LD_PRELOAD in the unit of the service",
        judge: |machine| {
            let found = allocator(machine)?;
            Some((Look.unless(found != "C library"), found.to_owned()))
        },
    },
    Check {
        area: Area::Nginx,
        name: "worker processes",
        good: "auto, or the processors",
        why: "one worker uses only one processor (MaxProcs)",
        source: "nginx.org, Core functionality; MaxProcs: Solaris tuning notes for Siebel",
        change: "worker_processes auto;",
        judge: |machine| {
            let text = machine.setting("worker_processes").unwrap_or("1");
            let good = text == "auto" || text.parse() == Ok(machine.processors());
            Some((Look.unless(good), text.to_owned()))
        },
    },
    Check {
        area: Area::Nginx,
        name: "connections of a worker",
        good: "at least 1,024",
        why: "clients beyond this number are rejected; a proxy needs two connections for each client (RqThrottle)",
        source: "nginx.org, Core functionality; RqThrottle: Solaris tuning notes for Siebel",
        change: "worker_connections 8192;",
        judge: |machine| {
            let count = machine.count("worker_connections", 512)?;
            Some((Look.unless(count >= 1024), count.to_string()))
        },
    },
    Check {
        area: Area::Nginx,
        name: "open files of a worker",
        good: "twice its connections, or the limit of the service",
        why: "each connection needs one file, and another one for a served file or an upstream",
        source: CORE,
        change: "worker_rlimit_nofile 65536;",
        judge: |machine| {
            let connections = machine.count("worker_connections", 512)?;
            let files: u64 = machine.setting("worker_rlimit_nofile")?.parse().ok()?;
            Some((Look.unless(files >= 2 * connections), files.to_string()))
        },
    },
    Check {
        area: Area::Nginx,
        name: "log of requests",
        good: "off, or with a buffer",
        why: "otherwise each request is written to a file",
        source: "nginx.org, ngx_http_log_module",
        change: "access_log off; or access_log FILE combined buffer=64k;",
        judge: |machine| {
            let text = machine.setting("access_log").unwrap_or("on");
            Some((
                Look.unless(text == "off" || text.contains("buffer=")),
                text.to_owned(),
            ))
        },
    },
    Check {
        area: Area::Nginx,
        name: "files without a copy",
        good: "sendfile on",
        why: "otherwise each byte of a file is copied twice",
        source: HTTP,
        change: "sendfile on;",
        judge: |machine| {
            let text = machine.setting("sendfile").unwrap_or("off");
            Some((Look.unless(text == "on"), text.to_owned()))
        },
    },
    Check {
        area: Area::Nginx,
        name: "requests on one connection",
        good: "at least 1,000",
        why: "clients must open a new connection after this number of requests",
        source: HTTP,
        change: "keepalive_requests 10000;",
        judge: |machine| {
            let count = machine.count("keepalive_requests", 1_000)?;
            Some((Look.unless(count >= 1000), count.to_string()))
        },
    },
    Check {
        area: Area::Nginx,
        name: "connections that wait to be accepted",
        good: "at least 511, and equal to net.core.somaxconn",
        why: "the kernel rejects connections beyond this number (tcp_conn_req_max_q)",
        source: "nginx.org, ngx_http_core_module; its row in the Solaris tuning notes for Siebel",
        change: "listen 80 backlog=4096;",
        judge: |machine| {
            let backlog = machine
                .setting("listen")
                .and_then(|text| text.split("backlog=").nth(1))
                .unwrap_or("511");
            Some((Info, backlog.split(' ').next()?.to_owned()))
        },
    },
];
