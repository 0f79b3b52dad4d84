//! Where a server listens.

use std::io::Result;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// At a port of a host.
    Tcp {
        /// Its name or address.
        host: String,
        /// The port.
        port: u16,
    },
    /// At a socket of this host.
    Unix(PathBuf),
}

impl Address {
    /// Looks the host up, which may take seconds: once for all connections of a load, so that no name server
    /// is part of what is measured. Empty for a Unix socket.
    pub fn look_up(&self) -> Result<Vec<SocketAddr>> {
        match self {
            Self::Tcp { host, port } => Ok((host.as_str(), *port).to_socket_addrs()?.collect()),
            Self::Unix(_) => Ok(Vec::new()),
        }
    }
}
