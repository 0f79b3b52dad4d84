//! Texts and remedies for failed connections.

use std::fmt;
use std::io::{Error, ErrorKind};

use igen_job::{FailureKind, Reason};
use rustix::io::Errno;

use crate::said::said;
use crate::tls_fault::TlsFault;

/// Text for a host name that the name servers do not know.
pub const UNKNOWN_HOST: &str = "unknown host name";
/// Remedy for an unknown host name.
pub const UNKNOWN_HOST_REMEDY: &str =
    "correct the host of the target, or add it to the name server";

/// The name of a host that no name server knows.
#[derive(Debug)]
struct UnknownHost;

impl fmt::Display for UnknownHost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(UNKNOWN_HOST)
    }
}

impl std::error::Error for UnknownHost {}

/// A look-up that failed, of which the system has no kind of its own.
pub(crate) fn unknown_host(_: Error) -> Error {
    Error::other(UnknownHost)
}

/// Returns the remedy for a failed connection; `no_socket` if the socket does not exist.
#[must_use]
pub fn remedy(error: &Error, no_socket: &'static str) -> &'static str {
    if is_unknown_host(error) {
        return UNKNOWN_HOST_REMEDY;
    }
    if let Some(fault) = TlsFault::of(error) {
        return fault.remedy();
    }
    match error.kind() {
        ErrorKind::ConnectionRefused => "start the server, or correct host and port of the target",
        ErrorKind::NotFound => no_socket,
        _ => "",
    }
}

/// Returns the reason why a connection failed, with a text that many failures share.
#[must_use]
pub fn broken(error: &Error) -> Reason {
    use FailureKind::{Lost, Other, Protocol, Refused, Silent};
    match Errno::from_io_error(error) {
        Some(Errno::MFILE) => return Reason::new(Other, "too many open files (`ulimit -n`)"),
        Some(Errno::NFILE) => return Reason::new(Other, "too many open files (`fs.file-max`)"),
        _ => (),
    }
    if is_unknown_host(error) {
        return Reason::new(Refused, UNKNOWN_HOST);
    }
    if let Some(fault) = TlsFault::of(error) {
        return fault.reason();
    }
    match error.kind() {
        ErrorKind::ConnectionRefused => Reason::new(Refused, "connection refused"),
        ErrorKind::NotFound => Reason::new(Refused, "no server listens on the socket"),
        ErrorKind::HostUnreachable => Reason::new(Refused, "host unreachable"),
        ErrorKind::NetworkUnreachable => Reason::new(Refused, "network unreachable"),
        ErrorKind::AddrNotAvailable => {
            Reason::new(Other, "no free local port (`net.ipv4.ip_local_port_range`)")
        }
        ErrorKind::TimedOut => Reason::new(Silent, "no answer from the server"),
        ErrorKind::UnexpectedEof
        | ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe => Reason::new(Lost, "connection lost"),
        // What TLS and authentication say of the other side.
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::Other => {
            Reason::new(Protocol, said(error.to_string().as_bytes()))
        }
        kind => Reason::new(Other, format!("connection failed: {kind}")),
    }
}

fn is_unknown_host(error: &Error) -> bool {
    error
        .get_ref()
        .is_some_and(<dyn std::error::Error + Send + Sync>::is::<UnknownHost>)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_too_much_of_is_told_with_what_says_how_much_there_may_be() {
        for (errno, says) in [
            (Errno::MFILE, "`ulimit -n`"),
            (Errno::NFILE, "file-max"),
            (Errno::ADDRNOTAVAIL, "ip_local_port_range"),
        ] {
            assert!(broken(&errno.into()).text.contains(says), "{errno:?}");
        }
    }

    #[test]
    fn a_name_that_nobody_knows_is_told_with_what_to_do() {
        let error = unknown_host(ErrorKind::NotFound.into());
        assert_eq!(broken(&error).text, "unknown host name");
        assert!(remedy(&error, "").starts_with("correct the host"));
    }
}
