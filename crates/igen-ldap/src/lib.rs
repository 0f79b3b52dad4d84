//! LDAP (RFC 4511), spoken to directly: a connection for each user, many of them on each thread.
//!
//! An operation takes one write and one read; requests are written and answers read in the buffers
//! that they are sent from and received in.

mod ber;
mod connection;
mod directory;
mod error;
mod facts;
#[cfg(feature = "testing")]
pub mod fuzz;
#[cfg(test)]
mod hostile_tests;
mod operations;
mod request;
mod response;
mod sent;
mod tree;

use std::path::PathBuf;

use igen_net::{Encryption, PathKind, Scheme, SocketOption, surroundings};

pub use connection::{Connection, SearchResult};
pub use directory::{Directory, Timeouts};
pub use operations::Operations;
pub use request::{Filter, Scope, SearchRequest};
pub use response::Entry;
pub use tree::NewEntry;

/// Schemes of its targets; the second one is TLS from the first byte on, the third a Unix socket.
pub const SCHEMES: &[&str] = &["ldap", "ldaps", "ldapi"];

const PATH: PathKind = PathKind::Name {
    what: "suffix, such as dc=example,dc=com",
    example: ("cn=admin,dc=example,dc=com", "dc=example,dc=com"),
};
const SOCKET: Option<SocketOption> = Some(SocketOption {
    name: "socket",
    path: |path, _| PathBuf::from(path),
});

const LDAP: Scheme = Scheme {
    name: "ldap",
    port: 389,
    socket: SOCKET,
    path: PATH,
    password_file: true,
    application: false,
    surroundings: surroundings::none,
    encryption: Encryption::Agreed,
};

/// The schemes of a directory's URL.
pub const TARGETS: [Scheme; 3] = [
    LDAP,
    Scheme {
        name: "ldaps",
        port: 636,
        encryption: Encryption::Always,
        ..LDAP
    },
    Scheme {
        name: "ldapi",
        encryption: Encryption::Local,
        ..LDAP
    },
];
