//! Addresses of servers: a port or a Unix socket.

use std::fmt;
use std::io::Result;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};

use igen_job::JobError;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};

/// Address of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listen {
    /// An address and a port; port 0 is one that is free.
    Tcp(String),
    /// A Unix socket.
    Unix(PathBuf),
}

impl std::str::FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text.rsplit_once(':') {
            _ if text.contains('/') => Ok(Self::Unix(text.into())),
            Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => {
                Ok(Self::Tcp(text.to_owned()))
            }
            _ => Err("use HOST:PORT, such as 127.0.0.1:8080, or the path of a socket".to_owned()),
        }
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => formatter.write_str(address),
            Self::Unix(path) => path.display().fmt(formatter),
        }
    }
}

/// Listening socket; dropping it removes the file of a Unix socket.
pub enum Listener {
    /// On a port.
    Tcp(TcpListener),
    /// On a Unix socket.
    Unix(UnixListener, PathBuf),
}

impl Listener {
    /// Listens from now on.
    pub async fn bind(listen: &Listen) -> std::result::Result<Self, JobError> {
        let bound = match listen {
            Listen::Tcp(address) => TcpListener::bind(address).await.map(Self::Tcp),
            Listen::Unix(path) => {
                remove_socket(path);
                UnixListener::bind(path).map(|listener| Self::Unix(listener, path.clone()))
            }
        };
        bound.map_err(|error| {
            JobError::at("--listen", format!("cannot listen on {listen}: {error}"))
                .hint("use another address, or stop the program that listens there")
        })
    }

    /// Returns the address at which it listens.
    pub fn address(&self) -> String {
        match self {
            Self::Tcp(listener) => listener
                .local_addr()
                .map_or_else(|_| String::new(), |address| address.to_string()),
            Self::Unix(_, path) => path.display().to_string(),
        }
    }

    /// The next client.
    pub async fn accept(&self) -> Result<Connection> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // An answer is not held back until the client has acknowledged the one before it.
                stream.set_nodelay(true)?;
                Ok(Connection::Tcp(stream))
            }
            Self::Unix(listener, _) => Ok(Connection::Unix(listener.accept().await?.0)),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Self::Unix(_, path) = self {
            remove_socket(path);
        }
    }
}

/// Removes the socket that a server left behind; nothing else.
fn remove_socket(path: &Path) {
    let is_socket = path
        .symlink_metadata()
        .is_ok_and(|found| found.file_type().is_socket());
    if is_socket {
        // Binding says what is wrong.
        let _ = std::fs::remove_file(path);
    }
}

/// A connection of a client.
pub enum Connection {
    /// Over TCP.
    Tcp(TcpStream),
    /// Over a Unix socket.
    Unix(UnixStream),
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Unix(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Unix(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[std::io::IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write_vectored(context, pieces),
            Self::Unix(stream) => Pin::new(stream).poll_write_vectored(context, pieces),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_flush(context),
            Self::Unix(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
