//! HTTP under TLS: what is negotiated, and whose sessions are resumed.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use igen_net::testing::certificate;
use igen_net::{Resumption, TlsFault};
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::{Client, Error, Protocol, Reading, Request, Site, TlsSessions};

pub const LIMIT: Duration = Duration::from_secs(20);

/// A server's side of TLS, of that version only.
pub fn config(path: &str, version: &'static rustls::SupportedProtocolVersion) -> ServerConfig {
    let chain = CertificateDer::pem_file_iter(format!("{path}.pem")).unwrap();
    let chain = chain.collect::<Result<_, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(format!("{path}.key")).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
}

/// Tells each of so many clients which protocol was agreed on.
async fn serve(listener: TcpListener, acceptor: TlsAcceptor, clients: usize) {
    for _ in 0..clients {
        let (stream, _) = listener.accept().await.unwrap();
        let Ok(mut stream) = acceptor.accept(stream).await else {
            continue;
        };
        let agreed = stream
            .get_ref()
            .1
            .alpn_protocol()
            .unwrap_or_default()
            .to_vec();
        let agreed = String::from_utf8(agreed).unwrap();
        let _asked = stream.read(&mut [0; 1024]).await.unwrap();
        let length = agreed.len();
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{agreed}"
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
        // The client may have left.
        let _ = stream.shutdown().await;
    }
}

/// Connects and asks once; whether a session was resumed.
async fn visit(client: &mut Client) -> Result<bool, Error> {
    client.connect().await?;
    let resumed = client.encrypt().await?;
    let request = Request::new("GET", "localhost", "/", &[], b"").unwrap();
    let answer = client
        .ask(&request, &Reading::new(Some("http/1.1"), 100))
        .await
        .unwrap();
    assert!(answer.contains, "no protocol was agreed on");
    Ok(resumed)
}

/// Visits of two users: the first one comes twice, then the second one, all in turn.
async fn visits(
    path: &Path,
    version: &'static rustls::SupportedProtocolVersion,
    resumption: Resumption,
) -> [bool; 3] {
    let path = path.to_str().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let target = format!("https://localhost:{port}?sslrootcert={path}.pem");
    let visiting = async {
        let site = Arc::new(Site::of(&target, "", Protocol::Http1).unwrap());
        let sessions = TlsSessions::of(&site, resumption).unwrap();
        let mut users = [(); 2].map(|()| Client::new(&site, &sessions, LIMIT).unwrap());
        let [first, second] = &mut users;
        [
            visit(first).await.unwrap(),
            visit(first).await.unwrap(),
            visit(second).await.unwrap(),
        ]
    };
    let acceptor = TlsAcceptor::from(Arc::new(config(path, version)));
    tokio::join!(serve(listener, acceptor, 3), visiting).1
}

#[tokio::test]
async fn a_user_resumes_its_own_session_and_nobody_else_s() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server");
    assert!(
        certificate(path.to_str().unwrap(), 0o600),
        "openssl is needed"
    );
    for version in [&rustls::version::TLS13, &rustls::version::TLS12] {
        let own = visits(&path, version, Resumption::Own).await;
        assert_eq!(own, [false, true, false], "{version:?}");
        let never = visits(&path, version, Resumption::Never).await;
        assert_eq!(never, [false; 3], "{version:?}");
    }
}

#[tokio::test]
async fn whom_nobody_trusts_or_knows_by_that_name_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server");
    let path = path.to_str().unwrap();
    assert!(certificate(path, 0o600), "openssl is needed");
    for (host, options, fault) in [
        ("localhost", String::new(), TlsFault::UnknownAuthority),
        (
            "127.0.0.1",
            format!("?sslrootcert={path}.pem"),
            TlsFault::OtherName,
        ),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let visiting = async {
            let site = Arc::new(
                Site::of(
                    &format!("https://{host}:{port}{options}"),
                    "",
                    Protocol::Http1,
                )
                .unwrap(),
            );
            let sessions = TlsSessions::of(&site, Resumption::Own).unwrap();
            let mut client = Client::new(&site, &sessions, LIMIT).unwrap();
            visit(&mut client).await
        };
        let acceptor = TlsAcceptor::from(Arc::new(config(path, &rustls::version::TLS13)));
        let server = serve(listener, acceptor, 1);
        let error = tokio::join!(server, visiting).1.unwrap_err();
        assert_eq!(error.reason(), fault.text());
        let error = error.job_error("web.lab");
        assert_eq!(error.hint, fault.remedy());
    }
}
