//! Sockets of this network namespace that accept connections.
//!
//! Reads `/proc/net/tcp`, `/proc/net/tcp6` and `/proc/net/unix`. Every user may read them.

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};

/// The number that a socket has in `/proc/PID/fd`.
pub type Inode = u64;

/// `TCP_LISTEN` of the kernel's `include/net/tcp_states.h`.
const LISTEN: &str = "0A";
/// `__SO_ACCEPTCON` of the kernel's `include/uapi/linux/net.h`.
const ACCEPTS: u32 = 1 << 16;

/// True if packets to this address stay on this machine. No packet is sent.
#[must_use]
pub fn is_local(address: SocketAddr) -> bool {
    if address.ip().is_loopback() || address.ip().is_unspecified() {
        return true;
    }
    let any: IpAddr = match address {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let from = UdpSocket::bind((any, 0)).and_then(|socket| {
        socket.connect(address)?;
        socket.local_addr()
    });
    // A machine speaks with its own address from the same address.
    from.is_ok_and(|from| from.ip() == address.ip())
}

/// Return the sockets to which the kernel gives connections to `address`.
pub fn at_port(address: SocketAddr) -> io::Result<Vec<Inode>> {
    let mut text = fs::read_to_string("/proc/net/tcp")?;
    // A kernel without IPv6 does not have this file.
    text += &fs::read_to_string("/proc/net/tcp6").unwrap_or_default();
    Ok(accepting(&text, address))
}

/// Return the sockets that accept connections at a path.
pub fn at_path(path: &Path) -> io::Result<Vec<Inode>> {
    Ok(accepting_at(
        &fs::read_to_string("/proc/net/unix")?,
        &real(path),
    ))
}

/// A socket bound to the very address goes before one for all addresses, and IPv4 before IPv6.
fn accepting(text: &str, address: SocketAddr) -> Vec<Inode> {
    let wanted = match address.ip().to_canonical() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    let rank = |ip: IpAddr| match (ip, wanted) {
        (ip, wanted) if ip == wanted => Some(0),
        (IpAddr::V4(ip), IpAddr::V4(_)) if ip.is_unspecified() => Some(1),
        (IpAddr::V6(ip), _) if ip.is_unspecified() => Some(2),
        _ => None,
    };
    let found: Vec<(u8, Inode)> = text
        .lines()
        .filter_map(listening)
        .filter(|(local, _)| local.port() == address.port())
        .filter_map(|(local, inode)| Some((rank(local.ip().to_canonical())?, inode)))
        .collect();
    let best = found.iter().map(|(rank, _)| *rank).min();
    let first = found.into_iter().filter(|(rank, _)| Some(*rank) == best);
    first.map(|(_, inode)| inode).collect()
}

/// Local address and inode of a line of `/proc/net/tcp` or `tcp6`, if that socket listens.
fn listening(line: &str) -> Option<(SocketAddr, Inode)> {
    let mut fields = line.split_ascii_whitespace().skip(1);
    let local = socket_address(fields.next()?)?;
    if fields.nth(1)? != LISTEN {
        return None;
    }
    Some((local, fields.nth(5)?.parse().ok()?))
}

/// `0100007F:1F90`: each word of the address is in the byte order of the host.
fn socket_address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |index: usize| {
        let digits = address.get(8 * index..8 * index + 8)?;
        Some(u32::from_str_radix(digits, 16).ok()?.to_ne_bytes())
    };
    let ip: IpAddr = match address.len() {
        8 => word(0)?.into(),
        32 => {
            let mut bytes = [0; 16];
            for (index, part) in bytes.chunks_exact_mut(4).enumerate() {
                part.copy_from_slice(&word(index)?);
            }
            bytes.into()
        }
        _ => return None,
    };
    Some((ip, port).into())
}

fn accepting_at(text: &str, path: &Path) -> Vec<Inode> {
    text.lines()
        .filter_map(listening_at)
        .filter(|(bound, _)| real(bound) == path)
        .map(|(_, inode)| inode)
        .collect()
}

/// Path and inode of a line of `/proc/net/unix`, if that socket listens.
fn listening_at(line: &str) -> Option<(&Path, Inode)> {
    let mut rest = line;
    let mut next = || {
        let (field, after) = rest.trim_start().split_once(' ')?;
        rest = after;
        Some(field)
    };
    let [_, _, _, flags, _, _, inode] = std::array::from_fn(|_| next());
    let flags = u32::from_str_radix(flags?, 16).ok()?;
    (flags & ACCEPTS != 0).then_some((Path::new(rest), inode?.parse().ok()?))
}

/// The path without symbolic links: `/var/run` may be another name of `/run`.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::net::TcpListener;
    use std::os::unix::net::UnixListener;

    use super::*;

    const TCP: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0 100 0 0 10 0
   1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12 1 0 100 0 0 10 0
   2: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 13 1 0 100 0 0 10 0
   3: 00000000000000000000000000000000:1F91 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 14 1 0 100 0 0 10 0
   4: 0000000000000000FFFF00000200007F:1F92 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 15 1 0 100 0 0 10 0
   5: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 16 1 0 100 0 0 10 0
";

    #[test]
    fn the_socket_that_the_kernel_would_choose() {
        for (address, expected) in [
            ("127.0.0.1:8080", vec![11]),
            ("127.0.0.2:8080", vec![12]),
            ("0.0.0.0:8080", vec![11]),
            ("[::1]:8080", vec![16]),
            ("[::]:8080", vec![16]),
            ("127.0.0.1:8081", vec![14]),
            ("127.0.0.2:8082", vec![15]),
            ("127.0.0.1:8082", vec![]),
            ("127.0.0.1:80", vec![]),
        ] {
            assert_eq!(
                accepting(TCP, address.parse().unwrap()),
                expected,
                "{address}"
            );
        }
        for length in 0..TCP.len() {
            accepting(&TCP[..length], "127.0.0.1:8080".parse().unwrap());
        }
    }

    #[test]
    fn a_path_may_hold_spaces_and_a_connection_does_not_listen() {
        let text = "Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 20713 /no/such place/s
0000000000000000: 00000003 00000000 00000000 0001 03 20714 /no/such place/s
0000000000000000: 00000003 00000000 00000000 0001 03   715
";
        assert_eq!(accepting_at(text, Path::new("/no/such place/s")), [20713]);
        assert_eq!(accepting_at(text, Path::new("/no/such")), [0_u64; 0]);
    }

    #[test]
    fn real_sockets_are_found() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        assert_eq!(at_port(address).unwrap().len(), 1);
        drop(listener);
        assert!(at_port(address).unwrap().is_empty());

        let folder = tempfile::tempdir().unwrap();
        let other_name = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path(), &other_name).unwrap();
        let _listener = UnixListener::bind(folder.path().join("s")).unwrap();
        assert_eq!(at_path(&other_name.join("s")).unwrap().len(), 1);
        assert!(at_path(&folder.path().join("t")).unwrap().is_empty());
    }

    #[test]
    fn loopback_is_of_this_machine_and_a_documentation_address_is_not() {
        let local = |text: &str| is_local(text.parse().unwrap());
        assert!(local("127.0.0.7:1") && local("[::1]:1") && local("0.0.0.0:1"));
        assert!(!local("192.0.2.1:1"));
    }
}
