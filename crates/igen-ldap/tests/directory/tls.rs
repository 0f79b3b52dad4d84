//! `StartTLS`, and TLS from the first byte on.

use igen_net::testing::certificate;

use crate::directory;
use crate::slapd::Slapd;

#[tokio::test(flavor = "local")]
async fn certificates_are_checked_as_far_as_asked_for() {
    let certificates = tempfile::tempdir().unwrap();
    let path = |name: &str| certificates.path().join(name).display().to_string();
    if !(certificate(&path("server"), 0o644) && certificate(&path("other"), 0o644)) {
        println!("skipped: openssl is not installed");
        return;
    }
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(certificates.path(), open).unwrap();
    let tls = format!(
        "TLSCertificateFile {0}.pem\nTLSCertificateKeyFile {0}.key",
        path("server")
    );
    let Some(server) = Slapd::start(&tls, "") else {
        return;
    };
    for (host, mode, roots, works) in [
        ("127.0.0.1", "prefer", "other", true),
        ("127.0.0.1", "require", "server", true),
        ("127.0.0.1", "require", "other", false),
        ("localhost", "verify-full", "server", true),
        ("127.0.0.1", "verify-ca", "server", true),
        ("127.0.0.1", "verify-full", "server", false),
        ("localhost", "verify-ca", "other", false),
    ] {
        let options = format!("?sslmode={mode}&sslrootcert={}.pem", path(roots));
        for target in [
            server.anonymous(host, &options),
            server.encrypted(host, &options),
        ] {
            if mode == "prefer" && target.starts_with("ldaps") {
                continue;
            }
            match directory(&target).connect().await {
                Ok(_) => {
                    assert!(works, "{target}");
                    let facts = directory(&target).facts().await;
                    let tls = facts
                        .iter()
                        .find(|fact| fact.name.rsplit('.').next() == Some("tls"))
                        .unwrap();
                    assert!(tls.value.as_str().unwrap().starts_with("TLSv1"), "{tls:?}");
                }
                Err(failure) => {
                    assert!(
                        !works && failure.reason.text.contains("certificate"),
                        "{failure:?}"
                    );
                }
            }
        }
    }
}

#[tokio::test(flavor = "local")]
async fn a_server_without_tls_is_refused_where_tls_is_asked_for() {
    let Some(server) = Slapd::start("", "") else {
        return;
    };
    let refused = server.anonymous("127.0.0.1", "?sslmode=require");
    let failure = directory(&refused).connect().await.err().expect("no TLS");
    assert_eq!(failure.reason.text, "the server does not support StartTLS");
    let preferred = server.anonymous("127.0.0.1", "?sslmode=prefer");
    directory(&preferred).connect().await.unwrap();
    // TLS from the first byte on, to somebody who speaks none.
    let tls = server.anonymous("127.0.0.1", "?sslmode=require");
    let tls = tls.replace("ldap://", "ldaps://");
    directory(&tls).connect().await.err().expect("no TLS");
}
