//! Errors of a connection, as a failure of an operation and as an error of a job.

use std::borrow::Cow;

use igen_engine::{Failure, FailureKind, Then};
use igen_job::JobError;
use igen_net::{broken, remedy, said};

use crate::response::Outcome;

pub(super) const NO_SUCH_OBJECT: u32 = 32;
pub(super) const ALREADY_EXISTS: u32 = 68;
pub(super) const SIZE_LIMIT_EXCEEDED: u32 = 4;
const INVALID_CREDENTIALS: u32 = 49;
const INSUFFICIENT_ACCESS: u32 = 50;

/// Error of a connection.
#[derive(Debug)]
pub(super) enum Error {
    /// The server refused an operation.
    Result { code: u32, message: String },
    /// Another server holds the entry, and nobody asks it: its load would be measured elsewhere.
    Referral,
    /// The server ended the connection and said why.
    Disconnected { code: u32 },
    /// The connection broke.
    Connection(std::io::Error),
    /// The server sent what nobody asked for; the connection cannot go on.
    Protocol(&'static str),
    /// This side refuses to go on, or lacks something.
    Refused { text: String, hint: &'static str },
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Connection(error)
    }
}

impl Error {
    /// The error of an operation that did not succeed.
    pub(super) fn of(outcome: &Outcome<'_>) -> Self {
        match outcome.code {
            10 => Self::Referral,
            code => Self::Result {
                code,
                message: said(outcome.message),
            },
        }
    }

    /// Result code of the server.
    pub(super) fn code(&self) -> Option<u32> {
        match self {
            Self::Result { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// Returns the failure of an operation, without the message of the server, which may name entries.
    pub(super) fn failure(&self) -> Failure {
        match self {
            Self::Result { code, .. } => Failure::new(FailureKind::Other, named(*code)),
            Self::Referral => Failure::new(FailureKind::Other, REFERRAL),
            Self::Disconnected { code } => Failure::anew(
                FailureKind::Lost,
                format!("disconnected by the server: {}", named(*code)),
            ),
            Self::Connection(error) => Failure::from(broken(error)).then(Then::Anew),
            Self::Protocol(what) => Failure::anew(FailureKind::Protocol, *what),
            Self::Refused { text, .. } => Failure::anew(FailureKind::Refused, text.clone()),
        }
    }

    /// Returns the error of a job, about the server at `place`.
    pub(super) fn job_error(&self, place: &str) -> JobError {
        let said = match self {
            Self::Result { message, .. } if !message.is_empty() => format!(": {message}"),
            _ => String::new(),
        };
        let error = JobError::new(format!("{place}: {}{said}", self.failure().reason));
        match self.hint() {
            "" => error,
            hint => error.hint(hint),
        }
    }

    fn hint(&self) -> &'static str {
        match self {
            Self::Connection(error) => {
                remedy(error, "start the server, or correct the path of its socket")
            }
            Self::Refused { hint, .. } => hint,
            Self::Referral => REFERRAL_REMEDY,
            Self::Result { code, .. } => match *code {
                NO_SUCH_OBJECT => {
                    "use the suffix of the directory as the path of the target: ldap://host/dc=example,dc=com"
                }
                INVALID_CREDENTIALS => {
                    "put the administrator into the target, ldap://cn=admin,dc=example,dc=com@host/…, and \
                     give the password in LDAP_PASSWORD or in a file that LDAP_PASSWORD_FILE names"
                }
                INSUFFICIENT_ACCESS | 8 => {
                    "put an administrator into the target: ldap://cn=admin,dc=example,dc=com@host/…"
                }
                13 => "use TLS: sslmode=require or better in the target",
                SIZE_LIMIT_EXCEEDED => "raise the size limit of the server for this user",
                _ => "",
            },
            _ => "",
        }
    }
}

/// Remedy for a referral.
const REFERRAL_REMEDY: &str = "use the server that has these entries as the target, or skip the entries of other servers: --set referrals=skip";
const REFERRAL: &str = "referral to another server, not followed (10)";

/// A result code in words (RFC 4511, appendix A), which many failures share.
fn named(code: u32) -> Cow<'static, str> {
    Cow::Borrowed(match code {
        1 => "operations error (1)",
        2 => "protocol error (2)",
        3 => "time limit exceeded (3)",
        4 => "size limit exceeded (4)",
        7 => "authentication method not supported (7)",
        8 => "stronger authentication required (8)",
        11 => "administrative limit exceeded (11)",
        12 => "unavailable critical extension (12)",
        13 => "confidentiality required (13)",
        16 => "no such attribute (16)",
        17 => "undefined attribute type (17)",
        18 => "inappropriate matching (18)",
        19 => "constraint violation (19)",
        20 => "attribute or value exists (20)",
        21 => "invalid attribute syntax (21)",
        32 => "no such object (32)",
        34 => "invalid DN syntax (34)",
        48 => "inappropriate authentication (48)",
        49 => "invalid credentials (49)",
        50 => "insufficient access rights (50)",
        51 => "busy (51)",
        52 => "unavailable (52)",
        53 => "unwilling to perform (53)",
        64 => "naming violation (64)",
        65 => "object class violation (65)",
        66 => "not allowed on an entry with children (66)",
        68 => "entry already exists (68)",
        80 => "other error (80)",
        code => return Cow::Owned(format!("result code {code}")),
    })
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    fn refused(code: u32) -> Error {
        Error::of(&Outcome {
            code,
            message: b"because of uid=user.17",
        })
    }

    #[test]
    fn a_failure_has_the_code_in_words_and_no_entry() {
        for (error, failure) in [
            (
                refused(32),
                Failure::new(FailureKind::Other, "no such object (32)"),
            ),
            (refused(10), Failure::new(FailureKind::Other, REFERRAL)),
            (
                refused(4711),
                Failure::new(FailureKind::Other, "result code 4711"),
            ),
            (
                Error::Disconnected { code: 52 },
                Failure::anew(
                    FailureKind::Lost,
                    "disconnected by the server: unavailable (52)",
                ),
            ),
            (
                Error::from(std::io::Error::from(ErrorKind::UnexpectedEof)),
                Failure::anew(FailureKind::Lost, "connection lost"),
            ),
        ] {
            assert_eq!(error.failure(), failure);
        }
    }

    #[test]
    fn an_error_of_a_job_says_where_what_and_the_remedy() {
        let error = refused(49).job_error("dir.lab:389");
        assert_eq!(
            error.text,
            "dir.lab:389: invalid credentials (49): because of uid=user.17"
        );
        assert!(error.hint.contains("LDAP_PASSWORD"), "{error}");
    }
}
