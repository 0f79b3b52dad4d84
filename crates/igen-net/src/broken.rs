//! Connections that broke or did not come about, in words.

use std::borrow::Cow;
use std::fmt;
use std::io::{Error, ErrorKind};

use rustix::io::Errno;

use crate::said::said;
use crate::tls_fault::TlsFault;

/// In words: no name server knows the name of the host.
pub const UNKNOWN_HOST: &str = "the name of the host is not known";
/// What to do about that.
pub const UNKNOWN_HOST_REMEDY: &str =
    "correct the host of the target, or let the name server know it";

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

/// What to do about a connection that did not come about; `no_socket` where there is no socket of that
/// name.
#[must_use]
pub fn remedy(error: &Error, no_socket: &'static str) -> &'static str {
    let cause = error.get_ref();
    if cause
        .and_then(|cause| cause.downcast_ref::<UnknownHost>())
        .is_some()
    {
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

/// Why a connection broke or did not come about, in words that many failures share.
#[must_use]
pub fn broken(error: &Error) -> Cow<'static, str> {
    match Errno::from_io_error(error) {
        Some(Errno::MFILE) => return Cow::Borrowed("too many files are open (`ulimit -n`)"),
        Some(Errno::NFILE) => return Cow::Borrowed("too many files are open (`fs.file-max`)"),
        _ => (),
    }
    if let Some(fault) = TlsFault::of(error) {
        return Cow::Borrowed(fault.text());
    }
    Cow::Borrowed(match error.kind() {
        ErrorKind::ConnectionRefused => "connection refused",
        ErrorKind::NotFound => "no server at the socket",
        ErrorKind::AddrNotAvailable => "no local port is free (`net.ipv4.ip_local_port_range`)",
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
            assert!(broken(&errno.into()).contains(says), "{errno:?}");
        }
    }

    #[test]
    fn a_name_that_nobody_knows_is_told_with_what_to_do() {
        let error = unknown_host(ErrorKind::NotFound.into());
        assert_eq!(broken(&error), "the name of the host is not known");
        assert!(remedy(&error, "").starts_with("correct the host"));
    }
}
