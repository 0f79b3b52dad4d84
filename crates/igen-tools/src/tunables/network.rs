//! Checks of the network, for servers and for those who load them.

use super::area::Area;
use super::check::State::{Check as Look, Fail, Info};
use super::check::{Check, Found};
use super::host::limit;
use super::machine::Machine;

const IP: &str = "Linux, networking/ip-sysctl.rst";
const NOTES: &str =
    "Linux, networking/ip-sysctl.rst; its row in the Solaris tuning notes for Siebel";
const NET: &str = "Linux, admin-guide/sysctl/net.rst";
const IPV4: &str = "proc/sys/net/ipv4";

/// The list.
pub(super) const CHECKS: &[Check] = &[
    Check {
        area: Area::Network,
        name: "connections that wait to be accepted",
        good: "at least 1,024",
        why: "the kernel rejects connections beyond this number (tcp_conn_req_max_q)",
        source: NOTES,
        change: "sysctl net.core.somaxconn=4096, and the backlog of the server",
        judge: |machine| at_least(machine, "proc/sys/net/core/somaxconn", 1_024),
    },
    Check {
        area: Area::Network,
        name: "connections that are being opened",
        good: "at least 1,024",
        why: "clients beyond this number must retry after a second (tcp_conn_req_max_q0)",
        source: NOTES,
        change: "sysctl net.ipv4.tcp_max_syn_backlog=4096",
        judge: |machine| at_least(machine, &format!("{IPV4}/tcp_max_syn_backlog"), 1_024),
    },
    Check {
        area: Area::Network,
        name: "overflows of listening sockets",
        good: "0",
        why: "each overflow delays a client by a second or more",
        source: "Linux, networking/snmp_counter.rst",
        change: "a longer backlog of the server, and net.core.somaxconn",
        judge: |machine| {
            let count = counter(machine, "TcpExt:", "ListenOverflows")?;
            Some((Look.unless(count == 0), format!("{count} since the start")))
        },
    },
    Check {
        area: Area::Network,
        name: "largest receive buffer of TCP",
        good: "at least 4 MiB",
        why: "smaller buffers slow down fast connections over long distances (tcp_recv_hiwat, tcp_max_buf)",
        source: NOTES,
        change: "sysctl net.ipv4.tcp_rmem='4096 131072 8388608'",
        judge: |machine| largest(machine, "tcp_rmem"),
    },
    Check {
        area: Area::Network,
        name: "largest send buffer of TCP",
        good: "at least 4 MiB",
        why: "smaller buffers slow down fast connections over long distances (tcp_xmit_hiwat, tcp_cwnd_max)",
        source: NOTES,
        change: "sysctl net.ipv4.tcp_wmem='4096 16384 8388608'",
        judge: |machine| largest(machine, "tcp_wmem"),
    },
    Check {
        area: Area::Network,
        name: "largest buffer that a program may ask for",
        good: "any; it is the only limit for UDP",
        why: "the kernel drops bursts of datagrams that do not fit (udp_recv_hiwat, udp_max_buf)",
        source: NOTES,
        change: "sysctl net.core.rmem_max=8388608",
        judge: |machine| {
            machine
                .number("proc/sys/net/core/rmem_max")
                .map(|bytes| (Info, bytes.to_string()))
        },
    },
    Check {
        area: Area::Network,
        name: "slow start after a pause",
        good: "0",
        why: "an idle connection restarts slowly after each pause of its user (tcp_slow_start_initial)",
        source: NOTES,
        change: "sysctl net.ipv4.tcp_slow_start_after_idle=0",
        judge: |machine| {
            let on = machine.number(&format!("{IPV4}/tcp_slow_start_after_idle"))?;
            Some((Look.unless(on == 0), on.to_string()))
        },
    },
    Check {
        area: Area::Network,
        name: "time until a silent connection is asked",
        good: "at most 900 s",
        why: "until then a server keeps connections of clients that disappeared (tcp_keepalive_interval)",
        source: NOTES,
        change: "sysctl net.ipv4.tcp_keepalive_time=900",
        judge: |machine| {
            let seconds = machine.number(&format!("{IPV4}/tcp_keepalive_time"))?;
            Some((Look.unless(seconds <= 900), format!("{seconds} s")))
        },
    },
    Check {
        area: Area::Network,
        name: "time until a half-closed connection is forgotten",
        good: "at most 68 s",
        why: "until then each connection uses memory (tcp_fin_wait_2_flush_interval)",
        source: NOTES,
        change: "sysctl net.ipv4.tcp_fin_timeout=60",
        judge: |machine| {
            let seconds = machine.number(&format!("{IPV4}/tcp_fin_timeout"))?;
            Some((Look.unless(seconds <= 68), format!("{seconds} s")))
        },
    },
    Check {
        area: Area::Network,
        name: "attempts before a connection is given up",
        good: "any; 15 attempts take about 15 minutes",
        why: "a user waits this long for a server that disappeared (tcp_ip_abort_interval, tcp_rexmit_interval)",
        source: NOTES,
        change: "sysctl net.ipv4.tcp_retries2=8",
        judge: |machine| {
            machine
                .number(&format!("{IPV4}/tcp_retries2"))
                .map(|count| (Info, count.to_string()))
        },
    },
    Check {
        area: Area::Network,
        name: "congestion control",
        good: "the same on all compared machines",
        why: "cubic and bbr share a slow line differently",
        source: IP,
        change: "sysctl net.ipv4.tcp_congestion_control",
        judge: |machine| {
            machine
                .text(&format!("{IPV4}/tcp_congestion_control"))
                .map(|name| (Info, name))
        },
    },
    Check {
        area: Area::Network,
        name: "packets dropped for want of room",
        good: "0",
        why: "a processor that is too slow for its packets drops them, and the sender repeats them",
        source: NET,
        change: "sysctl net.core.netdev_max_backlog=4096, or distribute packets over more processors (RPS)",
        judge: |machine| {
            let text = machine.text("proc/net/softnet_stat")?;
            let second =
                |line: &str| u64::from_str_radix(line.split_ascii_whitespace().nth(1)?, 16).ok();
            let count: u64 = text.lines().filter_map(second).sum();
            Some((Look.unless(count == 0), format!("{count} since the start")))
        },
    },
    Check {
        area: Area::HttpClient,
        name: "ports for connections of clients",
        good: "at least 50,000",
        why: "each connection to the same server needs its own port, and keeps it for a minute after its end \
              (tcp_smallest_anon_port)",
        source: NOTES,
        change: "sysctl net.ipv4.ip_local_port_range='1024 65535'",
        judge: |machine| {
            let ports = ports(machine)?;
            Some((Look.unless(ports >= 50_000), ports.to_string()))
        },
    },
    Check {
        area: Area::HttpClient,
        name: "use of ports whose connection has ended",
        good: "1",
        why: "otherwise a load client runs out of ports (tcp_time_wait_interval, fixed at 60 s on Linux)",
        source: NOTES,
        change: "sysctl net.ipv4.tcp_tw_reuse=1",
        judge: |machine| {
            let mode = machine.number(&format!("{IPV4}/tcp_tw_reuse"))?;
            Some((Look.unless(mode == 1), mode.to_string()))
        },
    },
    Check {
        area: Area::HttpClient,
        name: "connections in TIME_WAIT",
        good: "below half of the ports",
        why: "no connection can be opened when all ports are in TIME_WAIT",
        source: IP,
        change: "keep connections, use more addresses, or wait a minute",
        judge: |machine| {
            let text = machine.text("proc/net/sockstat")?;
            let line = text.lines().find_map(|line| line.strip_prefix("TCP:"))?;
            let count: u64 = line.split_once(" tw ")?.1.split(' ').next()?.parse().ok()?;
            Some((Fail.unless(count * 2 < ports(machine)?), count.to_string()))
        },
    },
    Check {
        area: Area::HttpClient,
        name: "connections that may be in TIME_WAIT",
        good: "at least 65,536",
        why: "connections beyond this number skip TIME_WAIT, and late packets can reach the wrong connection",
        source: IP,
        change: "sysctl net.ipv4.tcp_max_tw_buckets=262144",
        judge: |machine| at_least(machine, &format!("{IPV4}/tcp_max_tw_buckets"), 65_536),
    },
    Check {
        area: Area::HttpClient,
        name: "open files of the load client",
        good: "at least 65,536",
        why: "each user needs one or more connections",
        source: "getrlimit(2)",
        change: "ulimit -n 65536",
        judge: |machine| limit(machine, "Max open files", 2_048, 65_536),
    },
];

fn at_least(machine: &Machine, path: &str, enough: u64) -> Found {
    let value = machine.number(path)?;
    Some((Look.unless(value >= enough), value.to_string()))
}

fn largest(machine: &Machine, name: &str) -> Found {
    let bytes = *machine.numbers(&format!("{IPV4}/{name}"))?.get(2)?;
    Some((
        Look.unless(bytes >= 4 << 20),
        crate::show::bytes_text(bytes),
    ))
}

fn ports(machine: &Machine) -> Option<u64> {
    let range = machine.numbers(&format!("{IPV4}/ip_local_port_range"))?;
    Some(range.get(1)?.saturating_sub(*range.first()?) + 1)
}

/// A counter of `/proc/net/netstat`: a line of names, and one of values.
fn counter(machine: &Machine, group: &str, name: &str) -> Option<u64> {
    let text = machine.text("proc/net/netstat")?;
    let mut lines = text.lines().filter(|line| line.starts_with(group));
    let names = lines.next()?.split(' ');
    let mut values = lines.next()?.split(' ');
    values
        .nth(names.into_iter().position(|one| one == name)?)?
        .parse()
        .ok()
}
