//! HTTP/1.1 (RFC 9112), spoken to directly, and HTTP/2 (RFC 9113): a connection for each user, many of them on each
//! thread.
//!
//! Requests are put together once, before the load. Of an answer only its head is looked at; its body is counted,
//! searched where that is asked for, and let go of as it comes.

#![forbid(unsafe_code)]

mod body;
mod broken;
mod channel;
mod chunked;
mod client;
mod error;
mod exchange;
#[cfg(feature = "testing")]
pub mod fuzz;
mod head;
#[cfg(test)]
mod hostile_tests;
mod http2;
mod long_body;
#[cfg(test)]
mod oracle_tests;
mod protocol;
mod reading;
mod request;
mod search;
mod site;
#[cfg(test)]
mod split_tests;
#[cfg(test)]
mod tls_session_tests;
#[cfg(test)]
mod tls_tests;

pub use broken::Broken;
pub use client::{Client, TlsSessions};
pub use error::Error;
pub use exchange::Answer;
pub use long_body::{LongBodies, LongBody};
pub use protocol::Protocol;
pub use reading::Reading;
pub use request::{Request, USER_AGENT, check_header};
pub use site::Site;

use igen_net::{Encryption, PathKind, Scheme, surroundings};

/// Schemes of its targets; the second one is TLS.
pub const SCHEMES: &[&str] = &["http", "https"];

const HTTP: Scheme = Scheme {
    name: "http",
    port: 80,
    socket: None,
    path: PathKind::Base,
    password_file: false,
    application: false,
    surroundings: surroundings::none,
    encryption: Encryption::Never("https"),
};

/// The schemes of a web server's URL.
pub const TARGETS: [Scheme; 2] = [
    HTTP,
    Scheme {
        name: "https",
        port: 443,
        encryption: Encryption::Always,
        ..HTTP
    },
];
