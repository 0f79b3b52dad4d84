//! What goes wrong with a request, in the words that HTTP/1.1 has for it, or in those of the protocol.

use std::io::ErrorKind;

use crate::error::Error;

/// What `h2` says, of a request whose answer had begun or not.
pub(super) fn error(fault: h2::Error, has_begun: bool) -> Error {
    match fault.reason() {
        Some(reason) if fault.is_remote() && fault.is_reset() => Error::Reset(reason),
        Some(reason) if fault.is_remote() => Error::GoneAway(reason),
        Some(reason) => Error::Violation(reason),
        None => match fault.into_io() {
            Some(io) => match io.kind() {
                ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof if has_begun => Error::CutOff,
                ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof => Error::Closed,
                _ => io.into(),
            },
            None => Error::Protocol("the request cannot be sent over HTTP/2"),
        },
    }
}
