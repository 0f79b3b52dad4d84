//! A directory on a server, and connections to it.

use std::sync::Arc;
use std::time::Duration;

use igen_engine::Failure;
use igen_job::{Credentials, JobError, Seconds};
use igen_net::{
    Address, CONNECTING, Encryption, Endpoint, Password, Scheme, Stream, TlsMode, password,
};

use crate::TARGETS;
use crate::connection::{Connection, timed_out};
use crate::error::Error;
use crate::sent::Sent;

/// A directory on a server.
pub struct Directory {
    endpoint: Endpoint,
    /// TLS before anything is said.
    tls_first: bool,
    password: Option<Password>,
    timeouts: Timeouts,
    leaves_referrals: bool,
    pub(super) sent: Arc<Sent>,
}

/// Time limits for servers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timeouts {
    /// Longest silence of a server that owes an answer, after which the operation fails and the
    /// connection is made anew; 8 s when absent, 0 for no limit.
    pub operation_timeout_s: Option<Seconds>,
    /// Longest time to connect and bind; 5 s when absent.
    pub connect_timeout_s: Option<Seconds>,
}

impl Timeouts {
    fn check(self) -> Result<(), JobError> {
        for (name, value, least_s) in [
            ("operation_timeout_s", self.operation_timeout_s, 0.0),
            ("connect_timeout_s", self.connect_timeout_s, 0.001),
        ] {
            if value.is_some_and(|value| !(least_s..=3_600.0).contains(&value.0)) {
                return Err(JobError::at(format!("params.{name}"), "out of range")
                    .hint(format!("use {least_s} to 3600 seconds")));
            }
        }
        Ok(())
    }

    fn operation(self) -> Option<Duration> {
        let limit_s = self.operation_timeout_s.map_or(8.0, |limit| limit.0);
        Some(Duration::from_secs_f64(limit_s)).filter(|limit| !limit.is_zero())
    }

    fn connect(self) -> Duration {
        Duration::from_secs_f64(self.connect_timeout_s.map_or(5.0, |limit| limit.0))
    }
}

impl Directory {
    /// The directory that `target` names, without a look at it; an error is about the field `field`
    /// of the job, or about a parameter.
    pub fn of(
        target: &str,
        field: &str,
        timeouts: Timeouts,
        credentials: Credentials,
    ) -> Result<Self, JobError> {
        timeouts.check()?;
        let scheme = Scheme::of(target, &TARGETS).ok_or_else(|| {
            JobError::at(field, format!("`{target}` is not a directory server"))
                .hint("use a target such as ldap://host:389/dc=example,dc=com")
        })?;
        let found = Endpoint::of(target, field, scheme, credentials)?;
        let password = match &found.user {
            Some(_) => password::ldap(&found).map_err(|text| JobError::at(field, text))?,
            None => None,
        };
        Ok(Self {
            endpoint: found,
            tls_first: scheme.encryption == Encryption::Always,
            password,
            timeouts,
            leaves_referrals: false,
            sent: Arc::default(),
        })
    }

    /// The same, but its searches leave out what other servers hold, and count the referrals to them, instead
    /// of failing.
    #[must_use]
    pub fn leaving_referrals(mut self, leaves: bool) -> Self {
        self.leaves_referrals = leaves;
        self
    }

    /// Returns the distinguished name of its root: the target's path.
    #[must_use]
    pub fn suffix(&self) -> &str {
        &self.endpoint.path
    }

    /// Returns the distinguished name as which `bound` binds.
    #[must_use]
    pub fn administrator(&self) -> Option<&str> {
        self.endpoint.user.as_deref()
    }

    /// Returns its place for messages: `dir.lab:389/dc=example,dc=com`.
    #[must_use]
    pub fn place(&self) -> String {
        self.endpoint.place()
    }

    /// Connects as nobody.
    pub async fn connect(&self) -> Result<Connection, Failure> {
        let _turn = CONNECTING.acquire().await;
        self.try_connect().await.map_err(|error| error.failure())
    }

    /// Connects, and binds as the user of the target where it names one.
    pub async fn bound(&self) -> Result<Connection, Failure> {
        let _turn = CONNECTING.acquire().await;
        self.try_bound().await.map_err(|error| error.failure())
    }

    async fn try_connect(&self) -> Result<Connection, Error> {
        tokio::time::timeout(self.timeouts.connect(), self.open(false))
            .await
            .map_err(|_| timed_out())?
    }

    pub(super) async fn try_bound(&self) -> Result<Connection, Error> {
        tokio::time::timeout(self.timeouts.connect(), self.open(true))
            .await
            .map_err(|_| timed_out())?
    }

