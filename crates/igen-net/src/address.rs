//! Where a server listens.

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
