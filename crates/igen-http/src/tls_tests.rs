//! HTTP under TLS: what is negotiated, and whose sessions are resumed.

#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use igen_net::testing::{certificate, expired_certificate};
use igen_net::{Resumption, TlsFault};
use rustls::crypto::CryptoProvider;
use rustls::crypto::ring::cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::{Client, Error, Protocol, Reading, Request, Site, TlsSessions};

pub const LIMIT: Duration = Duration::from_secs(20);

/// A server's side of TLS, of that version only.
pub fn config(path: &str, version: &'static rustls::SupportedProtocolVersion) -> ServerConfig {
    with(path, version, default_provider(), None)
}

/// The same with these ciphers, for clients that show this certificate.
fn with(
    path: &str,
    version: &'static rustls::SupportedProtocolVersion,
    provider: CryptoProvider,
    clients: Option<&str>,
) -> ServerConfig {
    let chain = CertificateDer::pem_file_iter(format!("{path}.pem")).unwrap();
    let chain = chain.collect::<Result<_, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(format!("{path}.key")).unwrap();
    let provider = Arc::new(provider);
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[version])
        .unwrap();
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(clients) => {
            let mut roots = RootCertStore::empty();
            roots
                .add(CertificateDer::from_pem_file(clients).unwrap())
                .unwrap();
            let known = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(known.build().unwrap())
        }
    };
    let mut config = builder.with_single_cert(chain, key).unwrap();
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
        .ask(&request, &Reading::new(Some("http/1.1"), 100), 0)
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
        let site =
            Arc::new(Site::of(&target, "", Protocol::Http1, igen_job::Credentials::Own).unwrap());
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

/// Why a client does not come to an agreement with the server at that port, and what to do about it.
async fn fault(target: &str, port: u16) -> (String, String) {
    let site = Arc::new(
        Site::of(
            &target.replace("PORT", &port.to_string()),
            "",
            Protocol::Http1,
            igen_job::Credentials::Own,
        )
        .unwrap(),
    );
    let sessions = TlsSessions::of(&site, Resumption::Own).unwrap();
    let mut client = Client::new(&site, &sessions, LIMIT).unwrap();
    let error = visit(&mut client).await.unwrap_err();
    (error.reason().to_string(), error.job_error("web.lab").hint)
}

/// The same of a server that has this configuration.
async fn fault_of(target: &str, config: ServerConfig) -> (String, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    tokio::join!(serve(listener, acceptor, 1), fault(target, port)).1
}

fn told(fault: TlsFault) -> (String, String) {
    (fault.text().to_owned(), fault.remedy().to_owned())
}

#[tokio::test]
async fn whom_nobody_trusts_or_knows_by_that_name_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server");
    let path = path.to_str().unwrap();
    assert!(certificate(path, 0o600), "openssl is needed");
    let named = format!("https://127.0.0.1:PORT?sslrootcert={path}.pem");
    for (target, expected) in [
        ("https://localhost:PORT", TlsFault::UnknownAuthority),
        (&named, TlsFault::OtherName),
    ] {
        let config = config(path, &rustls::version::TLS13);
        assert_eq!(fault_of(target, config).await, told(expected));
    }
}

#[tokio::test]
async fn a_client_certificate_is_shown_and_its_lack_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for name in ["server", "client", "other"] {
        assert!(certificate(&path(name), 0o600), "openssl is needed");
    }
    let shown = |name: &str| format!("&sslcert={0}.pem&sslkey={0}.key", path(name));
    for (options, expected) in [
        (shown("client"), None),
        (String::new(), Some(TlsFault::ClientCertificateLacks)),
        (shown("other"), Some(TlsFault::ClientCertificateRefused)),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let clients = path("client") + ".pem";
        let version = &rustls::version::TLS13;
        let config = with(&path("server"), version, default_provider(), Some(&clients));
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let target = format!(
            "https://localhost:{port}?sslrootcert={}.pem{options}",
            path("server")
        );
        let visiting = async {
            let site = Arc::new(
                Site::of(&target, "", Protocol::Http1, igen_job::Credentials::Own).unwrap(),
            );
            let sessions = TlsSessions::of(&site, Resumption::Own).unwrap();
            let mut client = Client::new(&site, &sessions, LIMIT).unwrap();
            client.connect().await.unwrap();
            if let Err(error) = client.encrypt().await {
                return Some(error);
            }
            let request = Request::new("GET", "localhost", "/", &[], b"").unwrap();
            let asked = client.ask(&request, &Reading::new(None, 100), 0).await;
            asked.err().map(|broken| broken.error)
        };
        let ((), refused) = tokio::join!(serve(listener, acceptor, 1), visiting);
        let reason = refused.map(|error| error.reason().to_string());
        assert_eq!(reason.as_deref(), expected.map(TlsFault::text), "{options}");
    }
}

#[tokio::test]
async fn a_certificate_that_is_too_old_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server");
    let path = path.to_str().unwrap();
    assert!(expired_certificate(path), "openssl is needed");
    let target = format!("https://localhost:PORT?sslrootcert={path}.pem");
    let config = config(path, &rustls::version::TLS13);
    assert_eq!(fault_of(&target, config).await, told(TlsFault::Expired));
}

#[tokio::test]
async fn a_server_without_a_cipher_or_a_version_in_common_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server");
    let path = path.to_str().unwrap();
    assert!(certificate(path, 0o600), "openssl is needed");
    let target = "https://localhost:PORT?sslmode=require";
    // Its ciphers are for another kind of key than it has.
    let mut provider = default_provider();
    provider.cipher_suites = vec![TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256];
    let config = with(path, &rustls::version::TLS12, provider, None);
    let expected = told(TlsFault::NothingInCommon);
    assert_eq!(fault_of(target, config).await, expected);
    // It knows TLS 1.1 only, and goes on as long as somebody could type.
    let mut server = Command::new("openssl")
        .args([
            "s_server",
            "-tls1_1",
            "-cipher",
            "ALL:@SECLEVEL=0",
            "-accept",
            "127.0.0.1:0",
        ])
        .args([
            "-cert",
            &format!("{path}.pem"),
            "-key",
            &format!("{path}.key"),
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let said = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut ports = said.map_while(Result::ok).filter_map(|line| {
        let address = line.strip_prefix("ACCEPT ")?;
        address.rsplit(':').next()?.parse::<u16>().ok()
    });
    // None where this openssl knows no version so old.
    let port = ports.next();
    let came = match port {
        Some(port) => fault(target, port).await,
        None => expected.clone(),
    };
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(came, expected);
}
