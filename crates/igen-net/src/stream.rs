//! A connection to a server as bytes: TCP, a Unix socket, either of them under TLS. One buffer each
//! way, used again and again, so that a round trip is one write, one wait and one read.

use std::future::{Future, poll_fn};
use std::io::{Error, ErrorKind, Result};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use igen_job::fact::Declared;
use igen_job::facts;
use rustls::HandshakeKind;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::Semaphore;

use crate::address::Address;
use crate::bounds::longest;
use crate::encrypted::Encrypted;
use crate::endpoint::Endpoint;
use crate::patience::Patience;
use crate::ring::{self, Connected, Sharing, Socket};
use crate::tcp;
use crate::tls::Tls;
use crate::transport::{Traffic, Transport, TransportIo};

/// Holds what most answers take; grows for those that take more.
const INPUT_BYTES: usize = 4 * 1024;
/// Holds most requests; grows for longer ones.
const OUTPUT_BYTES: usize = 1024;

/// Time that a server has to say that it has ended a statement.
pub const GRACE: Duration = Duration::from_secs(1);
/// A message must be there whole this long after its begin. Silence is limited otherwise: this is for who
/// sends a byte now and then.
const LONGEST_MESSAGE: Duration = Duration::from_secs(30);

/// So many connections to servers are made at once. A server makes them one after another: the last of
/// thousands would wait longer for its turn than a connection may take.
pub static CONNECTING: Semaphore = Semaphore::const_new(64);

/// A connection. Append to `output`, `flush`, then `fill` until `input` holds the answer.
pub struct Stream {
    io: Io,
    /// The server is on this host.
    local: bool,
    /// By a way that does not leave this host.
    loopback: bool,
    output: Vec<u8>,
    input: Vec<u8>,
    /// The unread bytes are `input[start..end]`.
    start: usize,
    end: usize,
    /// When the first wait for the rest of a message began, of which a part is there.
    incomplete_since: Option<Instant>,
    patience: Patience,
    /// While it would share its system calls.
    sharing: Option<Sharing>,
    /// The buffers were given back.
    parked: bool,
}

enum Io {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<Encrypted>),
    /// Together with others of the thread.
    Ring(Socket),
    /// While TLS is being negotiated, and for good where that failed.
    Closed,
    /// For fuzz targets: bytes that were received, and the largest number for one read.
    #[cfg(feature = "testing")]
    Given(std::collections::VecDeque<u8>, usize),
}

impl Stream {
    /// Connects within `limit`.
    pub async fn connect(address: &Address, limit: Duration) -> Result<Self> {
        let connect = async || -> Result<Io> {
            match address {
                Address::Tcp { .. } => tcp::connect(&address.found().await?).await.map(Io::Tcp),
                Address::Unix(path) => Ok(Io::Unix(UnixStream::connect(path).await?)),
            }
        };
        Self::within(limit, connect()).await
    }

    /// Connects within `limit` to the first of these addresses at which a server listens.
    pub async fn connect_to(addresses: &[SocketAddr], limit: Duration) -> Result<Self> {
        let connect = async { tcp::connect(addresses).await.map(Io::Tcp) };
        Self::within(limit, connect).await
    }

    async fn within(limit: Duration, connect: impl Future<Output = Result<Io>>) -> Result<Self> {
        let io = tokio::time::timeout(limit, connect)
            .await
            .map_err(|_| Error::from(ErrorKind::TimedOut))??;
        let (local, loopback) = match &io {
            Io::Tcp(stream) => {
                let (peer, own) = (stream.peer_addr()?.ip(), stream.local_addr()?.ip());
                (peer == own || peer.is_loopback(), peer.is_loopback())
            }
            _ => (true, true),
        };
        Ok(Self::over(io, local, loopback))
    }

    fn over(io: Io, local: bool, loopback: bool) -> Self {
        Self {
            io,
            local,
            loopback,
            output: Vec::with_capacity(OUTPUT_BYTES),
            input: vec![0; INPUT_BYTES],
            start: 0,
            end: 0,
            incomplete_since: None,
            patience: Patience::default(),
            sharing: None,
            parked: false,
        }
    }

