//! A connection as a protocol wants it that frames its own messages: bytes both ways, counted.

use std::cell::Cell;
use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::encrypted::Encrypted;

/// A connection that has no buffers of its own.
pub struct Transport {
    io: TransportIo,
    traffic: Rc<Traffic>,
}

pub(crate) enum TransportIo {
    Tcp(TcpStream),
    Tls(Box<Encrypted>),
}

/// Bytes that have gone over connections, without those of TLS.
#[derive(Debug, Default)]
pub struct Traffic {
    sent_bytes: Cell<u64>,
    received_bytes: Cell<u64>,
}

impl Traffic {
    /// Bytes sent and received since the last call.
    #[must_use]
    pub fn take(&self) -> (u64, u64) {
        (self.sent_bytes.take(), self.received_bytes.take())
    }

    /// Bytes sent since those were taken.
    #[must_use]
    pub fn sent_bytes(&self) -> u64 {
        self.sent_bytes.get()
    }
}

impl Transport {
    pub(crate) fn new(io: TransportIo, traffic: Rc<Traffic>) -> Self {
        Self { io, traffic }
    }

    fn is_sent(&self, sent: &Poll<Result<usize>>) {
        if let Poll::Ready(Ok(bytes)) = sent {
            let sent_bytes = &self.traffic.sent_bytes;
            sent_bytes.set(sent_bytes.get() + *bytes as u64);
        }
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let before = buffer.filled().len();
        let read = match &mut self.io {
            TransportIo::Tcp(stream) => Pin::new(stream).poll_read(context, buffer),
            TransportIo::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        };
        let received_bytes = &self.traffic.received_bytes;
        received_bytes.set(received_bytes.get() + (buffer.filled().len() - before) as u64);
        read
    }
}

impl AsyncWrite for Transport {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let sent = match &mut self.io {
            TransportIo::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            TransportIo::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        };
        self.is_sent(&sent);
        sent
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let sent = match &mut self.io {
            TransportIo::Tcp(stream) => Pin::new(stream).poll_write_vectored(context, pieces),
            TransportIo::Tls(stream) => Pin::new(stream).poll_write_vectored(context, pieces),
        };
        self.is_sent(&sent);
        sent
    }

    fn is_write_vectored(&self) -> bool {
        match &self.io {
            TransportIo::Tcp(stream) => stream.is_write_vectored(),
            TransportIo::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        match &mut self.io {
            TransportIo::Tcp(stream) => Pin::new(stream).poll_flush(context),
            TransportIo::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        match &mut self.io {
            TransportIo::Tcp(stream) => Pin::new(stream).poll_shutdown(context),
            TransportIo::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
