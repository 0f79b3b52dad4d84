//! Who listens, and who talks to whom: sockets of this network namespace, by process.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use igen_job::tool::Table;
use serde_json::{Value, json};

use crate::processes::{pids, process};

const ESTABLISHED: &str = "01";
const LISTENING: &str = "0A";
/// UDP has no connections: a socket that is bound takes what comes.
const BOUND: &str = "07";
/// `__SO_ACCEPTCON` in the flags of a Unix socket.
const ACCEPTS: &str = "00010000";

/// A socket of TCP or UDP.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Socket {
    transport: &'static str,
    local: (IpAddr, u16),
    remote: (IpAddr, u16),
    state: String,
    inode: u64,
}

/// The two ends of a connection, as one of them sees it.
type Ends = ((IpAddr, u16), (IpAddr, u16));

/// A process that has a socket.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Owner {
    pid: u32,
    name: String,
}

/// Tables of who listens and of who talks to whom.
pub(super) fn tables() -> [Table; 2] {
    let owners = owners();
    let mut sockets = Vec::new();
    for (file, transport) in [
        ("tcp", "tcp"),
        ("tcp6", "tcp"),
        ("udp", "udp"),
        ("udp6", "udp"),
    ] {
        let text = fs::read_to_string(format!("/proc/net/{file}")).unwrap_or_default();
        sockets.extend(
            text.lines()
                .skip(1)
                .filter_map(|line| socket(line, transport)),
        );
    }
    let unix = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    [
        listening(&sockets, &unix, &owners),
        streams(&sockets, &owners),
    ]
}

/// Sockets by the process that has them open, the first one where several have; none of others' processes without root.
fn owners() -> HashMap<u64, Owner> {
    let mut owners = HashMap::new();
    for pid in pids() {
        let mut owner = None;
        for file in fs::read_dir(format!("/proc/{pid}/fd"))
            .into_iter()
            .flatten()
            .flatten()
        {
            let Ok(target) = fs::read_link(file.path()) else {
                continue;
            };
            let inode = target.to_str().and_then(|name| {
                name.strip_prefix("socket:[")?
                    .strip_suffix(']')?
                    .parse()
                    .ok()
            });
            if let Some(inode) = inode {
                let named = || process(pid).map_or_else(String::new, |process| process.name);
                let owner = owner.get_or_insert_with(|| Owner { pid, name: named() });
                owners.entry(inode).or_insert_with(|| owner.clone());
            }
        }
    }
    owners
}

fn listening(sockets: &[Socket], unix: &str, owners: &HashMap<u64, Owner>) -> Table {
    let columns = ["process", "pid", "transport", "address", "port"];
    let mut table = Table::new("listening", "Who listens", &columns);
    let bound = sockets
        .iter()
        .filter(|socket| socket.state == LISTENING || socket.state == BOUND);
    for socket in bound {
        let owner = owners.get(&socket.inode);
        table.row([
            json!(owner.map(|owner| &owner.name)),
            json!(owner.map(|owner| owner.pid)),
            json!(socket.transport),
            json!(socket.local.0.to_string()),
            json!(socket.local.1),
        ]);
    }
    for line in unix.lines().skip(1) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if let [_, _, _, ACCEPTS, _, _, inode, path @ ..] = &words[..] {
            let owner = inode.parse().ok().and_then(|inode: u64| owners.get(&inode));
            table.row([
                json!(owner.map(|owner| &owner.name)),
                json!(owner.map(|owner| owner.pid)),
                json!("unix"),
                json!(path.join(" ")),
                Value::Null,
            ]);
        }
    }
    table
}

/// Established connections, those between the same two added up. Of two ends on this machine the client's counts. Where
/// nobody listens any more, or at both, the one of the higher port is taken for the client: clients get theirs from
/// 32,768 on, unless somebody has set another range.
fn streams(sockets: &[Socket], owners: &HashMap<u64, Owner>) -> Table {
    let columns = ["from", "to", "transport", "port", "connections"];
    let mut table = Table::new("streams", "Connections between processes", &columns);
    let ports: HashSet<(&str, u16)> = sockets
        .iter()
        .filter(|socket| socket.state == LISTENING || socket.state == BOUND)
        .map(|socket| (socket.transport, socket.local.1))
        .collect();
    let established: Vec<&Socket> = sockets
        .iter()
        .filter(|socket| socket.state == ESTABLISHED)
        .collect();
    let by_local: HashMap<Ends, &Socket> = established
        .iter()
        .map(|socket| ((socket.local, socket.remote), *socket))
        .collect();
    let name = |socket: &Socket| match owners.get(&socket.inode) {
        Some(owner) => owner.name.clone(),
        None => "an unknown process".to_owned(),
    };
    let mut counts: BTreeMap<(String, String, &str, u16), u64> = BTreeMap::new();
    let serves = |end: &Socket| ports.contains(&(end.transport, end.local.1));
    let rank = |end: &Socket| (serves(end), Reverse(end.local.1), end.local.0);
    for socket in &established {
        let other_end = by_local.get(&(socket.remote, socket.local)).copied();
        let key = match other_end {
            Some(other) if rank(socket) > rank(other) => continue,
            Some(other) => (name(socket), name(other), socket.transport, socket.remote.1),
            None if serves(socket) => (
                socket.remote.0.to_string(),
                name(socket),
                socket.transport,
                socket.local.1,
            ),
            None => (
                name(socket),
                socket.remote.0.to_string(),
                socket.transport,
                socket.remote.1,
            ),
        };
        *counts.entry(key).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| Reverse(*count));
    for ((from, to, transport, port), count) in counts {
        table.row([
            json!(from),
            json!(to),
            json!(transport),
            json!(port),
            json!(count),
        ]);
    }
    table
}

