//! Targets on servers: `scheme://[user@]host[:port]/database[?option=value&…]`.

use std::path::PathBuf;
use std::sync::Arc;

use igen_job::JobError;
use percent_encoding::percent_decode_str;

use crate::address::Address;
use crate::tls::{Tls, TlsMode};

/// What a scheme means by its targets.
pub struct Scheme {
    /// Its name, before `://`.
    pub name: &'static str,
    /// The port of a target that names none.
    pub port: u16,
    /// The option that names a Unix socket.
    pub socket_option: &'static str,
    /// The socket that this option and a port mean.
    pub socket: fn(&str, u16) -> PathBuf,
    /// What the path of a target is: `database`.
    pub path: &'static str,
    /// A path and whoever may look into it, as in `user@host/database`.
    pub example: (&'static str, &'static str),
    /// Whether a target may name a file with the password.
    pub password_file: bool,
    /// TLS from the first byte on: never without.
    pub tls: bool,
}

/// What a target names on a server, and how it is reached.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Where the server listens.
    pub address: Address,
    /// The port, which also belongs to a Unix socket.
    pub port: u16,
    /// Who connects, where the target says so.
    pub user: Option<String>,
    /// The database, or the suffix of a directory.
    pub database: String,
    /// The file with the password, where the target names one.
    pub password_file: Option<PathBuf>,
    /// Whether, and how, the connection is encrypted.
    pub tls: Tls,
}

const TLS_MODES: &[(&str, TlsMode)] = &[
    ("disable", TlsMode::Disable),
    ("prefer", TlsMode::Prefer),
    ("require", TlsMode::Require),
    ("verify-ca", TlsMode::VerifyCa),
    ("verify-full", TlsMode::VerifyFull),
];

impl Endpoint {
    /// Reads `url`; an error is about the field `field` of the job. `Job::check` has refused
    /// passwords before.
    pub fn of(url: &str, field: &str, scheme: &Scheme) -> Result<Self, JobError> {
        let fault = |what: &str| {
            let (user, path) = scheme.example;
            let (name, port, option) = (scheme.name, scheme.port, scheme.socket_option);
            JobError::at(field, format!("`{url}` {what}")).hint(format!(
                "use {name}://{user}@host:{port}/{path}, or {name}://{user}@localhost/{path}?{option}=… for a \
                 Unix socket"
            ))
        };
        let rest = url
            .split_once("://")
            .filter(|(name, _)| *name == scheme.name)
            .map(|(_, rest)| rest)
            .ok_or_else(|| fault(&format!("is not a {} target", scheme.name)))?;
        let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = place.split_once('/').unwrap_or((place, ""));
        let database = decoded(database).filter(|name| !name.is_empty() && !name.contains('/'));
        let database = database.ok_or_else(|| fault(&format!("names no {}", scheme.path)))?;
        let (user, server) = match authority.rsplit_once('@') {
            Some((user, server)) => (Some(user), server),
            None => (None, authority),
        };
        let user = user.map(|user| decoded(user).filter(|user| !user.is_empty()));
        let user = user.map(|user| user.ok_or_else(|| fault("has no valid user")));
        let (host, port) =
            host_and_port(server, scheme.port).ok_or_else(|| fault("has no valid port"))?;
        let mut endpoint = Self {
            address: Address::Tcp {
                host: decoded(host).ok_or_else(|| fault("has no valid host"))?,
                port,
            },
            port,
            user: user.transpose()?,
            database,
            password_file: None,
            tls: Tls {
                mode: TlsMode::Disable,
                roots: None,
                config: Arc::default(),
            },
        };
        let mut mode = None;
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let value = decoded(value).ok_or_else(|| fault("has an option that is not UTF-8"))?;
            match name {
                "sslmode" => {
                    let known = TLS_MODES.iter().find(|(word, _)| *word == value);
                    mode = Some(known.ok_or_else(|| unknown(field, "sslmode", &value))?.1);
                }
                "sslrootcert" => endpoint.tls.roots = Some(value.into()),
                "password_file" if scheme.password_file => {
                    endpoint.password_file = Some(value.into());
                }
                name if name == scheme.socket_option => {
                    endpoint.address = Address::Unix((scheme.socket)(&value, port));
                }
                _ => {
                    return Err(
                        JobError::at(field, format!("there is no option `{name}`")).hint(format!(
                            "the options are sslmode, sslrootcert, {}{}",
                            scheme.socket_option,
                            if scheme.password_file {
                                ", password_file"
                            } else {
                                ""
                            }
                        )),
                    );
                }
            }
        }
        endpoint.tls.mode = match mode {
            Some(TlsMode::Disable | TlsMode::Prefer) if scheme.tls => {
                return Err(JobError::at(field, format!("{} is TLS", scheme.name))
                    .hint("leave out sslmode, or use require, verify-ca or verify-full"));
            }
            Some(mode) => mode,
            None if scheme.tls => TlsMode::VerifyFull,
            None => endpoint.natural_tls(),
        };
        if endpoint.tls.mode > TlsMode::Disable && matches!(endpoint.address, Address::Unix(_)) {
            return Err(JobError::at(field, "a Unix socket has no TLS").hint("leave out sslmode"));
        }
        match &endpoint.address {
            Address::Tcp { host, .. } if host.is_empty() => Err(fault("names no host")),
            _ => Ok(endpoint),
        }
    }

    /// For errors: `db.lab:5432/shop`.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.address {
            Address::Tcp { host, port } => format!("{host}:{port}/{}", self.database),
            Address::Unix(path) => format!("{}/{}", path.display(), self.database),
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

