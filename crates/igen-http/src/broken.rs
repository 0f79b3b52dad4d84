//! The end of a request that has no answer.

use h2::Reason;

use crate::error::Error;

/// Why there is no answer.
#[derive(Debug)]
pub struct Broken {
    /// What went wrong.
    pub error: Error,
    /// The server may not have seen the request. It may be sent again if that changes nothing.
    ///
    /// Over HTTP/1.1: the connection was closed before a byte of the answer, and had rested for so long that the
    /// server may have closed it before the request came (`may_be_closed`). Over HTTP/2 the server cannot have seen
    /// the request: refused, above the last stream of an orderly GOAWAY (`NO_ERROR`), or no byte of it sent. A GOAWAY
    /// with another code reports a fault, or a server that wants less: to ask again would hide the first and
    /// burden the second.
    pub unseen: bool,
}

/// A server closes a connection that has rested for this long, and is not at fault.
const RESTS_FROM_NS: u64 = 100_000_000;
/// Keep-alive times are announced in whole seconds, and count from when the server has sent its answer.
const ANNOUNCED_WITHIN_NS: u64 = 1_000_000_000;

/// True if a server may have closed a connection that has rested for `rested_ns`. A server that announces for how
/// long it keeps a connection (`keep_alive_s`) keeps it for that long.
pub(crate) fn may_be_closed(rested_ns: u64, keep_alive_s: Option<u16>) -> bool {
    let kept_ns = u64::from(keep_alive_s.unwrap_or(0)) * 1_000_000_000;
    rested_ns >= RESTS_FROM_NS.max(kept_ns.saturating_sub(ANNOUNCED_WITHIN_NS))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_stale_only_after_a_rest_that_lasts_as_long_as_announced() {
        const MS: u64 = 1_000_000;
        for (rested_ms, keep_alive_s, closed) in [
            (0, None, false),
            (99, None, false),
            (100, None, true),
            (99, Some(0), false),
            (100, Some(1), true),
            (100, Some(5), false),
            (3_999, Some(5), false),
            (4_000, Some(5), true),
            (u64::MAX / MS, Some(u16::MAX), true),
        ] {
            let found = may_be_closed(rested_ms * MS, keep_alive_s);
            assert_eq!(found, closed, "{rested_ms} ms, {keep_alive_s:?} s");
        }
    }
}
