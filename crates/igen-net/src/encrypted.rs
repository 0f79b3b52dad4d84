//! A connection under TLS, which keeps its sessions with its user.
//!
//! All connections of a thread read and encrypt in the same two places, so that one of thousands that waits for its
//! next request has no buffer: what it keeps is the begin of a record whose rest is still to come, and what its
//! owner has not asked for yet.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use rustls::CommonState;
use rustls::client::UnbufferedClientConnection;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::own_sessions::{OwnSessions, with_sessions};
use crate::records::{Records, encrypt};
use crate::tls::Tls;

/// So much of what a server has sent is read at once: two records of the largest size.
const READ_BYTES: usize = 32 * 1024;
/// So much is encrypted before any of it is sent.
const MOST_WRITTEN_BYTES: usize = 64 * 1024;

thread_local! {
    /// What was read.
    static READ: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// What was encrypted.
    static WRITTEN: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A connection under TLS.
pub(crate) struct Encrypted {
    connection: Connection,
    /// What its user could resume; `None` where all share theirs.
    sessions: Option<Arc<OwnSessions>>,
}

struct Connection {
    stream: TcpStream,
    session: UnbufferedClientConnection,
    records: Records,
}

impl Encrypted {
    /// Negotiates TLS with the server of that name, as `tls` asks for.
    pub(crate) async fn connect(
        stream: TcpStream,
        name: ServerName<'static>,
        tls: &Tls,
    ) -> Result<Self> {
        let (config, mut sessions) = (tls.client_config()?, tls.sessions().cloned());
        let session = with_sessions(&mut sessions, || {
            UnbufferedClientConnection::new(config, name)
        });
        let mut connection = Connection {
            stream,
            session: session.map_err(Error::other)?,
            records: Records::default(),
        };
        poll_fn(|context| with_sessions(&mut sessions, || connection.poll_negotiate(context)))
            .await?;
        Ok(Self {
            connection,
            sessions,
        })
    }

    /// What was negotiated.
    pub(crate) fn session(&self) -> &CommonState {
        &self.connection.session
    }
}

impl Connection {
    fn poll_negotiate(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        let nobody = &mut ReadBuf::new(&mut []);
        loop {
            let negotiated = self.records.advance(&mut self.session, nobody);
            let sent = self.poll_send(context);
            negotiated?;
            ready!(sent)?;
            if !self.session.is_handshaking() {
                return Poll::Ready(Ok(()));
            }
            ready!(self.poll_receive(context, nobody))?;
        }
    }

    /// Reads once, and decrypts what is there whole: into `buffer` as far as it fits.
    fn poll_receive(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        READ.with_borrow_mut(|place| {
            let kept = self.records.begun();
            place.resize(place.len().max(kept.len() + READ_BYTES), 0);
            let (begun, rest) = place.split_at_mut(kept.len());
            begun.copy_from_slice(kept);
            let mut read = ReadBuf::new(rest);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut read))?;
            if read.filled().is_empty() {
                // Without a word of the server's that this is the end, somebody may have cut it off.
                return Poll::Ready(Err(Error::from(ErrorKind::UnexpectedEof)));
            }
            let end = kept.len() + read.filled().len();
            let received = &mut place[..end];
            let decrypted = self.records.take_in(&mut self.session, received, buffer);
            if decrypted.is_err() {
                // The server should learn why; that it does not is no second error.
                let _ = self.poll_send(context);
            }
            Poll::Ready(decrypted)
        })
    }

    /// Sends what is encrypted and was not sent.
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        while !self.records.unsent.is_empty() {
            let stream = Pin::new(&mut self.stream);
            let sent = ready!(stream.poll_write(context, &self.records.unsent))?;
            if sent == 0 {
                return Poll::Ready(Err(Error::from(ErrorKind::WriteZero)));
            }
            self.records.sent(sent);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let before = buffer.filled().len();
        self.records.hand_over(buffer);
        while buffer.filled().len() == before && buffer.remaining() > 0 && !self.records.ended {
            ready!(self.poll_receive(context, buffer))?;
            // An answer to the server, such as to new keys, waits for the next message where it must.
            if let Poll::Ready(sent) = self.poll_send(context) {
                sent?;
            }
        }
        Poll::Ready(Ok(()))
    }

    fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        ready!(self.poll_send(context))?;
        WRITTEN.with_borrow_mut(|place| {
            place.clear();
            let mut taken = 0;
            for piece in pieces {
                let most = piece.len().min(MOST_WRITTEN_BYTES - taken);
                encrypt(&mut self.session, &mut self.records, &piece[..most], place)?;
                taken += most;
            }
            let sent = match Pin::new(&mut self.stream).poll_write(context, place) {
                Poll::Ready(sent) => sent?,
                Poll::Pending => 0,
            };
            self.records.unsent.extend_from_slice(&place[sent..]);
            Poll::Ready(Ok(taken))
        })
    }

    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.records.say_end(&mut self.session)?;
        ready!(self.poll_send(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let Self {
            connection,
            sessions,
        } = &mut *self;
        // A server gives out sessions whenever it likes to.
        with_sessions(sessions, || connection.poll_read(context, buffer))
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        self.connection.poll_write(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        self.connection.poll_write(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.connection.poll_send(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.connection.poll_close(context)
    }
}

#[cfg(test)]
#[path = "encrypted_tests.rs"]
mod tests;
