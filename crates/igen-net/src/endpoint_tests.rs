//! Tests of targets on servers.
#![allow(clippy::unwrap_used, clippy::expect_used)]
use proptest::prelude::*;

use super::*;
use crate::scheme::SocketOption;
use crate::surroundings::{self, Surroundings};
use std::path::Path;

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
    application: true,
    encryption: Encryption::Agreed,
    surroundings: surroundings::none,
};
const HTTP: Scheme = Scheme {
    name: "http",
    port: 80,
    socket: None,
    path: PathKind::Base,
    password_file: false,
    application: false,
    encryption: Encryption::Never("https"),
    surroundings: surroundings::none,
};
const HTTPS: Scheme = Scheme {
    name: "https",
    port: 443,
    encryption: Encryption::Always,
    ..HTTP
};

fn endpoint(url: &str) -> Result<Endpoint, JobError> {
    Endpoint::of(url, "targets[0]", &SCHEME, Credentials::Own)
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
fn every_part_may_be_percent_encoded() {
    let found =
        endpoint("postgresql://a%2Fb@db%2Elab/s%2Fh%3F?application%5Fname=my%20app%26").unwrap();
    assert_eq!(found.user.as_deref(), Some("a/b"));
    assert_eq!(
        (found.place().as_str(), found.path.as_str()),
        ("db.lab:5432/s/h?", "s/h?")
    );
    assert_eq!(found.application.as_deref(), Some("my app&"));
    let found = endpoint("postgresql://igen@%2Frun%2Fpostgresql:5433/shop").unwrap();
    assert_eq!(
        found.address,
        Address::Unix("/run/postgresql/.s.PGSQL.5433".into())
    );
    assert!(endpoint("postgresql://db.lab/a/b").is_err());
}

#[test]
fn options_of_tls_are_honoured_or_refused_as_by_libpq() {
    let tls = |options: &str| endpoint(&format!("postgresql://127.0.0.1/shop?{options}"));
    for (options, mode, roots) in [
        (
            "sslmode=require&sslrootcert=/ca.pem",
            TlsMode::VerifyCa,
            true,
        ),
        ("sslmode=prefer&ssl-ca=/ca.pem", TlsMode::Prefer, true),
        ("sslrootcert=/ca.pem", TlsMode::VerifyFull, true),
        (
            "sslmode=verify-full&sslrootcert=system",
            TlsMode::VerifyFull,
            false,
        ),
        ("sslcert=/c.pem&sslkey=/c.key", TlsMode::Require, false),
    ] {
        let tls = tls(options).unwrap().tls;
        assert_eq!((tls.mode, tls.roots.is_some()), (mode, roots), "{options}");
    }
    let identity = |options: &str| {
        let shown = tls(options).unwrap().tls.identity.unwrap();
        (shown.certificate.clone(), shown.key.clone())
    };
    let files = |certificate: &str, key: &str| (certificate.into(), key.into());
    assert_eq!(
        identity("ssl-cert=/c.pem&ssl-key=/c.key"),
        files("/c.pem", "/c.key")
    );
    assert_eq!(
        identity("sslmode=require&sslcert=/both.pem"),
        files("/both.pem", "/both.pem")
    );
    for refused in [
        "sslmode=allow",
        "sslmode=verify-ca&sslrootcert=system",
        "sslmode=disable&sslcert=/c.pem",
        "sslkey=/c.key",
    ] {
        assert!(tls(refused).is_err(), "{refused}");
    }
}

#[test]
fn settings_around_count_if_the_target_does_not_say_otherwise() {
    const SURROUNDED: Scheme = Scheme {
        surroundings: || {
            let mut around = Surroundings::default();
            around.tls.take("sslmode", "verify-full")?;
            around.tls.take("sslcert", "/mine.pem")?;
            around.application = Some("mine".to_owned());
            Ok(around)
        },
        ..SCHEME
    };
    let read = |url: &str, whose| Endpoint::of(url, "", &SURROUNDED, whose).unwrap();
    let found = |url: &str| read(url, Credentials::Own);
    let plain = found("postgresql://127.0.0.1/shop");
    assert_eq!(plain.tls.mode, TlsMode::VerifyFull);
    assert_eq!(plain.application.as_deref(), Some("mine"));
    assert_eq!(
        plain.tls.identity.unwrap().certificate,
        Path::new("/mine.pem")
    );
    let said = found("postgresql://127.0.0.1/shop?sslmode=disable&application_name=it");
    assert_eq!(said.tls.mode, TlsMode::Disable);
    assert!(said.tls.identity.is_none());
    assert_eq!(said.application.as_deref(), Some("it"));
    for strangers in ["", "?sslcert=/theirs.pem"] {
        let url = format!("postgresql://127.0.0.1/shop{strangers}");
        let found = read(&url, Credentials::None);
        assert_eq!(found.tls.mode, TlsMode::VerifyFull);
        assert!(found.tls.identity.is_none());
    }
    let socket = found("postgresql:///shop?host=/run");
    assert_eq!(socket.tls.mode, TlsMode::Disable);
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
        "postgresql://db.lab/shop?sslmode=allow",
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
        let found = Endpoint::of(url, "", &HTTP, Credentials::Own).unwrap();
        assert_eq!((found.path.as_str(), found.place().as_str()), (path, place));
        assert_eq!(found.tls.mode, TlsMode::Disable);
    }
    let found = Endpoint::of("https://web.lab", "", &HTTPS, Credentials::Own).unwrap();
    assert_eq!((found.port, found.tls.mode), (443, TlsMode::VerifyFull));
    for (url, scheme, says) in [
        ("http://me@web.lab", &HTTP, "has a user"),
        ("http://web.lab?sslmode=require", &HTTP, "use https://"),
        ("http://web.lab?sslrootcert=/ca.pem", &HTTP, "use https://"),
        (
            "http://web.lab?socket=/run/web",
            &HTTP,
            "not available for http",
        ),
        (
            "https://web.lab?sslmode=prefer",
            &HTTPS,
            "https always uses TLS",
        ),
        ("http://web.lab/a b", &HTTP, "percent-encode"),
        ("http://", &HTTP, "has no host"),
    ] {
        let error = Endpoint::of(url, "targets[0]", scheme, Credentials::Own).expect_err(url);
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
