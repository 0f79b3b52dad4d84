//! A connection in clear or in TLS.

use std::io::{Read, Write};
use std::net::TcpStream;

use rustls::{ServerConnection, StreamOwned};

/// What is read and written, and its socket.
pub trait Channel: Read + Write {
    /// The socket.
    fn socket(&self) -> &TcpStream;
}

impl Channel for TcpStream {
    fn socket(&self) -> &TcpStream {
        self
    }
}

impl Channel for StreamOwned<ServerConnection, TcpStream> {
    fn socket(&self) -> &TcpStream {
        self.get_ref()
    }
}
