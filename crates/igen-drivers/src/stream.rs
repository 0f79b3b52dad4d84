//! A connection to a server as bytes: TCP, a Unix socket, either of them under TLS. One buffer each
//! way, used again and again, so that a round trip is one write, one wait and one read.

use std::borrow::Cow;
use std::io::{Error, ErrorKind, Result};
use std::path::PathBuf;
use std::time::Duration;

use rustix::net::sockopt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::client::TlsStream;

use crate::patience::Patience;
use crate::target::Target;
use crate::tls;

/// Holds what most answers take; grows for those that take more.
const INPUT_BYTES: usize = 8 * 1024;

/// Time that a server has to say that it has ended a statement.
pub(crate) const GRACE: Duration = Duration::from_secs(1);
/// Silence before the system asks whether the other side is still there, then how often and how many
/// times in vain; and the longest time without an acknowledgement of what was sent.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(4);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(1);
const KEEPALIVE_PROBES: u32 = 4;
const UNACKNOWLEDGED_MS: u32 = 8_000;

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
    patience: Patience,
}

enum Io {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<TlsStream<TcpStream>>),
    /// While TLS is being negotiated, and for good where that failed.
    Closed,
}

impl Stream {
    /// Connects within `limit`.
    pub(crate) async fn connect(address: &Address, limit: Duration) -> Result<Self> {
        let connect = async || -> Result<Io> {
            match address {
                Address::Tcp { host, port } => {
                    let stream = TcpStream::connect((host.as_str(), *port)).await?;
                    stream.set_nodelay(true)?;
                    notice_death(&stream)?;
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
            patience: Patience::default(),
        })
    }

    /// Whether the server is on this host.
    pub(crate) fn is_local(&self) -> bool {
        let tcp = |stream: &TcpStream| match (stream.peer_addr(), stream.local_addr()) {
            (Ok(peer), Ok(local)) => peer.ip() == local.ip() || peer.ip().is_loopback(),
            _ => false,
        };
        match &self.io {
            Io::Tcp(stream) => tcp(stream),
            Io::Tls(stream) => tcp(stream.get_ref().0),
            Io::Unix(_) => true,
            Io::Closed => false,
        }
    }

    /// Goes on under TLS. Nothing may have been received that was not consumed.
    pub(crate) async fn encrypt(&mut self, target: &Target) -> Result<()> {
        let Address::Tcp { host, .. } = &target.address else {
            return Err(Error::other("a Unix socket has no TLS"));
        };
        let name = host.clone().try_into().map_err(Error::other)?;
        let connector = tls::connector(&target.tls)?;
        let Io::Tcp(stream) = std::mem::replace(&mut self.io, Io::Closed) else {
            return Err(Error::from(ErrorKind::NotConnected));
        };
        self.io = Io::Tls(Box::new(connector.connect(name, stream).await?));
        Ok(())
    }

    /// Whether nobody between here and the server can read along.
    pub(crate) fn is_private(&self) -> bool {
        match &self.io {
            Io::Tcp(stream) => stream.peer_addr().is_ok_and(|peer| peer.ip().is_loopback()),
            Io::Tls(_) | Io::Unix(_) => true,
            Io::Closed => false,
        }
    }

    /// Version and cipher of TLS; `None` without.
    pub(crate) fn tls(&self) -> Option<String> {
        let Io::Tls(stream) = &self.io else {
            return None;
        };
        let (_, session) = stream.get_ref();
        let version = session.protocol_version()?.as_str()?;
        let cipher = session.negotiated_cipher_suite()?.suite();
        Some(format!("{version}, {}", cipher.as_str()?))
    }

    /// Where the next message is put together.
    pub(crate) fn output(&mut self) -> &mut Vec<u8> {
        &mut self.output
    }

    /// From now on waits no longer than `limit` for a server that says nothing; then the output or
    /// input fails with `TimedOut`. Without `limit` for ever.
    pub(crate) fn limit_silence(&mut self, limit: Option<Duration>) -> Result<()> {
        self.patience.limit(limit)
    }

    /// Sends the output.
    pub(crate) async fn flush(&mut self) -> Result<()> {
        let (output, patience) = (&self.output, &mut self.patience);
        match &mut self.io {
            Io::Tcp(stream) => patience.wait(stream.write_all(output)).await?,
            Io::Unix(stream) => patience.wait(stream.write_all(output)).await?,
            Io::Tls(stream) => {
                patience.wait(stream.write_all(output)).await?;
                patience.wait(stream.flush()).await?;
            }
            Io::Closed => return Err(Error::from(ErrorKind::NotConnected)),
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
        let (space, patience) = (&mut self.input[self.end..], &mut self.patience);
        let bytes = match &mut self.io {
            Io::Tcp(stream) => patience.wait(stream.read(space)).await?,
            Io::Unix(stream) => patience.wait(stream.read(space)).await?,
            Io::Tls(stream) => patience.wait(stream.read(space)).await?,
            Io::Closed => return Err(Error::from(ErrorKind::NotConnected)),
        };
        if bytes == 0 {
            return Err(Error::from(ErrorKind::UnexpectedEof));
        }
        self.end += bytes;
        Ok(())
    }
}

/// Lets the system end a connection whose other side is gone without a word, within seconds.
fn notice_death(stream: &TcpStream) -> Result<()> {
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, KEEPALIVE_IDLE)?;
    sockopt::set_tcp_keepintvl(stream, KEEPALIVE_EVERY)?;
    sockopt::set_tcp_keepcnt(stream, KEEPALIVE_PROBES)?;
    sockopt::set_tcp_user_timeout(stream, UNACKNOWLEDGED_MS)?;
    Ok(())
}

/// Why a connection broke or did not come about, in words that many failures share.
pub(crate) fn broken(error: &Error) -> Cow<'static, str> {
    Cow::Borrowed(match error.kind() {
        ErrorKind::ConnectionRefused => "connection refused",
        ErrorKind::NotFound => "no server at the socket",
        ErrorKind::TimedOut => "no answer from the server",
        ErrorKind::UnexpectedEof
        | ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe => "connection lost",
        // What TLS and authentication say of the other side.
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::Other => {
            return Cow::Owned(error.to_string());
        }
        kind => return Cow::Owned(format!("connection failed: {kind}")),
    })
}
