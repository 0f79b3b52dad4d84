//! TCP connections of this network namespace, and what came in on each.
//!
//! Reads: the kernel's socket diagnosis (netlink, `inet_diag`). Every user may. Cost: 1 µs for each connection.

use std::io;
use std::net::{IpAddr, SocketAddr};

use rustix::net::netlink::SOCK_DIAG;

use crate::listeners::Inode;
use crate::netlink::{ERROR, Netlink, Received, attributes, word};

/// `SOCK_DIAG_BY_FAMILY` of the kernel's `include/uapi/linux/sock_diag.h`.
const BY_FAMILY: u16 = 20;
/// `NLM_F_REQUEST | NLM_F_DUMP`.
const DUMP: u16 = 0x301;
/// `NLMSG_DONE`.
const DONE: u16 = 3;
const TCP: u8 = 6;
const FAMILIES: [u8; 2] = [2, 10];
/// The set of states with `TCP_ESTABLISHED` alone.
const ESTABLISHED: u32 = 1 << 1;
/// `INET_DIAG_INFO`, and the set of extensions with it alone.
const INFO: u16 = 2;
const WANTS_INFO: u8 = 1 << (INFO - 1);
/// Places in `struct inet_diag_msg` of the kernel's `include/uapi/linux/inet_diag.h`.
const PORTS: usize = 4;
const FROM: usize = 8;
const TO: usize = 24;
const COOKIE: usize = 44;
const USER: usize = 64;
const INODE: usize = 68;
const LENGTH: usize = 72;
/// `tcpi_data_segs_in` of `struct tcp_info`.
const DATA_SEGMENTS_IN: usize = 152;

/// One end of an open connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connection {
    /// The address of this end.
    pub local: SocketAddr,
    /// The address of the other end.
    pub remote: SocketAddr,
    /// The socket of this end.
    pub inode: Inode,
    /// The user who has this end.
    pub user: u32,
    /// Never the same for two connections.
    pub cookie: u64,
    /// Segments with data that this end has received.
    pub received: u64,
}

/// The end of a connection that has a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Port {
    /// This end: the server's.
    Local(u16),
    /// The other end: the client's view.
    Remote(u16),
}

/// Asks for connections.
pub struct Connections {
    netlink: Netlink,
}

impl Connections {
    /// Open the way to ask. An error if the kernel does not answer.
    pub fn open() -> io::Result<Self> {
        let netlink = Netlink::open(SOCK_DIAG, 0)?;
        let mut opened = Self { netlink };
        opened.with_port(Port::Local(1))?;
        Ok(opened)
    }

    /// Return all open connections with that port.
    pub fn with_port(&mut self, port: Port) -> io::Result<Vec<Connection>> {
        let mut found = Vec::new();
        for family in FAMILIES {
            self.netlink.send(BY_FAMILY, DUMP, &request(family, port))?;
            let (mut done, mut failed) = (false, None);
            while !done {
                let received = self.netlink.receive(|message| match message.kind {
                    DONE => done = true,
                    ERROR => failed = word(message.body, 0).map(u32::cast_signed),
                    _ => found.extend(parse(message.body)),
                })?;
                if let Some(error) = failed {
                    return Err(io::Error::from_raw_os_error(-error));
                }
                // The kernel answers before it returns from the call.
                done |= received == Received::Nothing;
            }
        }
        Ok(found)
    }
}

fn request(family: u8, port: Port) -> Vec<u8> {
    let (local, remote) = match port {
        Port::Local(port) => (port, 0),
        Port::Remote(port) => (0, port),
    };
    let mut body = vec![family, TCP, WANTS_INFO, 0];
    body.extend(ESTABLISHED.to_ne_bytes());
    body.extend(local.to_be_bytes());
    body.extend(remote.to_be_bytes());
    body.resize(56, 0);
    body
}

fn parse(body: &[u8]) -> Option<Connection> {
    let port = |at: usize| Some(u16::from_be_bytes(body.get(at..at + 2)?.try_into().ok()?));
    let address = |at: usize| -> Option<IpAddr> {
        let bytes: [u8; 16] = body.get(at..at + 16)?.try_into().ok()?;
        let [a, b, c, d, ..] = bytes;
        let ip: IpAddr = if *body.first()? == FAMILIES[0] {
            [a, b, c, d].into()
        } else {
            bytes.into()
        };
        Some(ip.to_canonical())
    };
    let mut info = attributes(body.get(LENGTH..)?).filter(|(kind, _)| *kind == INFO);
    let received = info
        .next()
        .and_then(|(_, data)| word(data, DATA_SEGMENTS_IN));
    let cookie = u64::from(word(body, COOKIE)?) | u64::from(word(body, COOKIE + 4)?) << 32;
    Some(Connection {
        local: (address(FROM)?, port(PORTS)?).into(),
        remote: (address(TO)?, port(PORTS + 2)?).into(),
        inode: word(body, INODE)?.into(),
        user: word(body, USER)?,
        cookie,
        received: received?.into(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn both_ends_of_a_connection_and_what_came_in() {
        for place in ["127.0.0.1:0", "[::1]:0"] {
            let listener = TcpListener::bind(place).unwrap();
            let address = listener.local_addr().unwrap();
            let mut connections = Connections::open().unwrap();
            let mut with = |port| connections.with_port(port).unwrap();
            assert_eq!(
                with(Port::Local(address.port())),
                [],
                "who listens is not connected"
            );
            let mut client = TcpStream::connect(address).unwrap();
            let (mut server, _) = listener.accept().unwrap();
            for _ in 0..3 {
                client.write_all(b"ask").unwrap();
                server.read_exact(&mut [0; 3]).unwrap();
            }
            let [at_server] = with(Port::Local(address.port()))[..] else {
                panic!("one connection")
            };
            let [at_client] = with(Port::Remote(address.port()))[..] else {
                panic!("one connection")
            };
            assert_eq!((at_server.received, at_client.received), (3, 0));
            assert_eq!(at_server.local, address);
            assert_eq!(at_server.remote, client.local_addr().unwrap());
            assert_eq!(at_client.remote, at_server.local);
            assert_ne!(at_client.cookie, at_server.cookie);
            assert_eq!(at_client.user, rustix::process::geteuid().as_raw());
            drop((client, server));
            assert_eq!(with(Port::Local(address.port())), []);
        }
    }
}