fn unknown(field: &str, option: &str, value: &str) -> JobError {
    let known: Vec<&str> = TLS_MODES.iter().map(|(word, _)| *word).collect();
    JobError::at(field, format!("{option} cannot be `{value}`"))
        .hint(format!("use one of {}", known.join(", ")))
}

/// Whether a host is this one by its name or address.
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

fn decoded(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?;
    Some(text.into_owned()).filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use proptest::prelude::*;

    use super::*;

    const SCHEME: Scheme = Scheme {
        name: "postgresql",
        port: 5432,
        socket_option: "host",
        socket: |folder, port| PathBuf::from(format!("{folder}/.s.PGSQL.{port}")),
        path: "database",
        example: ("user", "database"),
        password_file: false,
        tls: false,
    };

    fn endpoint(url: &str) -> Result<Endpoint, JobError> {
        Endpoint::of(url, "targets[0]", &SCHEME)
    }

    #[test]
    fn every_part_is_read() {
        let found = endpoint(
            "postgresql://ig%40en@db.lab:5433/sh%20op?sslmode=verify-full&sslrootcert=/ca.pem",
        );
        let found = found.unwrap();
        assert_eq!(found.user.as_deref(), Some("ig@en"));
        assert_eq!(found.database, "sh op");
        assert_eq!(found.place(), "db.lab:5433/sh op");
        assert_eq!(found.tls.mode, TlsMode::VerifyFull);
        assert_eq!(found.tls.roots, Some(PathBuf::from("/ca.pem")));
    }

    #[test]
    fn a_socket_is_named_by_folder_and_port() {
        let found = endpoint("postgresql://igen@localhost:5433/shop?host=/run/postgresql").unwrap();
        let socket = PathBuf::from("/run/postgresql/.s.PGSQL.5433");
        assert_eq!(found.address, Address::Unix(socket));
        assert_eq!(endpoint("postgresql:///shop?host=/run").unwrap().user, None);
    }

    #[test]
    fn connections_that_leave_the_machine_prefer_tls() {
        for (url, mode) in [
            ("postgresql://db.lab/shop", TlsMode::Prefer),
            ("postgresql://127.0.0.1/shop", TlsMode::Disable),
            ("postgresql://[::1]:5432/shop", TlsMode::Disable),
            (
                "postgresql://localhost/shop?sslmode=require",
                TlsMode::Require,
            ),
        ] {
            assert_eq!(endpoint(url).unwrap().tls.mode, mode, "{url}");
        }
    }

    #[test]
    fn a_malformed_target_names_field_and_remedy() {
        for url in [
            "postgresql://db.lab",
            "postgresql://db.lab/",
            "postgresql:///shop",
            "postgresql://db.lab:0/shop",
            "postgresql://db.lab:http/shop",
            "postgresql://@db.lab/shop",
            "postgresql://db.lab/a/b",
            "postgresql://db.lab/shop?sslmode=maybe",
            "postgresql://db.lab/shop?timeout=5",
            "postgresql:///shop?host=/run&sslmode=require",
            "mysql://db.lab/shop",
        ] {
            let error = endpoint(url).expect_err(url);
            assert_eq!(error.path, "targets[0]", "{url}");
            assert!(!error.hint.is_empty(), "{url}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in ".*") {
            let _ = endpoint(&text);
            let _ = endpoint(&format!("postgresql://{text}"));
        }
    }
}
