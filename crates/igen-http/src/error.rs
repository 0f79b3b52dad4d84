//! What goes wrong on a connection, as the reason of a failed transaction and as an error of a job.

use std::io::{self, ErrorKind};

use igen_engine::Failure;
use igen_job::{FailureKind, JobError, Reason};
use igen_net::{UNKNOWN_HOST, UNKNOWN_HOST_REMEDY, broken, remedy};

/// Error of a connection, which cannot be used after it.
#[derive(Debug)]
pub enum Error {
    /// The connection broke or did not come about.
    Connection(io::Error),
    /// The name of the server is not known.
    UnknownHost,
    /// The server closed the connection without a byte of an answer.
    Closed,
    /// The server closed the connection in the middle of an answer.
    CutOff,
    /// No complete answer in time.
    TimedOut,
    /// The data received are not an answer, or more than one.
    Protocol(&'static str),
    /// The body is longer than asked for.
    TooLong,
    /// The server ended this request's stream (`RST_STREAM`).
    Reset(h2::Reason),
    /// The server ended the connection (`GOAWAY`).
    GoneAway(h2::Reason),
    /// The data received are not HTTP/2, or violate its rules.
    Violation(h2::Reason),
}

/// The answer of a server that speaks TLS to one that does not.
pub(crate) const IS_TLS: &str = "the server expects TLS on this port";
/// Servers that speak another version of HTTP than is asked for.
pub(crate) const IS_HTTP2: &str = "the server expects HTTP/2 on this port";
pub(crate) const IS_HTTP1: &str = "the server does not support HTTP/2 on this port";

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::TimedOut => Self::TimedOut,
            _ => Self::Connection(error),
        }
    }
}

impl Error {
    /// Returns true if the server, or the system in its name, has closed the connection.
    pub(crate) fn is_end(&self) -> bool {
        match self {
            Self::Closed => true,
            Self::Connection(error) => matches!(
                error.kind(),
                ErrorKind::UnexpectedEof
                    | ErrorKind::ConnectionReset
                    | ErrorKind::ConnectionAborted
                    | ErrorKind::BrokenPipe
            ),
            _ => false,
        }
    }

    /// Returns the reason why there is no right answer: many failures share it.
    #[must_use]
    pub fn reason(&self) -> Reason {
        use FailureKind::{Check, Lost, Other, Protocol, Refused, Silent};
        match self {
            Self::Connection(error) => broken(error),
            Self::UnknownHost => Reason::new(Refused, UNKNOWN_HOST),
            Self::Closed => Reason::new(Lost, "connection closed without an answer"),
            Self::CutOff => Reason::new(Lost, "connection closed in the middle of the answer"),
            Self::TimedOut => Reason::new(Silent, "no complete answer in time"),
            Self::Protocol(what) => Reason::new(Protocol, *what),
            Self::TooLong => Reason::new(Check, "a body of more than max_bytes"),
            Self::Reset(why) => {
                let kind = match *why {
                    h2::Reason::REFUSED_STREAM | h2::Reason::ENHANCE_YOUR_CALM => Refused,
                    _ => Other,
                };
                Reason::new(kind, format!("the server ended the stream: {why:?}"))
            }
            Self::GoneAway(why) => {
                Reason::new(Lost, format!("the server ended the connection: {why:?}"))
            }
            Self::Violation(why) => Reason::new(Protocol, format!("malformed answer: {why:?}")),
        }
    }

    /// Returns the failure of a transaction. The user continues with another connection.
    #[must_use]
    pub fn failure(&self) -> Failure {
        self.reason().into()
    }

    /// Returns the error of a job, about the server at `place`.
    #[must_use]
    pub fn job_error(&self, place: &str) -> JobError {
        JobError::new(format!("{place}: {}", self.reason())).hint(self.remedy())
    }

    fn remedy(&self) -> &'static str {
        match self {
            Self::Connection(error) => match error.kind() {
                ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => {
                    "correct the target, or the routes of this machine: the host cannot be reached"
                }
                ErrorKind::AddrNotAvailable => {
                    "use fewer users, or keep connections open; /proc/sys/net/ipv4/ip_local_port_range has the range of ports"
                }
                _ => remedy(error, ""),
            },
            Self::UnknownHost => UNKNOWN_HOST_REMEDY,
            Self::TimedOut => {
                "is the server overloaded, or behind a firewall? A larger timeout_s waits longer"
            }
            Self::TooLong => "raise expect.max_bytes if the answer is meant to be this long",
            Self::Protocol(IS_TLS) => "use https://",
            Self::Protocol(IS_HTTP2) => "use protocol=h2",
            Self::Protocol(IS_HTTP1) => "use protocol=http/1.1, or enable h2 on the server",
            Self::Closed
            | Self::CutOff
            | Self::Protocol(_)
            | Self::Reset(_)
            | Self::GoneAway(_)
            | Self::Violation(_) => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_refuses_has_words_and_a_remedy() {
        for (kind, text, hint) in [
            (ErrorKind::HostUnreachable, "host unreachable", "routes"),
            (
                ErrorKind::NetworkUnreachable,
                "network unreachable",
                "routes",
            ),
            (
                ErrorKind::AddrNotAvailable,
                "no free local port",
                "port_range",
            ),
            (ErrorKind::ConnectionRefused, "connection refused", "start"),
        ] {
            let error = Error::from(io::Error::from(kind)).job_error("web.lab");
            assert!(error.text.starts_with("web.lab: "), "{error}");
            assert!(error.text.contains(text), "{error}");
            assert!(error.hint.contains(hint), "{error}");
        }
    }
}
