//! Why TLS did not come about, told apart: each reason has another remedy.

use std::io::Error;

use igen_job::{FailureKind, Reason};
use rustls::{AlertDescription, CertificateError};

/// Why TLS did not come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsFault {
    /// The certificate is for another host.
    OtherName,
    /// The certificate is too old.
    Expired,
    /// The certificate is not valid yet.
    NotYetValid,
    /// Nobody who is trusted has signed the certificate.
    UnknownAuthority,
    /// The server asks for a certificate of the client's, and none was shown.
    ClientCertificateLacks,
    /// The server does not accept the client's certificate.
    ClientCertificateRefused,
    /// Client and server have no version or cipher in common.
    NothingInCommon,
    /// Client and server have no protocol under TLS in common.
    NoProtocol,
    /// The answer of the server is not TLS.
    NoTls,
}

impl TlsFault {
    /// Returns the fault of TLS in an error of a connection; `None` for other errors.
    #[must_use]
    pub fn of(error: &Error) -> Option<Self> {
        match error.get_ref()?.downcast_ref::<rustls::Error>()? {
            rustls::Error::InvalidCertificate(certificate) => match certificate {
                CertificateError::NotValidForName
                | CertificateError::NotValidForNameContext { .. } => Some(Self::OtherName),
                CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                    Some(Self::Expired)
                }
                CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                    Some(Self::NotYetValid)
                }
                // Bad is the signature of an authority that another one of the same name has not made.
                CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                    Some(Self::UnknownAuthority)
                }
                _ => None,
            },
            rustls::Error::PeerIncompatible(_)
            | rustls::Error::AlertReceived(
                AlertDescription::ProtocolVersion | AlertDescription::HandshakeFailure,
            ) => Some(Self::NothingInCommon),
            rustls::Error::AlertReceived(AlertDescription::CertificateRequired) => {
                Some(Self::ClientCertificateLacks)
            }
            // A server complains of no certificate but the client's.
            rustls::Error::AlertReceived(
                AlertDescription::BadCertificate
                | AlertDescription::UnsupportedCertificate
                | AlertDescription::CertificateRevoked
                | AlertDescription::CertificateExpired
                | AlertDescription::CertificateUnknown
                | AlertDescription::UnknownCA
                | AlertDescription::DecryptError
                | AlertDescription::AccessDenied,
            ) => Some(Self::ClientCertificateRefused),
            rustls::Error::AlertReceived(AlertDescription::NoApplicationProtocol) => {
                Some(Self::NoProtocol)
            }
            rustls::Error::InvalidMessage(_) => Some(Self::NoTls),
            _ => None,
        }
    }

    /// Returns why there is no connection.
    #[must_use]
    pub fn reason(self) -> Reason {
        let kind = match self {
            Self::NothingInCommon | Self::NoProtocol | Self::NoTls => FailureKind::Protocol,
            Self::OtherName
            | Self::Expired
            | Self::NotYetValid
            | Self::UnknownAuthority
            | Self::ClientCertificateLacks
            | Self::ClientCertificateRefused => FailureKind::Refused,
        };
        Reason::new(kind, self.text())
    }

    /// Returns the text, which many failures share.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::OtherName => "the server's certificate is for another name",
            Self::Expired => "the server's certificate has expired",
            Self::NotYetValid => "the server's certificate is not valid yet",
            Self::UnknownAuthority => "the server's certificate was issued by an unknown authority",
            Self::ClientCertificateLacks => "the server requires a client certificate",
            Self::ClientCertificateRefused => "the server does not accept the client certificate",
            Self::NothingInCommon => "client and server have no TLS version or cipher in common",
            Self::NoProtocol => "the server does not support the requested protocol",
            Self::NoTls => "the server does not support TLS on this port",
        }
    }

    /// Returns the remedy.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        match self {
            Self::OtherName => {
                "use the host name from the certificate, or sslmode=verify-ca, which does not check the name"
            }
            Self::Expired | Self::NotYetValid => {
                "renew the certificate or correct the clock, or use sslmode=require, which does not check it"
            }
            Self::UnknownAuthority => {
                "set the file of the authority with sslrootcert=…, or use sslmode=require, which does not check it"
            }
            Self::ClientCertificateLacks => "set its files with sslcert=…&sslkey=…",
            Self::ClientCertificateRefused => {
                "use a valid certificate from an authority that the server trusts: sslcert=…&sslkey=…"
            }
            Self::NothingInCommon => {
                "enable TLS 1.2 or 1.3 on the server; if it requires a client certificate, set sslcert=…&sslkey=…"
            }
            Self::NoProtocol => {
                "use a protocol that the server supports on this port, or enable this protocol on the server"
            }
            Self::NoTls => "correct the port of the target, or use the scheme without TLS",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use rustls::{InvalidMessage, PeerIncompatible};

    use super::*;

    #[test]
    fn each_fault_has_words_and_a_remedy_of_its_own() {
        use rustls::Error::{AlertReceived, InvalidCertificate, InvalidMessage as Message};
        for (error, fault) in [
            (
                InvalidCertificate(CertificateError::NotValidForName),
                TlsFault::OtherName,
            ),
            (
                InvalidCertificate(CertificateError::Expired),
                TlsFault::Expired,
            ),
            (
                InvalidCertificate(CertificateError::NotValidYet),
                TlsFault::NotYetValid,
            ),
            (
                InvalidCertificate(CertificateError::UnknownIssuer),
                TlsFault::UnknownAuthority,
            ),
            (
                AlertReceived(AlertDescription::ProtocolVersion),
                TlsFault::NothingInCommon,
            ),
            (
                rustls::Error::PeerIncompatible(PeerIncompatible::NoCipherSuitesInCommon),
                TlsFault::NothingInCommon,
            ),
            (
                AlertReceived(AlertDescription::NoApplicationProtocol),
                TlsFault::NoProtocol,
            ),
            (
                AlertReceived(AlertDescription::CertificateRequired),
                TlsFault::ClientCertificateLacks,
            ),
            (
                AlertReceived(AlertDescription::UnknownCA),
                TlsFault::ClientCertificateRefused,
            ),
            (Message(InvalidMessage::InvalidContentType), TlsFault::NoTls),
        ] {
            let error = Error::new(ErrorKind::InvalidData, error);
            assert_eq!(TlsFault::of(&error), Some(fault));
            assert!(!fault.text().is_empty() && !fault.remedy().is_empty());
        }
        let revoked = InvalidCertificate(CertificateError::Revoked);
        assert_eq!(
            TlsFault::of(&Error::new(ErrorKind::InvalidData, revoked)),
            None
        );
        assert_eq!(TlsFault::of(&Error::other("something else")), None);
    }
}
