//! A connection under TLS, which keeps its sessions with its user.

use std::future::poll_fn;
use std::io::{IoSlice, Result};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::ClientConnection;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::own_sessions::{OwnSessions, with_sessions};
use crate::tls::Tls;

/// A connection under TLS.
pub(crate) struct Encrypted {
    stream: TlsStream<TcpStream>,
    /// What its user could resume; `None` where all share theirs.
    sessions: Option<Arc<OwnSessions>>,
}

impl Encrypted {
    /// Negotiates TLS with the server of that name, as `tls` asks for.
    pub(crate) async fn connect(
        stream: TcpStream,
        name: ServerName<'static>,
        tls: &Tls,
    ) -> Result<Self> {
        let (connector, mut sessions) = (tls.connector()?, tls.sessions().cloned());
        let connecting = with_sessions(&mut sessions, || connector.connect(name, stream));
        let mut connecting = pin!(connecting);
        let connected =
            poll_fn(|context| with_sessions(&mut sessions, || connecting.as_mut().poll(context)));
        let stream = connected.await?;
        Ok(Self { stream, sessions })
    }

    /// What was negotiated.
    pub(crate) fn session(&self) -> &ClientConnection {
        self.stream.get_ref().1
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let Self { stream, sessions } = &mut *self;
        // A server gives out sessions whenever it likes to.
        with_sessions(sessions, || Pin::new(stream).poll_read(context, buffer))
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