    async fn open(&self, bind: bool) -> Result<Connection, Error> {
        let endpoint = &self.endpoint;
        let mut stream = Stream::connect(&endpoint.address, self.timeouts.connect()).await?;
        stream.limit_silence(self.timeouts.operation())?;
        if self.tls_first {
            stream.encrypt(endpoint).await?;
        }
        let mut connection = Connection::new(stream, Arc::clone(&self.sent), self.leaves_referrals);
        if !self.tls_first && endpoint.tls.mode > TlsMode::Disable {
            match connection.start_tls().await {
                Ok(()) => connection.stream.encrypt(endpoint).await?,
                // It has none.
                Err(Error::Result { .. }) if endpoint.tls.mode == TlsMode::Prefer => (),
                Err(Error::Result { .. }) => {
                    return Err(Error::Refused {
                        text: "the server does not support StartTLS".to_owned(),
                        hint: "enable StartTLS, use ldaps://, or use sslmode=disable if you trust the network",
                    });
                }
                Err(error) => return Err(error),
            }
        }
        if let (true, Some(dn)) = (bind, &endpoint.user) {
            self.check_privacy(&connection.stream)?;
            match (&self.password, &endpoint.address) {
                (None, Address::Unix(_)) => connection.bind_external(dn.as_bytes()).await?,
                (password, _) => {
                    let password = password.as_ref().map_or(&b""[..], Password::as_bytes);
                    connection.try_bind(dn.as_bytes(), password).await?
                }
            };
        }
        Ok(connection)
    }

    /// A password goes in clear only where nobody can read along, or where that was asked for.
    fn check_privacy(&self, stream: &Stream) -> Result<(), Error> {
        if stream.is_private() || self.endpoint.tls.mode == TlsMode::Disable {
            return Ok(());
        }
        Err(Error::Refused {
            text: "the server does not support TLS, so the password would be sent unencrypted"
                .to_owned(),
            hint: "enable StartTLS, use ldaps://, or use sslmode=disable if you trust the network",
        })
    }

    pub(super) fn job_error(&self, error: &Error) -> JobError {
        error.job_error(&self.place())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn directory(target: &str) -> Result<Directory, JobError> {
        Directory::of(
            target,
            "targets[0]",
            Timeouts::default(),
            igen_job::Credentials::Own,
        )
    }

    #[test]
    fn a_target_names_suffix_administrator_and_tls() {
        let found = directory("ldap://cn=admin,dc=lab@127.0.0.1:1389/dc=lab").unwrap();
        assert_eq!(found.suffix(), "dc=lab");
        assert_eq!(found.administrator(), Some("cn=admin,dc=lab"));
        assert_eq!(found.place(), "127.0.0.1:1389/dc=lab");
        assert_eq!(found.endpoint.tls.mode, TlsMode::Disable);
        let found = directory("ldaps://dir.lab/dc=lab").unwrap();
        assert_eq!((found.endpoint.port, found.tls_first), (636, true));
        assert_eq!(found.endpoint.tls.mode, TlsMode::VerifyFull);
        let found = directory("ldapi://%2Frun%2Fslapd%2Fldapi/dc=lab").unwrap();
        assert_eq!(
            found.endpoint.address,
            Address::Unix("/run/slapd/ldapi".into())
        );
        assert_eq!(
            (found.suffix(), found.endpoint.tls.mode),
            ("dc=lab", TlsMode::Disable)
        );
    }

    #[test]
    fn nonsense_is_refused_with_a_remedy() {
        for target in [
            "sqlite:///a",
            "ldap://dir.lab",
            "ldaps://dir.lab/dc=lab?sslmode=disable",
            "ldap://dir.lab/dc=lab?passfile=/x",
            "ldapi://dir.lab/dc=lab",
            "ldapi:///dc=lab",
            "ldapi://%2Frun%2Fldapi/dc=lab?sslmode=require",
        ] {
            let error = directory(target).err().expect(target);
            assert_eq!(error.path, "targets[0]", "{target}");
            assert!(!error.hint.is_empty(), "{target}");
            assert!(!error.to_string().contains("database"), "{error}");
        }
        let timeouts = Timeouts {
            operation_timeout_s: Some(Seconds(-1.0)),
            connect_timeout_s: None,
        };
        let error = Directory::of(
            "ldap://dir.lab/dc=lab",
            "",
            timeouts,
            igen_job::Credentials::Own,
        )
        .err();
        assert_eq!(error.unwrap().path, "params.operation_timeout_s");
    }
}
