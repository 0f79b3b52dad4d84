//! Targets on servers: `scheme://[user@]host[:port][/path][?option=value&…]`.

use std::path::{Path, PathBuf};

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
    /// How a target names a Unix socket, where it can.
    pub socket: Option<SocketOption>,
    /// What the path of a target is.
    pub path: PathKind,
    /// Whether a target may name a file with the password.
    pub password_file: bool,
    /// When its connections are encrypted.
    pub encryption: Encryption,
}

/// An option that names a Unix socket.
pub struct SocketOption {
    /// Its name.
    pub name: &'static str,
    /// The socket that its value and a port mean.
    pub path: fn(&str, u16) -> PathBuf,
}

/// What the path of a target is.
pub enum PathKind {
    /// The name of something on the server, which every target has.
    Name {
        /// What it is: `database`.
        what: &'static str,
        /// One, and whoever may look into it, as in `user@host/database`.
        example: (&'static str, &'static str),
    },
    /// With what the path of each request begins, as it is sent; a target need not have it, and names no
    /// user.
    Base,
}

/// When connections are encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// Never: another scheme is for that, of this name.
    Never(&'static str),
    /// As the target asks for, once client and server have agreed on it.
    Agreed,
    /// From the first byte on.
    Always,
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
    /// The database, the suffix of a directory, or with what the path of each request begins: empty, or a
    /// slash and more, without a slash at the end.
    pub path: String,
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
            return Err(fault("names a user, which no target of this kind has"));
        }
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
            path,
            password_file: None,
            tls: Tls::new(TlsMode::Disable),
        };
        let mut mode = None;
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let value = decoded(value).ok_or_else(|| fault("has an option that is not UTF-8"))?;
            match (name, &scheme.socket) {
                ("sslmode", _) => {
                    let known = TLS_MODES.iter().find(|(word, _)| *word == value);
                    mode = Some(known.ok_or_else(|| unknown(field, "sslmode", &value))?.1);
                }
                ("sslrootcert", _) => endpoint.tls.roots = Some(Path::new(&*value).into()),
                ("password_file", _) if scheme.password_file => {
                    endpoint.password_file = Some(value.into());
                }
                (name, Some(socket)) if name == socket.name => {
                    endpoint.address = Address::Unix((socket.path)(&value, port));
                }
                _ => {
                    return Err(JobError::at(field, format!("there is no option `{name}`"))
                        .hint(format!("the options are {}", scheme.options())));
                }
            }
        }
        endpoint.tls.mode = endpoint.tls_mode(mode, scheme, field)?;
        if endpoint.tls.mode > TlsMode::Disable && matches!(endpoint.address, Address::Unix(_)) {
            return Err(JobError::at(field, "a Unix socket has no TLS").hint("leave out sslmode"));
        }
        match &endpoint.address {
            Address::Tcp { host, .. } if host.is_empty() => Err(fault("names no host")),
            _ => Ok(endpoint),
        }
    }

    /// How much TLS is insisted on, where the target asks for `wish`.
    fn tls_mode(
        &self,
        wish: Option<TlsMode>,
        scheme: &Scheme,
        field: &str,
    ) -> Result<TlsMode, JobError> {
        let fault = |text: String, hint: String| Err(JobError::at(field, text).hint(hint));
        match (scheme.encryption, wish) {
            (Encryption::Always, Some(TlsMode::Disable | TlsMode::Prefer)) => fault(
                format!("{} is TLS", scheme.name),
                "leave out sslmode, or use require, verify-ca or verify-full".to_owned(),
            ),
            (Encryption::Never(other), Some(mode)) if mode > TlsMode::Disable => fault(
                format!("{} is never TLS", scheme.name),
                format!("use {other}://, or leave out sslmode"),
            ),
            (Encryption::Never(other), _) if self.tls.roots.is_some() => fault(
                format!("{} is never TLS", scheme.name),
                format!("use {other}://, or leave out sslrootcert"),
            ),
            (_, Some(mode)) => Ok(mode),
            (Encryption::Always, None) => Ok(TlsMode::VerifyFull),
            (Encryption::Never(_), None) => Ok(TlsMode::Disable),
            (Encryption::Agreed, None) => Ok(self.natural_tls()),
        }
    }

    /// For errors: `db.lab:5432/shop`.
    #[must_use]
    pub fn place(&self) -> String {
        let base = self.path.is_empty() || self.path.starts_with('/');
        let slash = if base { "" } else { "/" };
        match &self.address {
            Address::Tcp { host, port } => format!("{host}:{port}{slash}{}", self.path),
            Address::Unix(path) => format!("{}{slash}{}", path.display(), self.path),
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

impl Scheme {
    /// The one of `schemes` with which `target` begins.
    #[must_use]
    pub fn of<'a>(target: &str, schemes: &'a [Self]) -> Option<&'a Self> {
        let (name, _) = target.split_once(':')?;
        schemes.iter().find(|scheme| scheme.name == name)
    }

    /// For hints: how a target looks.
    fn usual_target(&self) -> String {
        let (name, port) = (self.name, self.port);
        match (&self.path, &self.socket) {
            (PathKind::Base, _) => format!("{name}://host:{port}/ and what all paths begin with"),
            (PathKind::Name { example, .. }, socket) => {
                let (user, path) = example;
                let usual = format!("{name}://{user}@host:{port}/{path}");
                let Some(SocketOption { name: option, .. }) = socket else {
                    return usual;
                };
                format!("{usual}, or {name}://{user}@localhost/{path}?{option}=… for a Unix socket")
            }
        }
    }

    /// For hints: the options of a target.
    fn options(&self) -> String {
        let mut options = Vec::new();
        if !matches!(self.encryption, Encryption::Never(_)) {
            options.extend(["sslmode", "sslrootcert"]);
        }
        options.extend(self.socket.as_ref().map(|socket| socket.name));
        options.extend(self.password_file.then_some("password_file"));
        match options.as_slice() {
            [] => format!("none with {}", self.name),
            some => some.join(", "),
        }
    }
}

