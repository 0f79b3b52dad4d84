//! What goes wrong on a connection, as a failure of a transaction and as an error of a job.

use std::borrow::Cow;

use igen_engine::{Failure, FailureKind, Then};
use igen_job::JobError;
use igen_net::{broken, remedy, said};

use super::message::Reader;
use crate::server::lack::{Lack, Shown};
use crate::server::pooler::{SHARED, UNSHARED};
use crate::server::protocol::Fault;

const UNDEFINED_TABLE: &str = "42P01";
const NO_ACCESS: &str = "28000";
const UNDEFINED_COLUMN: &str = "42703";

/// Error of a connection.
#[derive(Debug)]
pub enum Error {
    /// The server refused a statement or the connection.
    Server(ServerError),
    /// The connection broke.
    Connection(std::io::Error),
    /// The server sent what nobody asked for; the connection cannot go on.
    Protocol(&'static str),
    /// The server asks for what is not given, or not possible.
    Refused { text: String, hint: &'static str },
}

/// An error as the server sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerError {
    /// SQLSTATE.
    pub(super) code: String,
    message: String,
    detail: String,
    /// The server's function that refuses.
    routine: String,
    /// The thing whose lack explains the refusal of a connection.
    lack: Option<Lack>,
}

/// The function that looks for the connection in `pg_hba.conf`, and for the certificate that it demands.
const ADMISSION: &str = "ClientAuthentication";
/// The function that says that a user could not be authenticated.
const AUTHENTICATION: &str = "auth_failed";

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Connection(error)
    }
}

impl Error {
    /// Reads the body of an error response.
    pub(super) fn of_message(body: &[u8]) -> Self {
        let mut error = ServerError {
            code: String::new(),
            message: String::new(),
            detail: String::new(),
            routine: String::new(),
            lack: None,
        };
        let mut reader = Reader::new(body);
        while let Some(field) = reader.byte().filter(|field| *field != 0) {
            let Some(text) = reader.text() else {
                return Self::Protocol("malformed error");
            };
            let text = said(text);
            match field {
                b'C' => error.code = text,
                b'M' => error.message = text,
                b'D' => error.detail = text,
                b'R' => error.routine = text,
                _ => (),
            }
        }
        Self::Server(error)
    }

    /// Returns the error with what a connection lacks that has `shown` this much.
    pub(super) fn of_connection(mut self, shown: Shown) -> Self {
        if let Self::Server(error) = &mut self
            && error.code == NO_ACCESS
        {
            error.lack = match error.routine.as_str() {
                ADMISSION => shown.lacks(),
                AUTHENTICATION if shown == Shown::Certificate => Some(Lack::OtherCertificate),
                _ => None,
            };
        }
        self
    }

    /// SQLSTATE of the server's error.
    fn code(&self) -> Option<&str> {
        match self {
            Self::Server(error) => Some(&error.code),
            _ => None,
        }
    }

    fn hint(&self) -> &'static str {
        match self {
            Self::Connection(error) => remedy(
                error,
                "start the server, or correct the folder of its socket",
            ),
            Self::Refused { hint, .. } => hint,
            Self::Server(error) => match error.code.as_str() {
                NO_ACCESS if error.lack.is_some() => match error.lack {
                    Some(Lack::Tls) => {
                        "use sslmode=require or better: pg_hba.conf does not allow this user from this host without TLS"
                    }
                    Some(Lack::Certificate) => {
                        "set a client certificate (sslcert=…&sslkey=…), or allow this user from this host in pg_hba.conf"
                    }
                    Some(Lack::OtherCertificate) | None => {
                        "set the certificate of this user (sslcert=…&sslkey=…), or allow yours in pg_hba.conf and pg_ident.conf"
                    }
                },
                "28P01" | NO_ACCESS => {
                    "put the user into the target, and the password into PGPASSWORD or ~/.pgpass"
                }
                "3D000" => "create the database with `createdb`, or correct the target",
                "42501" => {
                    "GRANT CREATE ON SCHEMA public TO the user; if another role loaded the tables, GRANT that role TO the user"
                }
                "53300" => "raise max_connections, or use fewer users",
                "53100" => "free some space, use another server, or load less data",
                "57P03" => "wait until the server has started",
                _ => "",
            },
            Self::Protocol(_) => "",
        }
    }
}

impl Fault for Error {
    fn failure(&self) -> Failure {
        match self {
            Self::Server(error) => error.failure(),
            Self::Connection(error) => Failure::from(broken(error)).then(Then::Anew),
            Self::Protocol(what) => Failure::anew(FailureKind::Protocol, *what),
            Self::Refused { text, .. } => Failure::anew(FailureKind::Refused, text.clone()),
        }
    }

    fn job_error(&self, place: &str) -> JobError {
        let text = match self {
            Self::Server(error) => error.text(),
            Self::Connection(error) => broken(error).text.into_owned(),
            Self::Protocol(what) => (*what).to_owned(),
            Self::Refused { text, .. } => text.clone(),
        };
        let error = JobError::new(format!("{place}: {text}"));
        match self.hint() {
            "" => error,
            hint => error.hint(hint),
        }
    }

    fn is_no_table(&self) -> bool {
        self.code() == Some(UNDEFINED_TABLE)
    }

    fn is_no_column(&self) -> bool {
        self.code() == Some(UNDEFINED_COLUMN)
    }

    fn shared() -> Self {
        Self::Refused {
            text: SHARED.to_owned(),
            hint: UNSHARED,
        }
    }
}

