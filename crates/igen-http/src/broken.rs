//! The end of a request that has no answer.

use h2::Reason;

use crate::error::Error;

/// Why there is no answer.
#[derive(Debug)]
pub struct Broken {
    /// What went wrong.
    pub error: Error,
    /// The connection was closed before a byte of the answer: where it had been kept, perhaps before the server has
    /// seen the request.
    pub unanswered: bool,
}

impl Broken {
    /// The server has refused the request and goes on with the connection.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.unanswered && matches!(self.error, Error::Reset(_))
    }
}

impl From<Error> for Broken {
    /// The end of a request over HTTP/2 whose answer had not begun.
    fn from(error: Error) -> Self {
        // What is refused was not begun (RFC 9113, section 8.7).
        let unanswered = match &error {
            Error::Reset(reason) => *reason == Reason::REFUSED_STREAM,
            Error::GoneAway(reason) => *reason == Reason::NO_ERROR,
            error => error.is_end(),
        };
        Self { error, unanswered }
    }
}
