//! A netlink socket: messages to and from the kernel.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{
    AddressFamily, Protocol, RecvFlags, SendFlags, SocketFlags, SocketType, bind, recv, sendto,
    socket_with, sockopt,
};

/// Room for events that wait to be read: with less, events are lost at some thousand processes a second.
const BUFFER_BYTES: usize = 8 << 20;
/// `struct nlmsghdr`.
const HEADER: usize = 16;
/// `NLMSG_ERROR`.
pub const ERROR: u16 = 2;

/// An open socket.
pub struct Netlink {
    socket: OwnedFd,
    buffer: Vec<u8>,
}

/// One message: its type, and what follows the header.
pub struct Message<'a> {
    /// `nlmsg_type`.
    pub kind: u16,
    /// The bytes after the header.
    pub body: &'a [u8],
}

impl Netlink {
    /// A socket that listens to the groups whose bits are set.
    pub fn open(protocol: Protocol, groups: u32) -> io::Result<Self> {
        let socket = socket_with(
            AddressFamily::NETLINK,
            SocketType::DGRAM,
            SocketFlags::CLOEXEC,
            Some(protocol),
        )?;
        // The larger one needs the right to administer networks.
        if sockopt::set_socket_recv_buffer_size_force(&socket, BUFFER_BYTES).is_err() {
            sockopt::set_socket_recv_buffer_size(&socket, BUFFER_BYTES)?;
        }
        bind(&socket, &SocketAddrNetlink::new(0, groups))?;
        Ok(Self {
            socket,
            buffer: vec![0; 1 << 16],
        })
    }

    /// Sends one message to the kernel.
    pub fn send(&self, kind: u16, flags: u16, body: &[u8]) -> io::Result<()> {
        let length = u32::try_from(HEADER + body.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let mut message = Vec::with_capacity(HEADER + body.len());
        message.extend(length.to_ne_bytes());
        message.extend(kind.to_ne_bytes());
        message.extend(flags.to_ne_bytes());
        message.extend([0; 8]); // sequence and port: the kernel fills them
        message.extend(body);
        sendto(
            &self.socket,
            &message,
            SendFlags::empty(),
            &SocketAddrNetlink::new(0, 0),
        )?;
        Ok(())
    }

    /// Calls `each` for the messages of one datagram, without waiting.
    pub fn receive(&mut self, mut each: impl FnMut(Message)) -> io::Result<Received> {
        let length = match recv(&self.socket, &mut self.buffer[..], RecvFlags::DONTWAIT) {
            Ok((length, _)) => length,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(Received::Nothing),
            // The buffer was full: some were lost.
            Err(Errno::NOBUFS) => return Ok(Received::Overrun),
            Err(error) => return Err(error.into()),
        };
        let mut rest = &self.buffer[..length];
        while let Some(size) = word(rest, 0) {
            let size = size as usize;
            let (Some(kind), Some(body)) = (half(rest, 4), rest.get(HEADER..size)) else {
                break;
            };
            each(Message { kind, body });
            rest = rest.get(size.next_multiple_of(4)..).unwrap_or_default();
        }
        Ok(Received::Datagram)
    }
}

impl AsFd for Netlink {
    fn as_fd(&self) -> rustix::fd::BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The result of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// One datagram, with one or more messages.
    Datagram,
    /// Some did not fit into the buffer, and are lost.
    Overrun,
    /// None.
    Nothing,
}

/// 16 bits, in the byte order of the host.
#[must_use]
pub fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// 32 bits, in the byte order of the host.
#[must_use]
pub fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// 64 bits, in the byte order of the host.
#[must_use]
pub fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// Type and data of each attribute of a message.
pub fn attributes(mut rest: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(half(rest, 0)?);
        let found = (half(rest, 2)?, rest.get(4..length)?);
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some(found)
    })
}