/// A line of `/proc/net/tcp` and its like, as in `proc_net(5)`.
fn socket(line: &str, transport: &'static str) -> Option<Socket> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [_, local, remote, state, _, _, _, _, _, inode, ..] = words[..] else {
        return None;
    };
    Some(Socket {
        transport,
        local: address(local)?,
        remote: address(remote)?,
        state: state.to_owned(),
        inode: inode.parse().ok()?,
    })
}

/// `0100007F:1F90`: the address in words of the host's byte order, and the port.
fn address(text: &str) -> Option<(IpAddr, u16)> {
    let (address, port) = text.split_once(':')?;
    let word = |index: usize| u32::from_str_radix(address.get(8 * index..8 * index + 8)?, 16).ok();
    let address = if address.len() == 8 {
        IpAddr::V4(Ipv4Addr::from(word(0)?.to_ne_bytes()))
    } else {
        let mut bytes = [0; 16];
        for (index, chunk) in bytes.chunks_mut(4).enumerate() {
            chunk.copy_from_slice(&word(index)?.to_ne_bytes());
        }
        let address = Ipv6Addr::from(bytes);
        // Connections of IPv4 to a socket of both.
        address
            .to_ipv4_mapped()
            .map_or(IpAddr::V6(address), IpAddr::V4)
    };
    Some((address, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    #[cfg(target_endian = "little")]
    fn addresses_are_read_as_the_kernel_writes_them() {
        let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
        assert_eq!(address("0100007F:1F90"), Some((here, 8080)));
        assert_eq!(
            address("0000000000000000FFFF00000100007F:0050"),
            Some((here, 80))
        );
        let six = IpAddr::V6(Ipv6Addr::LOCALHOST);
        assert_eq!(
            address("00000000000000000000000001000000:0050"),
            Some((six, 80))
        );
        assert_eq!(address("0100007F"), None);
    }

    fn at(last: u8, port: u16) -> (IpAddr, u16) {
        (IpAddr::V4(Ipv4Addr::new(10, 0, 0, last)), port)
    }

    fn tcp(local: (IpAddr, u16), remote: (IpAddr, u16), state: &str, inode: u64) -> Socket {
        Socket {
            transport: "tcp",
            local,
            remote,
            state: state.into(),
            inode,
        }
    }

    fn owner(pid: u32, name: &str) -> Owner {
        Owner {
            pid,
            name: name.into(),
        }
    }

    #[test]
    fn connections_are_added_up_from_the_client_s_side() {
        let sockets = [
            tcp(at(1, 5432), at(0, 0), LISTENING, 1),
            tcp(at(1, 5432), at(1, 40001), ESTABLISHED, 2),
            tcp(at(1, 40001), at(1, 5432), ESTABLISHED, 3),
            tcp(at(1, 5432), at(9, 40002), ESTABLISHED, 4),
            tcp(at(1, 5432), at(9, 40003), ESTABLISHED, 5),
            tcp(at(1, 40004), at(8, 443), ESTABLISHED, 6),
        ];
        let owners = HashMap::from([
            (1, owner(7, "postgres")),
            (2, owner(7, "postgres")),
            (3, owner(8, "web")),
            (4, owner(7, "postgres")),
            (5, owner(7, "postgres")),
            (6, owner(8, "web")),
        ]);
        let rows = json!(streams(&sockets, &owners).rows);
        assert_eq!(
            rows,
            json!([
                {"from": "10.0.0.9", "to": "postgres", "transport": "tcp", "port": 5432, "connections": 2},
                {"from": "web", "to": "10.0.0.8", "transport": "tcp", "port": 443, "connections": 1},
                {"from": "web", "to": "postgres", "transport": "tcp", "port": 5432, "connections": 1},
            ])
        );
        let listened = json!(listening(&sockets, "", &owners).rows);
        assert_eq!(listened.as_array().unwrap().len(), 1);
    }

    #[test]
    fn two_ends_are_one_connection_whoever_listens() {
        let ends = [
            tcp(at(1, 5432), at(1, 40001), ESTABLISHED, 2),
            tcp(at(1, 40001), at(1, 5432), ESTABLISHED, 3),
        ];
        let owners = HashMap::from([(2, owner(7, "postgres")), (3, owner(8, "web"))]);
        let listens = |port| tcp(at(1, port), at(0, 0), LISTENING, 1);
        for (listening, from, to, port) in [
            (vec![], "web", "postgres", 5432),
            (vec![5432, 40001], "web", "postgres", 5432),
            (vec![40001], "postgres", "web", 40001),
        ] {
            let sockets: Vec<Socket> = listening
                .into_iter()
                .map(listens)
                .chain(ends.clone())
                .collect();
            let expected = json!([
                {"from": from, "to": to, "transport": "tcp", "port": port, "connections": 1},
            ]);
            assert_eq!(json!(streams(&sockets, &owners).rows), expected);
        }
        let itself = [tcp(at(1, 9), at(1, 9), ESTABLISHED, 2)];
        assert_eq!(streams(&itself, &owners).rows.len(), 1);
    }

    #[test]
    fn unix_sockets_are_told_by_their_path() {
        let text = "Num       RefCount Protocol Flags    Type St Inode Path\n\
                    0: 00000002 00000000 00010000 0001 01 12345 /run/a b.sock\n\
                    0: 00000003 00000000 00000000 0001 03 12346 /run/other\n";
        let rows = json!(listening(&[], text, &HashMap::new()).rows);
        assert_eq!(
            rows,
            json!([{"transport": "unix", "address": "/run/a b.sock"}])
        );
    }
}