impl ServerError {
    fn text(&self) -> String {
        let detail = if self.detail.is_empty() {
            String::new()
        } else {
            format!(" ({})", self.detail)
        };
        match self.reason() {
            Some(reason) => format!("{reason}: {}{detail}", self.message),
            None => format!("{}{detail}", self.message),
        }
    }

    fn failure(&self) -> Failure {
        let text = match self.reason() {
            Some(text) => Cow::Borrowed(text),
            // Errors in statements, whose messages name tables and columns, never values.
            None if self.code.starts_with("42") => Cow::Owned(self.message.clone()),
            None => Cow::Owned(format!("error {}", self.code)),
        };
        match self.kind() {
            kind @ (FailureKind::Lost | FailureKind::Refused) => Failure::anew(kind, text),
            kind => Failure::new(kind, text),
        }
    }

    /// Classes and codes: <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
    fn kind(&self) -> FailureKind {
        match self.code.as_str() {
            "40001" | "40P01" | "55P03" => FailureKind::Conflict,
            "53100" | "58030" => FailureKind::Device,
            "53300" | "57P03" => FailureKind::Refused,
            code if code.starts_with("28") || code.starts_with("3D") => FailureKind::Refused,
            // The server, or an administrator, ends connections.
            code if code.starts_with("08") || code.starts_with("57P") => FailureKind::Lost,
            _ => FailureKind::Other,
        }
    }

    /// Short reasons of errors that are to be expected under load.
    fn reason(&self) -> Option<&'static str> {
        Some(match self.code.as_str() {
            "28P01" => "wrong password",
            "28000" => "access denied for this user",
            "3D000" => "no such database",
            "40001" => "serialization failure",
            "40P01" => "deadlock",
            "53100" => "disk is full",
            "53200" => "server is out of memory",
            "53300" => "too many connections",
            "55P03" => "lock wait timeout",
            "57014" => "statement timed out",
            // At its end, and where an administrator or a limit for idle sessions has ended this one.
            "57P01" | "57P05" => "server ended the connection",
            "57P02" => "server shuts down",
            "57P03" => "server is starting or stopping",
            "23505" => "duplicate key",
            "25006" => "server is read-only",
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use proptest::prelude::*;

    use super::*;

    fn server(code: &str, message: &str) -> Error {
        Error::of_message(format!("SERROR\0C{code}\0M{message}\0\0").as_bytes())
    }

    #[test]
    fn errors_of_the_server_fail_lose_or_conflict() {
        for (error, failure) in [
            (
                server("40P01", "x"),
                Failure::new(FailureKind::Conflict, "deadlock"),
            ),
            (
                server("40001", "x"),
                Failure::new(FailureKind::Conflict, "serialization failure"),
            ),
            (
                server("53100", "x"),
                Failure::new(FailureKind::Device, "disk is full"),
            ),
            (
                server("57P03", "x"),
                Failure::anew(FailureKind::Refused, "server is starting or stopping"),
            ),
            (
                server("57014", "x"),
                Failure::new(FailureKind::Other, "statement timed out"),
            ),
            (
                server("57P01", "x"),
                Failure::anew(FailureKind::Lost, "server ended the connection"),
            ),
            (
                server("53300", "x"),
                Failure::anew(FailureKind::Refused, "too many connections"),
            ),
            (
                server("23505", "Key (17)"),
                Failure::new(FailureKind::Other, "duplicate key"),
            ),
            (
                server("42P01", "relation \"a\" does not exist"),
                Failure::new(FailureKind::Other, "relation \"a\" does not exist"),
            ),
            (
                server("22003", "value 17"),
                Failure::new(FailureKind::Other, "error 22003"),
            ),
            (
                Error::from(std::io::Error::from(ErrorKind::UnexpectedEof)),
                Failure::anew(FailureKind::Lost, "connection lost"),
            ),
            (
                Error::of_message(b"Cx"),
                Failure::anew(FailureKind::Protocol, "malformed error"),
            ),
            (
                Error::of_message(b"C\x01\x80\0\0"),
                Failure::new(FailureKind::Other, "error \u{fffd}\u{fffd}"),
            ),
        ] {
            assert_eq!(error.failure(), failure);
        }
    }

    #[test]
    fn an_error_of_a_job_says_where_what_and_the_remedy() {
        let error = server("3D000", "database \"shop\" does not exist").job_error("db:5432/shop");
        assert_eq!(
            error.text,
            "db:5432/shop: no such database: database \"shop\" does not exist"
        );
        assert!(error.hint.contains("createdb"), "{error}");
    }

    #[test]
    fn a_refusal_says_what_the_connection_lacks() {
        for (code, routine, shown, lack) in [
            ("28000", ADMISSION, Shown::Plain, Some(Lack::Tls)),
            ("28000", ADMISSION, Shown::Tls, Some(Lack::Certificate)),
            (
                "28000",
                ADMISSION,
                Shown::Certificate,
                Some(Lack::OtherCertificate),
            ),
            ("28000", ADMISSION, Shown::Socket, None),
            (
                "28000",
                AUTHENTICATION,
                Shown::Certificate,
                Some(Lack::OtherCertificate),
            ),
            ("28000", "InitializeSessionUserId", Shown::Plain, None),
            ("28P01", AUTHENTICATION, Shown::Certificate, None),
        ] {
            let body = format!("SFATAL\0C{code}\0Mno\0R{routine}\0\0");
            let Error::Server(error) = Error::of_message(body.as_bytes()).of_connection(shown)
            else {
                panic!("an error of the server");
            };
            assert_eq!(error.lack, lack, "{code} {routine} {shown:?}");
        }
    }

    proptest! {
        #[test]
        fn hostile_errors_do_no_harm(body: Vec<u8>) {
            let _ = Error::of_message(&body).failure();
        }
    }
}
