//! Where a server listens.

use std::io::Result;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use tokio::net::lookup_host;

use crate::broken::unknown_host;

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
            Self::Tcp { host, port } => Ok((host.as_str(), *port)
                .to_socket_addrs()
                .map_err(unknown_host)?
                .collect()),
            Self::Unix(_) => Ok(Vec::new()),
        }
    }

    /// The same, by a thread that may wait for it.
    pub(crate) async fn found(&self) -> Result<Vec<SocketAddr>> {
        match self {
            Self::Tcp { host, port } => Ok(lookup_host((host.as_str(), *port))
                .await
                .map_err(unknown_host)?
                .collect()),
            Self::Unix(_) => Ok(Vec::new()),
        }
    }
}