    /// Returns a connection to a server that sends `bytes`, at most `piece` of them for each read, and closes.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn given(bytes: &[u8], piece: usize) -> Self {
        Self::over(
            Io::Given(bytes.iter().copied().collect(), piece),
            true,
            true,
        )
    }

    /// Goes on under TLS. Nothing may have been received that was not consumed.
    pub async fn encrypt(&mut self, endpoint: &Endpoint) -> Result<()> {
        match &endpoint.address {
            Address::Tcp { host, .. } => self.encrypt_for(host, &endpoint.tls).await,
            Address::Unix(_) => Err(Error::other("a Unix socket does not support TLS")),
        }
    }

    /// Goes on under TLS with the server of that name, as `tls` asks for. Nothing may have been received that
    /// was not consumed.
    pub async fn encrypt_for(&mut self, host: &str, tls: &Tls) -> Result<()> {
        let name = host.to_owned().try_into().map_err(Error::other)?;
        let Io::Tcp(stream) = std::mem::replace(&mut self.io, Io::Closed) else {
            return Err(Error::from(ErrorKind::NotConnected));
        };
        self.io = Io::Tls(Box::new(Encrypted::connect(stream, name, tls).await?));
        Ok(())
    }

    /// Returns true if the TLS session goes on where an earlier connection has left it, so that the server had less
    /// to do.
    #[must_use]
    pub fn is_resumed(&self) -> bool {
        let Io::Tls(stream) = &self.io else {
            return false;
        };
        stream.session().handshake_kind() == Some(HandshakeKind::Resumed)
    }

    /// Returns the protocol that both sides agreed on under TLS (ALPN), if they did.
    #[must_use]
    pub fn protocol(&self) -> Option<&[u8]> {
        let Io::Tls(stream) = &self.io else {
            return None;
        };
        stream.session().alpn_protocol()
    }

    /// Leaves it to a protocol that frames its own messages; what goes over it is added to `traffic`. Nothing may
    /// have been received yet, and it may not share its system calls.
    pub fn into_transport(self, traffic: Rc<Traffic>) -> Result<Transport> {
        let io = match self.io {
            Io::Tcp(stream) => TransportIo::Tcp(stream),
            Io::Tls(stream) => TransportIo::Tls(stream),
            _ => return Err(Error::from(ErrorKind::NotConnected)),
        };
        Ok(Transport::new(io, traffic))
    }

    /// Gives the memory of both buffers back until the next message, while nothing is under way: for a
    /// connection of which nobody wants anything for some milliseconds. Does nothing where something is.
    pub fn park(&mut self) {
        if self.input.is_empty() || self.start < self.end || !self.output.is_empty() {
            return;
        }
        if let Io::Ring(socket) = &self.io {
            socket.park();
        }
        (self.input, self.output) = (Vec::new(), Vec::new());
        (self.start, self.end) = (0, 0);
        self.parked = true;
    }

    /// Lets one read take up to so many bytes: for an answer of which much is still to come.
    pub fn make_room(&mut self, bytes: usize) {
        if self.input.len() < bytes && !self.input.is_empty() {
            self.input.resize(bytes, 0);
        }
    }

    /// Returns true if nobody between here and the server can read along.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.loopback || matches!(self.io, Io::Tls(_))
    }

    /// From now on shares its system calls with others of the current thread, which must run a
    /// `LocalRuntime`; goes on alone until there are others, under TLS, or where the system has no `io_uring`.
    pub fn join_ring(&mut self) -> Result<()> {
        self.sharing = Some(Sharing::begin());
        self.enter_ring()
    }

    /// Enters the ring if there are others to share it with: for one connection it is the longer way
    /// (docs/adr/0016-client-io.md).
    fn enter_ring(&mut self) -> Result<()> {
        if !self.sharing.as_ref().is_some_and(Sharing::has_others) {
            return Ok(());
        }
        let socket = match std::mem::replace(&mut self.io, Io::Closed) {
            Io::Tcp(stream) => Connected::Tcp(stream.into_std()?),
            Io::Unix(stream) => Connected::Unix(stream.into_std()?),
            other => {
                self.io = other;
                return Ok(());
            }
        };
        self.io = match Socket::new(socket) {
            Ok(socket) => {
                self.io = Io::Ring(socket);
                return Ok(());
            }
            Err(Connected::Tcp(stream)) => Io::Tcp(TcpStream::from_std(stream)?),
            Err(Connected::Unix(stream)) => Io::Unix(UnixStream::from_std(stream)?),
        };
        // It would be asked for at each output.
        self.sharing = None;
        Ok(())
    }

    /// Returns facts about the connection to the server, with their values.
    #[must_use]
    pub fn facts(&self) -> [(&'static Declared, String); 4] {
        let tls = self.tls();
        let client_io = if tls.is_none() && ring::is_available() {
            "io_uring (epoll for one connection a thread)"
        } else {
            "epoll"
        };
        [
            (
                &facts::TARGET_PLACEMENT,
                if self.local {
                    "console/server"
                } else {
                    "client/server"
                }
                .to_owned(),
            ),
            (
                &facts::TARGET_TRANSPORT,
                if matches!(self.io, Io::Unix(_)) {
                    "Unix socket"
                } else {
                    "TCP"
                }
                .to_owned(),
            ),
            (&facts::TARGET_TLS, tls.unwrap_or_else(|| "none".to_owned())),
            (&facts::TARGET_CLIENT_IO, client_io.to_owned()),
        ]
    }

    /// Version and cipher of TLS; `None` without.
    fn tls(&self) -> Option<String> {
        let Io::Tls(stream) = &self.io else {
            return None;
        };
        let session = stream.session();
        let version = session.protocol_version()?.as_str()?;
        let cipher = session.negotiated_cipher_suite()?.suite();
        Some(format!("{version}, {}", cipher.as_str()?))
    }

    /// Returns the buffer for the next message.
    #[inline]
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.output
    }

    /// From now on waits no longer than `limit` for a server that says nothing; then the output or
    /// input fails with `TimedOut`. Without `limit` for ever.
    pub fn limit_silence(&mut self, limit: Option<Duration>) -> Result<()> {
        self.patience.limit(limit)
    }

    /// Sends the output.
    pub async fn flush(&mut self) -> Result<()> {
        if matches!(self.io, Io::Tcp(_) | Io::Unix(_)) {
            self.enter_ring()?;
        }
        let (output, patience) = (&mut self.output, &mut self.patience);
        match &mut self.io {
            Io::Tcp(stream) => patience.wait(stream.write_all(output)).await?,
            Io::Unix(stream) => patience.wait(stream.write_all(output)).await?,
            Io::Tls(stream) => {
                patience.wait(stream.write_all(output)).await?;
                patience.wait(stream.flush()).await?;
            }
            Io::Ring(socket) => {
                let send = poll_fn(|context| socket.poll_send(context, output));
                return patience.wait(send).await;
            }
            Io::Closed => return Err(Error::from(ErrorKind::NotConnected)),
            #[cfg(feature = "testing")]
            Io::Given(..) => (),
        }
        self.output.clear();
        Ok(())
    }

    /// Sends the output as far as that takes no waiting, before the connection is closed: for what
    /// nobody answers. Says nothing under TLS, or where something else is still being sent.
    pub fn last_words(&mut self) {
        let _ = match &self.io {
            Io::Tcp(stream) => stream.try_write(&self.output).map(|_| ()),
            Io::Unix(stream) => stream.try_write(&self.output).map(|_| ()),
            Io::Ring(socket) => socket.last_words(&self.output),
            _ => Ok(()),
        };
    }

    /// Returns the bytes that were received and not yet consumed.
    #[inline]
    #[must_use]
    pub fn input(&self) -> &[u8] {
        // Not there after a wait that was given up.
        self.input.get(self.start..self.end).unwrap_or_default()
    }

    /// Takes `bytes` bytes off the input.
    #[inline]
    pub fn consume(&mut self, bytes: usize) {
        self.start = (self.start + bytes).min(self.end);
        self.incomplete_since = None;
    }

    /// Waits for more input; an error of kind `UnexpectedEof` when the server has closed, `TimedOut` when it
    /// takes too long for a message that it has begun.
    pub async fn fill(&mut self) -> Result<()> {
        if self.fill_or_end().await? {
            return Ok(());
        }
        Err(Error::from(ErrorKind::UnexpectedEof))
    }

    /// The same where the end of the connection may be that of a message: `false` when the server has closed.
    /// Under TLS it must have said so, or else somebody may have cut the message off.
    pub async fn fill_or_end(&mut self) -> Result<bool> {
        if self.start < self.end {
            let since = *self.incomplete_since.get_or_insert_with(Instant::now);
            if since.elapsed() > longest(LONGEST_MESSAGE) {
                return Err(Error::from(ErrorKind::TimedOut));
            }
        }
        if self.parked {
            self.parked = false;
            self.input = vec![0; INPUT_BYTES];
        }
        if self.input.is_empty() {
            // The ring has it, after a wait that was given up.
        } else if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.end == self.input.len() {
            if self.start > 0 {
                self.input.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
            } else {
                self.input.resize(2 * self.input.len(), 0);
            }
        }
        let (input, end, patience) = (&mut self.input, self.end, &mut self.patience);
        let bytes = match &mut self.io {
            Io::Tcp(stream) => patience.wait(stream.read(&mut input[end..])).await?,
            Io::Unix(stream) => patience.wait(stream.read(&mut input[end..])).await?,
            Io::Tls(stream) => patience.wait(stream.read(&mut input[end..])).await?,
            Io::Ring(socket) => {
                let receive = poll_fn(|context| socket.poll_receive(context, input, end));
                patience.wait(receive).await?
            }
            Io::Closed => return Err(Error::from(ErrorKind::NotConnected)),
            #[cfg(feature = "testing")]
            Io::Given(given, piece) => {
                let room = input.len().min(end.saturating_add(*piece));
                std::io::Read::read(given, &mut input[end..room])?
            }
        };
        self.end += bytes;
        Ok(bytes > 0)
    }
}

#[cfg(test)]
mod tests;
