//! The missing thing that explains a refused connection, if the server's answer shows it.

use igen_net::{Address, Endpoint, TlsMode};

/// A thing that the server demands and the connection did not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lack {
    /// TLS.
    Tls,
    /// A client certificate.
    Certificate,
    /// A certificate of this user: the certificate of another user was shown.
    OtherCertificate,
}

/// The proof of identity that a connection has shown, besides a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// It does not leave the machine.
    Socket,
    /// Nothing; the connection is not encrypted.
    Plain,
    /// It is encrypted.
    Tls,
    /// It is encrypted, and has shown a certificate if the server has asked.
    Certificate,
}

impl Shown {
    /// Returns the proof of a connection to `endpoint`, which is `encrypted` or not.
    pub(super) fn of(endpoint: &Endpoint, encrypted: bool) -> Self {
        match (&endpoint.address, &endpoint.tls.identity) {
            (Address::Unix(_), _) => Self::Socket,
            _ if !encrypted => Self::Plain,
            (_, None) => Self::Tls,
            (_, Some(_)) => Self::Certificate,
        }
    }

    /// Returns the next thing to show to a server that refuses this user from here.
    pub(super) fn lacks(self) -> Option<Lack> {
        match self {
            Self::Socket => None,
            Self::Plain => Some(Lack::Tls),
            Self::Tls => Some(Lack::Certificate),
            Self::Certificate => Some(Lack::OtherCertificate),
        }
    }
}

/// The text of a refusal to continue without TLS.
pub(super) const NO_TLS: &str = "the server does not support TLS";

/// Returns true if a connection that insists this much on TLS may do without.
pub(super) fn may_be_plain(mode: TlsMode) -> bool {
    mode <= TlsMode::Prefer
}
