//! What goes wrong on a connection, as a failure of a transaction and as an error of a job.

use std::borrow::Cow;

use igen_engine::{Failure, FailureKind, Then};
use igen_job::JobError;
use igen_net::{broken, remedy, said};

use super::packet::Reader;
use crate::server::lack::{Lack, Shown};
use crate::server::pooler::{SHARED, UNSHARED};
use crate::server::protocol::Fault;

const NO_ANSWER: &str = "no answer from the server";
const NO_SUCH_TABLE: u16 = 1146;
const NO_SUCH_COLUMN: u16 = 1054;
const WRONG_USER: u16 = 1045;
const NO_PASSWORD: u16 = 1698;
/// The server demands TLS of all: MariaDB's number, and MySQL's.
const INSECURE: u16 = 4200;
const INSECURE_MYSQL: u16 = 3159;

/// Error of a connection.
#[derive(Debug)]
pub enum Error {
    /// The server refused a statement or the connection.
    Server(ServerError),
    /// The connection broke.
    Connection(std::io::Error),
    /// Nothing came of a server that should speak first.
    NoGreeting,
    /// The server sent what nobody asked for; the connection cannot go on.
    Protocol(&'static str),
    /// A pooler shares connections.
    Shared,
    /// The server demands something that was not given, or is not possible.
    Refused { text: String, hint: &'static str },
}

/// An error as the server sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerError {
    pub(super) code: u16,
    state: String,
    message: String,
    /// The thing whose lack may explain the refusal of a connection.
    lack: Option<Lack>,
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Connection(error)
    }
}

impl Error {
    /// Reads the payload of an error packet.
    pub(super) fn of_packet(payload: &[u8]) -> Self {
        let mut reader = Reader::new(payload);
        let Some((0xFF, code)) = reader.byte().zip(reader.u16()) else {
            return Self::Protocol("malformed error");
        };
        // Before the handshake there is no state.
        let (state, message) = match reader.rest() {
            [b'#', rest @ ..] if rest.len() >= 5 => rest.split_at(5),
            rest => (&b"HY000"[..], rest),
        };
        Self::Server(ServerError {
            code,
            state: said(state),
            message: said(message),
            lack: None,
        })
    }

    /// Returns the error with what a connection may lack that has `shown` this much. A server that demands TLS of
    /// a user, or a certificate, says the same as of a wrong password.
    pub(super) fn of_connection(mut self, shown: Shown) -> Self {
        if let Self::Server(error) = &mut self
            && matches!(
                error.code,
                WRONG_USER | NO_PASSWORD | INSECURE | INSECURE_MYSQL
            )
        {
            error.lack = shown.lacks();
        }
        self
    }

    /// The code of the server's error.
    fn code(&self) -> Option<u16> {
        match self {
            Self::Server(error) => Some(error.code),
            _ => None,
        }
    }

    fn hint(&self) -> &'static str {
        match self {
            Self::Connection(error) => {
                remedy(error, "start the server, or correct the path of its socket")
            }
            Self::Shared => UNSHARED,
            Self::Refused { hint, .. } => hint,
            Self::NoGreeting => {
                "correct host and port of the target: a MariaDB or MySQL server sends a greeting \
                 (use postgresql:// for a PostgreSQL server, which does not)"
            }
            Self::Server(error) => match error.code {
                INSECURE | INSECURE_MYSQL => "use sslmode=require or better",
                WRONG_USER | NO_PASSWORD => match error.lack {
                    Some(Lack::Tls) => {
                        "put the user into the target, and the password into MYSQL_PWD or ~/.my.cnf; a user \
                         with REQUIRE SSL needs sslmode=require or better"
                    }
                    Some(Lack::Certificate) => {
                        "put the user into the target, and the password into MYSQL_PWD or ~/.my.cnf; a user \
                         with REQUIRE X509 needs sslcert=…&sslkey=…"
                    }
                    Some(Lack::OtherCertificate) => {
                        "put the user into the target, and the password into MYSQL_PWD or ~/.my.cnf; a user \
                         with REQUIRE SUBJECT or ISSUER needs that certificate"
                    }
                    None => {
                        "put the user into the target, and the password into MYSQL_PWD or ~/.my.cnf"
                    }
                },
                1044 | 1142 | 1143 | 1227 | 1370 => {
                    "GRANT the user all privileges on the database; if a role has them, SET DEFAULT ROLE \
                     for the user"
                }
                1049 => "create the database with CREATE DATABASE, or correct the target",
                1040 | 1203 | 1226 => "raise max_connections, or use fewer users",
                1461 => "raise max_prepared_stmt_count: each user of order entry prepares six",
                1021 | 1030 | 1114 => "free some space, use another server, or load less data",
                1129 => "run FLUSH HOSTS on the server",
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
            Self::NoGreeting => Failure::anew(FailureKind::Silent, NO_ANSWER),
            Self::Shared => Failure::anew(FailureKind::Refused, SHARED),
            Self::Protocol(what) => Failure::anew(FailureKind::Protocol, *what),
            Self::Refused { text, .. } => Failure::anew(FailureKind::Refused, text.clone()),
        }
    }

