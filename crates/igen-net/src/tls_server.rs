//! A server's side of TLS, for tests.

#![allow(clippy::unwrap_used)]

use std::sync::{Arc, OnceLock};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, SupportedProtocolVersion, crypto};

use crate::testing::certificate;

/// A certificate for `localhost` that nobody trusts, and its key: made once, which takes a while.
static IDENTITY: OnceLock<(CertificateDer<'static>, PrivateKeyDer<'static>)> = OnceLock::new();

/// The server's side of TLS, of that version only.
pub(crate) fn tls_server(version: &'static SupportedProtocolVersion) -> ServerConnection {
    let (certificate, key) = IDENTITY.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server");
        let path = path.to_str().unwrap();
        assert!(certificate(path, 0o600), "openssl is needed");
        (
            CertificateDer::from_pem_file(format!("{path}.pem")).unwrap(),
            PrivateKeyDer::from_pem_file(format!("{path}.key")).unwrap(),
        )
    });
    let provider = Arc::new(crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key.clone_key())
        .unwrap();
    ServerConnection::new(Arc::new(config)).unwrap()
}
