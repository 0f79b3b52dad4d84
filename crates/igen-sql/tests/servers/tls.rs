//! Encryption.

use igen_net::testing::certificate;

use crate::load::{content, open};
use crate::server::{Product, Server, give};

on_each_server!(
    a_client_certificate_is_shown_and_its_lack_is_said,
    tls_is_used_and_checked_as_far_as_asked_for,
    a_server_without_tls_is_refused_where_tls_is_asked_for,
);

/// Returns a folder with a certificate and a key of each name, which servers may read. `None` without openssl.
fn certificates(names: &[&str]) -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        // PostgreSQL refuses a key that others may read.
        if !certificate(&folder.path().join(name).display().to_string(), 0o600) {
            println!("skipped: openssl is not installed");
            return None;
        }
    }
    std::fs::set_permissions(
        folder.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    Some(folder)
}

async fn tls_is_used_and_checked_as_far_as_asked_for(product: Product) {
    let Some(certificates) = certificates(&["server", "other"]) else {
        return;
    };
    let path = |name: &str| certificates.path().join(name).display().to_string();
    let (certificate, key) = (path("server") + ".pem", path("server") + ".key");
    let options = match product {
        Product::Mariadb => vec![
            format!("--ssl-cert={certificate}"),
            format!("--ssl-key={key}"),
        ],
        Product::Postgresql => [
            "ssl=on".to_owned(),
            format!("ssl_cert_file={certificate}"),
            format!("ssl_key_file={key}"),
        ]
        .into_iter()
        .flat_map(|setting| ["-c".to_owned(), setting])
        .collect(),
    };
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    give(certificates.path(), product);
    let Some(server) = Server::start(product, &options) else {
        return;
    };
    server.create("encrypted");
    let by_name = server.target("encrypted").replace("127.0.0.1", "localhost");
    let by_address = server.target("encrypted");
    for (target, mode, roots, works) in [
        (&by_address, "prefer", "other", true),
        (&by_address, "require", "server", true),
        (&by_address, "require", "other", false),
        (&by_name, "verify-full", "server", true),
        (&by_address, "verify-ca", "server", true),
        (&by_address, "verify-full", "server", false),
        (&by_name, "verify-ca", "other", false),
    ] {
        let target = format!("{target}?sslmode={mode}&sslrootcert={}.pem", path(roots));
        let looked = open(&target).look(&content(1)).await;
        match looked {
            Ok(_) => assert!(works, "{target}"),
            Err(error) => assert!(!works && error.text.contains("certificate"), "{error}"),
        }
        if works {
            let facts = open(&target).facts().await;
            let tls = facts
                .iter()
                .find(|fact| fact.name.rsplit('.').next() == Some("tls"))
                .unwrap();
            assert!(tls.value.as_str().unwrap().starts_with("TLSv1"), "{tls:?}");
        }
    }
}

/// Options of a server that has this certificate, and trusts that one of clients.
fn mutual(product: Product, server: &str, client: &str) -> Vec<String> {
    match product {
        Product::Mariadb => vec![
            format!("--ssl-cert={server}.pem"),
            format!("--ssl-key={server}.key"),
            format!("--ssl-ca={client}.pem"),
        ],
        Product::Postgresql => [
            "ssl=on".to_owned(),
            format!("ssl_cert_file={server}.pem"),
            format!("ssl_key_file={server}.key"),
            format!("ssl_ca_file={client}.pem"),
        ]
        .into_iter()
        .flat_map(|setting| ["-c".to_owned(), setting])
        .collect(),
    }
}

async fn a_client_certificate_is_shown_and_its_lack_is_said(product: Product) {
    let Some(certificates) = certificates(&["server", "client", "other"]) else {
        return;
    };
    let path = |name: &str| certificates.path().join(name).display().to_string();
    let mut options = mutual(product, &path("server"), &path("client"));
    // The certificates are for `localhost`.
    let rules = "local all all trust\nhostssl all localhost 127.0.0.1/32 cert\n\
                 hostssl all root 127.0.0.1/32 cert\nhostssl all tls 127.0.0.1/32 trust\n";
    if product == Product::Postgresql {
        std::fs::write(path("hba"), rules).unwrap();
        options.extend(["-c".to_owned(), format!("hba_file={}", path("hba"))]);
    }
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    give(certificates.path(), product);
    let Some(server) = Server::start(product, &options) else {
        return;
    };
    server.create("certified");
    server.sql(
        "certified",
        match product {
            Product::Mariadb => {
                "CREATE USER tls REQUIRE SSL; CREATE USER localhost REQUIRE X509; \
                 GRANT ALL ON certified.* TO tls; GRANT ALL ON certified.* TO localhost; \
                 CREATE USER other REQUIRE SUBJECT '/CN=other'"
            }
            Product::Postgresql => "CREATE ROLE tls LOGIN; CREATE ROLE localhost LOGIN",
        },
    );
    let other_user = match product {
        Product::Mariadb => "other",
        Product::Postgresql => "root",
    };
    let shown = |name: &str| format!("sslmode=require&sslcert={0}.pem&sslkey={0}.key", path(name));
    for (user, options, hint) in [
        ("tls", "sslmode=require".to_owned(), None),
        ("localhost", shown("client"), None),
        ("tls", "sslmode=disable".to_owned(), Some("sslmode=require")),
        ("localhost", "sslmode=require".to_owned(), Some("sslcert")),
        ("localhost", shown("other"), Some("sslcert")),
        (other_user, shown("client"), Some("certificate")),
    ] {
        let target = server.target("certified");
        let target = target.replace("root@", &format!("{user}@")) + "?" + &options;
        match (open(&target).look(&content(1)).await, hint) {
            (Ok(_), None) => (),
            (Err(error), Some(hint)) => assert!(error.hint.contains(hint), "{target}: {error}"),
            (looked, _) => panic!("{target}: {looked:?}"),
        }
    }
    std::fs::set_permissions(
        path("client") + ".key",
        std::os::unix::fs::PermissionsExt::from_mode(0o644),
    )
    .unwrap();
    let target = server.target("certified").replace("root@", "localhost@");
    let error = open(&format!("{target}?{}", shown("client")))
        .look(&content(1))
        .await
        .expect_err("a key that others may read");
    assert!(error.text.contains("chmod 600"), "{error}");
}

async fn a_server_without_tls_is_refused_where_tls_is_asked_for(product: Product) {
    let Some(server) = Server::shared(product) else {
        return;
    };
    server.create("plain");
    let target = server.target("plain") + "?sslmode=require";
    let error = open(&target).look(&content(1)).await.expect_err("no TLS");
    assert!(error.text.contains("not support TLS"), "{error}");
    open(&(server.target("plain") + "?sslmode=prefer"))
        .look(&content(1))
        .await
        .expect("without TLS");
}