impl PathKind {
    /// What the text after the slash means; an error says what is wrong with the target.
    fn of(&self, text: &str) -> Result<String, String> {
        match self {
            Self::Name { what, .. } => decoded(text)
                .filter(|name| !name.is_empty() && !name.contains('/'))
                .ok_or_else(|| format!("names no {what}")),
            Self::Base
                if !text
                    .bytes()
                    .all(|byte| byte.is_ascii_graphic() && byte != b'#') =>
            {
                Err("has a path that cannot be sent as it is: percent-encode it".to_owned())
            }
            Self::Base => Ok(match text.trim_end_matches('/') {
                "" => String::new(),
                base => format!("/{base}"),
            }),
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
        socket: Some(SocketOption {
            name: "host",
            path: |folder, port| PathBuf::from(format!("{folder}/.s.PGSQL.{port}")),
        }),
        path: PathKind::Name {
            what: "database",
            example: ("user", "database"),
        },
        password_file: false,
        encryption: Encryption::Agreed,
    };
    const HTTP: Scheme = Scheme {
        name: "http",
        port: 80,
        socket: None,
        path: PathKind::Base,
        password_file: false,
        encryption: Encryption::Never("https"),
    };
    const HTTPS: Scheme = Scheme {
        name: "https",
        port: 443,
        encryption: Encryption::Always,
        ..HTTP
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
        assert_eq!(found.path, "sh op");
        assert_eq!(found.place(), "db.lab:5433/sh op");
        assert_eq!(found.tls.mode, TlsMode::VerifyFull);
        assert_eq!(found.tls.roots.as_deref(), Some(Path::new("/ca.pem")));
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

    #[test]
    fn a_target_without_a_name_on_the_server_may_have_a_base_of_its_paths() {
        for (url, path, place) in [
            ("http://web.lab", "", "web.lab:80"),
            ("http://web.lab:8080/", "", "web.lab:8080"),
            ("http://[::1]/a/b%20c/", "/a/b%20c", "::1:80/a/b%20c"),
        ] {
            let found = Endpoint::of(url, "", &HTTP).unwrap();
            assert_eq!((found.path.as_str(), found.place().as_str()), (path, place));
            assert_eq!(found.tls.mode, TlsMode::Disable);
        }
        let found = Endpoint::of("https://web.lab", "", &HTTPS).unwrap();
        assert_eq!((found.port, found.tls.mode), (443, TlsMode::VerifyFull));
        for (url, scheme, says) in [
            ("http://me@web.lab", &HTTP, "names a user"),
            ("http://web.lab?sslmode=require", &HTTP, "use https://"),
            ("http://web.lab?sslrootcert=/ca.pem", &HTTP, "use https://"),
            ("http://web.lab?socket=/run/web", &HTTP, "none with http"),
            ("https://web.lab?sslmode=prefer", &HTTPS, "https is TLS"),
            ("http://web.lab/a b", &HTTP, "percent-encode"),
            ("http://", &HTTP, "names no host"),
        ] {
            let error = Endpoint::of(url, "targets[0]", scheme).expect_err(url);
            assert!(error.to_string().contains(says), "{error}");
            assert!(!error.hint.is_empty(), "{error}");
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
