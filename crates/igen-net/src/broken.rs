//! Connections that broke or did not come about, in words.

use std::borrow::Cow;
use std::io::{Error, ErrorKind};

use crate::said::said;

/// What to do about a connection that did not come about; `no_socket` where there is no socket of that
/// name.
#[must_use]
pub fn remedy(error: &Error, no_socket: &'static str) -> &'static str {
    match error.kind() {
        ErrorKind::ConnectionRefused => "start the server, or correct host and port of the target",
        ErrorKind::NotFound => no_socket,
        _ => "",
    }
}

/// Why a connection broke or did not come about, in words that many failures share.
#[must_use]
pub fn broken(error: &Error) -> Cow<'static, str> {
    Cow::Borrowed(match error.kind() {
        ErrorKind::ConnectionRefused => "connection refused",
        ErrorKind::NotFound => "no server at the socket",
        ErrorKind::TimedOut => "no answer from the server",
        ErrorKind::UnexpectedEof
        | ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe => "connection lost",
        // What TLS and authentication say of the other side.
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::Other => {
            return Cow::Owned(said(error.to_string().as_bytes()));
        }
        kind => return Cow::Owned(format!("connection failed: {kind}")),
    })
}
