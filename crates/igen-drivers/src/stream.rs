//! A connection to a server as bytes: TCP, a Unix socket, either of them under TLS. One buffer each
//! way, used again and again, so that a round trip is one write, one wait and one read.

use std::io::{Error, ErrorKind, Result};
use std::path::PathBuf;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};

/// Holds what most answers take; grows for those that take more.
const INPUT_BYTES: usize = 8 * 1024;

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    Tcp { host: String, port: u16 },
    Unix(PathBuf),
}

/// A connection. Append to `output`, `flush`, then `fill` until `input` holds the answer.
pub(crate) struct Stream {
    io: Io,
    output: Vec<u8>,
    input: Vec<u8>,
    /// The unread bytes are `input[start..end]`.
    start: usize,
    end: usize,
}

enum Io {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    /// Connects within `limit`.
    pub(crate) async fn connect(address: &Address, limit: Duration) -> Result<Self> {
        let connect = async || -> Result<Io> {
            match address {
                Address::Tcp { host, port } => {
                    let stream = TcpStream::connect((host.as_str(), *port)).await?;
                    stream.set_nodelay(true)?;
                    Ok(Io::Tcp(stream))
                }
                Address::Unix(path) => Ok(Io::Unix(UnixStream::connect(path).await?)),
            }
        };
        let io = tokio::time::timeout(limit, connect())
            .await
            .map_err(|_| Error::from(ErrorKind::TimedOut))??;
        Ok(Self {
            io,
            output: Vec::with_capacity(1024),
            input: vec![0; INPUT_BYTES],
            start: 0,
            end: 0,
        })
    }

    /// Whether the server is on this host.
    pub(crate) fn is_local(&self) -> bool {
        match &self.io {
            Io::Tcp(stream) => match (stream.peer_addr(), stream.local_addr()) {
                (Ok(peer), Ok(local)) => peer.ip() == local.ip() || peer.ip().is_loopback(),
                _ => false,
            },
            Io::Unix(_) => true,
        }
    }

    /// Where the next message is put together.
    pub(crate) fn output(&mut self) -> &mut Vec<u8> {
        &mut self.output
    }

    /// Sends the output.
    pub(crate) async fn flush(&mut self) -> Result<()> {
        match &mut self.io {
            Io::Tcp(stream) => stream.write_all(&self.output).await?,
            Io::Unix(stream) => stream.write_all(&self.output).await?,
        }
        self.output.clear();
        Ok(())
    }

    /// What was received and not yet consumed.
    pub(crate) fn input(&self) -> &[u8] {
        &self.input[self.start..self.end]
    }

    /// Takes `bytes` bytes off the input.
    pub(crate) fn consume(&mut self, bytes: usize) {
        self.start = (self.start + bytes).min(self.end);
    }

    /// Waits for more input; an error of kind `UnexpectedEof` when the server has closed.
    pub(crate) async fn fill(&mut self) -> Result<()> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.end == self.input.len() {
            if self.start > 0 {
                self.input.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
            } else {
                self.input.resize(2 * self.input.len(), 0);
            }
        }
        let space = &mut self.input[self.end..];
        let bytes = match &mut self.io {
            Io::Tcp(stream) => stream.read(space).await?,
            Io::Unix(stream) => stream.read(space).await?,
        };
        if bytes == 0 {
            return Err(Error::from(ErrorKind::UnexpectedEof));
        }
        self.end += bytes;
        Ok(())
    }
}
