//! Targets on servers: `scheme://[user@]host[:port][/path][?option=value&…]`.

use std::path::PathBuf;

use igen_job::{Credentials, JobError};

use crate::address::Address;
use crate::scheme::{Encryption, PathKind, Scheme, decoded};
use crate::tls::{Tls, TlsMode};
use crate::tls_options::TlsOptions;

/// Server of a target, and the way to reach it.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Address at which the server listens.
    pub address: Address,
    /// The port, which also belongs to a Unix socket.
    pub port: u16,
    /// User that connects, if the target names one.
    pub user: Option<String>,
    /// The database, the suffix of a directory, or with what the path of each request begins: empty, or a
    /// slash and more, without a slash at the end.
    pub path: String,
    /// The file with the password, where the target names one.
    pub password_file: Option<PathBuf>,
    /// Name of the application that connects, if target or environment say it.
    pub application: Option<String>,
    /// Encryption of the connection.
    pub tls: Tls,
    /// Passwords, keys and certificates that the server may get.
    pub(crate) credentials: Credentials,
}

/// Hint for an unknown mode of TLS.
const ALTERNATIVE: &str = "use sslmode disable, prefer, require, verify-ca or verify-full";

impl Endpoint {
    /// Reads `url`; an error is about the field `field` of the job. `Job::check` has refused
    /// passwords before.
    pub fn of(
        url: &str,
        field: &str,
        scheme: &Scheme,
        credentials: Credentials,
    ) -> Result<Self, JobError> {
        let fault = |what: &str| {
            JobError::at(field, format!("`{url}` {what}"))
                .hint(format!("use {}", scheme.usual_target()))
        };
        let rest = url
            .split_once("://")
            .filter(|(name, _)| *name == scheme.name)
            .map(|(_, rest)| rest)
            .ok_or_else(|| fault(&format!("is not a {} target", scheme.name)))?;
        let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = place.split_once('/').unwrap_or((place, ""));
        let path = scheme.path.of(path).map_err(|what| fault(&what))?;
        let (user, server) = match authority.rsplit_once('@') {
            Some((user, server)) => (Some(user), server),
            None => (None, authority),
        };
        if user.is_some() && matches!(scheme.path, PathKind::Base) {
            return Err(fault(
                "has a user, but this kind of target does not support one",
            ));
        }
        let user = user.map(|user| decoded(user).filter(|user| !user.is_empty()));
        let user = user.map(|user| user.ok_or_else(|| fault("has an invalid user")));
        let (host, port) =
            host_and_port(server, scheme.port).ok_or_else(|| fault("has an invalid port"))?;
        let host = decoded(host).ok_or_else(|| fault("has an invalid host"))?;
        let mut endpoint = Self {
            address: match &scheme.socket {
                Some(socket) if host.starts_with('/') => Address::Unix((socket.path)(&host, port)),
                _ => Address::Tcp { host, port },
            },
            port,
            user: user.transpose()?,
            path,
            password_file: None,
            application: None,
            tls: Tls::new(TlsMode::Disable),
            credentials,
        };
        let asked = endpoint.read_options(options, field, scheme)?;
        let around =
            (scheme.surroundings)().map_err(|text| JobError::at(field, text).hint(ALTERNATIVE))?;
        endpoint.application = endpoint.application.or(around.application);
        endpoint.tls = endpoint.tls(&asked, around.tls, scheme, field)?;
        if !credentials.are_own() {
            endpoint.tls.identity = None;
        }
        match &endpoint.address {
            Address::Tcp { .. } if scheme.encryption == Encryption::Local => {
                Err(fault("has no socket"))
            }
            Address::Tcp { host, .. } if host.is_empty() => Err(fault("has no host")),
            _ => Ok(endpoint),
        }
    }

