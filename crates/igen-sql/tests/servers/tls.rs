//! Encryption.

use igen_net::testing::certificate;

use crate::load::{content, open};
use crate::server::{Product, Server, give};

on_each_server!(
    tls_is_used_and_checked_as_far_as_asked_for,
    a_server_without_tls_is_refused_where_tls_is_asked_for,
);

async fn tls_is_used_and_checked_as_far_as_asked_for(product: Product) {
    let certificates = tempfile::tempdir().unwrap();
    let path = |name: &str| certificates.path().join(name).display().to_string();
    for name in ["server", "other"] {
        // PostgreSQL refuses a key that others may read.
        if !certificate(&path(name), 0o600) {
            println!("skipped: openssl is not installed");
            return;
        }
    }
    std::fs::set_permissions(
        certificates.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
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
        (&by_address, "require", "other", true),
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
            let tls = facts.iter().find(|(name, _)| name == "tls").unwrap();
            assert!(tls.1.as_str().unwrap().starts_with("TLSv1"), "{tls:?}");
        }
    }
}

async fn a_server_without_tls_is_refused_where_tls_is_asked_for(product: Product) {
    let Some(server) = Server::shared(product) else {
        return;
    };
    server.create("plain");
    let target = server.target("plain") + "?sslmode=require";
    let error = open(&target).look(&content(1)).await.expect_err("no TLS");
    assert!(error.text.contains("no TLS"), "{error}");
    open(&(server.target("plain") + "?sslmode=prefer"))
        .look(&content(1))
        .await
        .expect("without TLS");
}