    fn job_error(&self, place: &str) -> JobError {
        let text = match self {
            Self::Server(error) => error.text(),
            Self::Connection(error) => broken(error).text.into_owned(),
            Self::NoGreeting => NO_ANSWER.to_owned(),
            Self::Shared => SHARED.to_owned(),
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
        self.code() == Some(NO_SUCH_TABLE)
    }

    fn is_no_column(&self) -> bool {
        self.code() == Some(NO_SUCH_COLUMN)
    }

    fn shared() -> Self {
        Self::Shared
    }
}

impl ServerError {
    fn text(&self) -> String {
        let message = &self.message;
        match self.reason() {
            Some(reason) => format!("{reason}: {message}"),
            None => message.clone(),
        }
    }

    fn failure(&self) -> Failure {
        let text = match self.reason() {
            Some(text) => Cow::Borrowed(text),
            // Errors in statements, whose messages name tables and columns, never values.
            None if self.state.starts_with("42") => Cow::Owned(self.message.clone()),
            None => Cow::Owned(format!("error {} ({})", self.code, self.state)),
        };
        match self.kind() {
            kind @ (FailureKind::Lost | FailureKind::Refused) => Failure::anew(kind, text),
            kind => Failure::new(kind, text),
        }
    }

    /// Codes: <https://mariadb.com/kb/en/mariadb-error-code-reference/>.
    fn kind(&self) -> FailureKind {
        match self.code {
            1020 | 1205 | 1213 => FailureKind::Conflict,
            1021 | 1026 | 1030 | 1114 => FailureKind::Device,
            1040 | 1044 | 1045 | 1049 | 1129 | 1130 | 1203 | 1226 | 1698 => FailureKind::Refused,
            1053 | 1079 | 1152 | 1158..=1161 | 1184 | 1927 | 4031 => FailureKind::Lost,
            _ => FailureKind::Other,
        }
    }

    /// Short reasons of errors that are to be expected under load.
    fn reason(&self) -> Option<&'static str> {
        Some(match self.code {
            1020 => "row was changed by another transaction",
            1021 | 1114 => "table or disk is full",
            1030 if self.message.contains("No space") => "table or disk is full",
            1040 | 1203 | 1226 => "too many connections",
            1461 => "too many prepared statements",
            1044 => "no access to the database",
            1045 | 1698 => "wrong user or password",
            1049 => "no such database",
            1053 | 1079 => "server shuts down",
            1062 => "duplicate key",
            1129 => "host is blocked",
            1130 => "host is not allowed",
            1152 | 1158..=1161 | 1184 | 1927 | 4031 => "server ended the connection",
            1205 => "lock wait timeout",
            1213 => "deadlock",
            1290 | 1836 => "server is read-only",
            1317 => "statement was killed",
            1969 | 3024 => "statement timed out",
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    fn server(code: u16, state: &str, message: &str) -> Error {
        let mut packet = vec![0xFF];
        packet.extend(code.to_le_bytes());
        if !state.is_empty() {
            packet.push(b'#');
            packet.extend(state.bytes());
        }
        packet.extend(message.bytes());
        Error::of_packet(&packet)
    }

    #[test]
    fn errors_of_the_server_fail_lose_or_conflict() {
        for (error, failure) in [
            (
                server(1021, "HY000", "x"),
                Failure::new(FailureKind::Device, "table or disk is full"),
            ),
            (
                server(1053, "08S01", "x"),
                Failure::anew(FailureKind::Lost, "server shuts down"),
            ),
            (
                server(1213, "40001", "x"),
                Failure::new(FailureKind::Conflict, "deadlock"),
            ),
            (
                server(1205, "HY000", "x"),
                Failure::new(FailureKind::Conflict, "lock wait timeout"),
            ),
            (
                server(1969, "70100", "x"),
                Failure::new(FailureKind::Other, "statement timed out"),
            ),
            (
                server(1040, "", "Too many connections"),
                Failure::anew(FailureKind::Refused, "too many connections"),
            ),
            (
                server(1062, "23000", "Duplicate entry '17'"),
                Failure::new(FailureKind::Other, "duplicate key"),
            ),
            (
                server(1146, "42S02", "Table 'a.b' doesn't exist"),
                Failure::new(FailureKind::Other, "Table 'a.b' doesn't exist"),
            ),
            (
                server(1366, "22007", "Incorrect value '17'"),
                Failure::new(FailureKind::Other, "error 1366 (22007)"),
            ),
            (
                Error::from(std::io::Error::from(ErrorKind::UnexpectedEof)),
                Failure::anew(FailureKind::Lost, "connection lost"),
            ),
            (
                Error::of_packet(&[0xFF, 1]),
                Failure::anew(FailureKind::Protocol, "malformed error"),
            ),
        ] {
            assert_eq!(error.failure(), failure);
        }
    }

    #[test]
    fn an_error_of_a_job_says_where_what_and_the_remedy() {
        let error = server(1049, "42000", "Unknown database 'shop'").job_error("127.0.0.1:3306");
        assert_eq!(
            error.text,
            "127.0.0.1:3306: no such database: Unknown database 'shop'"
        );
        assert!(error.hint.contains("CREATE DATABASE"), "{error}");
    }
}