    /// Reads the options after the question mark; returns the options of TLS.
    fn read_options(
        &mut self,
        options: &str,
        field: &str,
        scheme: &Scheme,
    ) -> Result<TlsOptions, JobError> {
        let mut tls = TlsOptions::default();
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let (Some(name), Some(value)) = (decoded(name), decoded(value)) else {
                return Err(JobError::at(field, "an option is not UTF-8")
                    .hint("percent-encode it as UTF-8"));
            };
            match (name.as_str(), &scheme.socket) {
                ("password_file", _) if scheme.password_file => {
                    self.password_file = Some(value.into());
                }
                ("application_name", _) if scheme.application => self.application = Some(value),
                (name, Some(socket)) if name == socket.name => {
                    self.address = Address::Unix((socket.path)(&value, self.port));
                }
                (name, _) => {
                    let known = tls.take(name, &value);
                    if !known.map_err(|text| JobError::at(field, text).hint(ALTERNATIVE))? {
                        return Err(JobError::at(field, format!("unknown option `{name}`"))
                            .hint(format!("valid options: {}", scheme.options())));
                    }
                }
            }
        }
        Ok(tls)
    }

    /// Returns how much TLS is insisted on, and with which certificates, if the target asks for that much.
    fn tls(
        &self,
        asked: &TlsOptions,
        mut around: TlsOptions,
        scheme: &Scheme,
        field: &str,
    ) -> Result<Tls, JobError> {
        let fault = |text: &str, hint: &str| JobError::at(field, text).hint(hint);
        let is_asked = asked.mode.is_some_and(|mode| mode > TlsMode::Disable);
        let wish = asked.file().or(is_asked.then_some("sslmode"));
        let is_unix = matches!(self.address, Address::Unix(_));
        match (scheme.encryption, asked.mode, wish) {
            (Encryption::Never(other), _, Some(option)) => {
                return Err(fault(
                    &format!("{} does not support TLS", scheme.name),
                    &format!("use {other}://, or remove {option}"),
                ));
            }
            (Encryption::Always, ..) | (_, _, Some(_)) if is_unix => {
                let hint = format!("remove {}", wish.unwrap_or("the socket"));
                return Err(fault("a Unix socket does not support TLS", &hint));
            }
            (Encryption::Always, Some(TlsMode::Disable | TlsMode::Prefer), _) => {
                return Err(fault(
                    &format!("{} always uses TLS", scheme.name),
                    "remove sslmode, or use require, verify-ca or verify-full",
                ));
            }
            _ => (),
        }
        let natural = match scheme.encryption {
            Encryption::Always => TlsMode::VerifyFull,
            Encryption::Agreed => self.natural_tls(),
            Encryption::Never(_) | Encryption::Local => TlsMode::Disable,
        };
        if is_unix {
            // As for libpq, which leaves Unix sockets alone.
            around = TlsOptions::default();
        }
        asked
            .tls(&around, natural)
            .map_err(|text| fault(&text, "remove one of them"))
    }

    /// Returns its place for messages: `db.lab:5432/shop`.
    #[must_use]
    pub fn place(&self) -> String {
        let base = self.path.is_empty() || self.path.starts_with('/');
        let slash = if base { "" } else { "/" };
        format!("{}{slash}{}", self.server(), self.path)
    }

    /// Returns where the server is: `db.lab:5432`, or the path of its socket.
    #[must_use]
    pub fn server(&self) -> String {
        match &self.address {
            Address::Tcp { host, port } => format!("{host}:{port}"),
            Address::Unix(path) => path.display().to_string(),
        }
    }

    /// Without `sslmode`: whoever leaves the machine encrypts where the server can.
    fn natural_tls(&self) -> TlsMode {
        match &self.address {
            Address::Tcp { host, .. } if !is_loopback(host) => TlsMode::Prefer,
            _ => TlsMode::Disable,
        }
    }
}

/// Returns true if a host is this one by its name or address.
fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// `host`, `host:port`, `[::1]:port`.
fn host_and_port(server: &str, default_port: u16) -> Option<(&str, u16)> {
    if let Some(rest) = server.strip_prefix('[') {
        let (host, rest) = rest.split_once(']')?;
        return match rest.strip_prefix(':') {
            Some(port) => Some((host, port.parse().ok()?)),
            None => rest.is_empty().then_some((host, default_port)),
        };
    }
    match server.split_once(':') {
        Some((host, port)) => Some((host, port.parse().ok().filter(|port| *port > 0)?)),
        None => Some((server, default_port)),
    }
}

#[cfg(test)]
#[path = "endpoint_tests.rs"]
mod tests;
