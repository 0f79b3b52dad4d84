//! The end of a request that has no answer.

use h2::Reason;

use crate::error::Error;

/// Why there is no answer.
#[derive(Debug)]
pub struct Broken {
    /// What went wrong.
    pub error: Error,
    /// The server may not have seen the request, so that it may be asked once more where that changes nothing.
    ///
    /// Over HTTP/1.1 a connection that was closed before a byte of the answer: what was kept may have been closed
    /// before the request came. Over HTTP/2 the server cannot have seen it: refused, above the last stream of an
    /// orderly GOAWAY (`NO_ERROR`), or no byte of it sent. One with another code tells of a fault, or of a
    /// server that wants less: to ask again would hide the one and burden the other.
    pub unseen: bool,
}

impl Broken {
    /// The server has refused the request and goes on with the connection.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.unseen && matches!(self.error, Error::Reset(_))
    }

    /// The end of a request over HTTP/2 whose answer had not begun. Where bytes have been `sent` since it was put
    /// together, it may be among them.
    pub(crate) fn before_answer(error: Error, sent: bool) -> Self {
        let unseen = match &error {
            // What is refused was not begun (RFC 9113, section 8.7).
            Error::Reset(reason) => *reason == Reason::REFUSED_STREAM,
            // Told only to what is above the last stream.
            Error::GoneAway(reason) => *reason == Reason::NO_ERROR,
            error => error.is_end() && !sent,
        };
        Self { error, unseen }
    }

    /// The end of a request that the server has seen, or that was not sent for a reason of its own.
    pub(crate) fn seen(error: Error) -> Self {
        Self {
            error,
            unseen: false,
        }
    }
}
