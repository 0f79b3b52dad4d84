//! The version of HTTP that a client speaks who has agreed on none: told by its first bytes.

use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};

/// What a client of HTTP/2 says first (RFC 9113, section 3.4).
const PREFACE: [u8; 24] = *b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A connection whose first bytes were looked at; they are read again.
pub struct Opened<S> {
    stream: S,
    begin: [u8; PREFACE.len()],
    /// What is still to be read again is `begin[start..end]`.
    start: usize,
    end: usize,
}

impl<S: AsyncRead + Unpin> Opened<S> {
    /// Waits for as many bytes as tell the versions apart; whether the client speaks HTTP/2.
    pub async fn new(mut stream: S) -> Result<(Self, bool)> {
        let (mut begin, mut end) = ([0; PREFACE.len()], 0);
        while end < PREFACE.len() && begin[..end] == PREFACE[..end] {
            match stream.read(&mut begin[end..]).await? {
                0 => break,
                read => end += read,
            }
        }
        let opened = Self {
            stream,
            begin,
            start: 0,
            end,
        };
        Ok((opened, begin == PREFACE))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Opened<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let this = self.get_mut();
        if this.start == this.end {
            return Pin::new(&mut this.stream).poll_read(context, buffer);
        }
        let bytes = buffer.remaining().min(this.end - this.start);
        buffer.put_slice(&this.begin[this.start..this.start + bytes]);
        this.start += bytes;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Opened<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use tokio::io::{AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn the_first_bytes_tell_the_version_and_are_read_again() {
        for (said, expected) in [
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0", true),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\r", false),
            ("PRI * HTTP/2.0\r\n", false),
            ("PROPFIND / HTTP/1.1\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n", false),
            ("", false),
        ] {
            // As whole as it comes, and byte by byte.
            for room in [64, 1] {
                let (mut client, server) = duplex(room);
                let says = async {
                    client.write_all(said.as_bytes()).await.unwrap();
                    drop(client);
                };
                let hears = async {
                    let (mut opened, is_http2) = Opened::new(server).await.unwrap();
                    let mut heard = String::new();
                    opened.read_to_string(&mut heard).await.unwrap();
                    (heard, is_http2)
                };
                let (heard, ()) = tokio::join!(hears, says);
                assert_eq!(heard, (said.to_owned(), expected));
            }
        }
    }
}
