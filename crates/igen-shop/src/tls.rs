//! TLS of the servers, by a certificate and a key from files.

use std::path::Path;
use std::sync::Arc;

use igen_job::JobError;
pub use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// HTTP/2 among the protocols that both sides can agree on under TLS (ALPN).
pub const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";
/// Protocols of the tiers, the preferred one first.
pub const BOTH: &[&[u8]] = &[HTTP2, HTTP1];
/// Protocol of a server that supports only HTTP/1.1.
pub const HTTP1_ONLY: &[&[u8]] = &[HTTP1];

/// Returns the configuration of a server with these protocols for TLS 1.2 and 1.3, from two PEM files: its certificate,
/// followed by its chain, and the key.
pub fn config(
    certificate: &Path,
    key: &Path,
    protocols: &[&[u8]],
) -> Result<Arc<ServerConfig>, JobError> {
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unreadable("--certificate", certificate, &error))?;
    let key_of_it =
        PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable("--key", key, &error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| {
            builder
                .with_no_client_auth()
                .with_single_cert(chain, key_of_it)
        })
        .map_err(|error| {
            JobError::at(
                "--certificate",
                format!("{}: {error}", certificate.display()),
            )
            .hint("use the private key of this certificate, both in PEM")
        })?;
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    Ok(Arc::new(config))
}

fn unreadable(option: &str, path: &Path, error: &dyn std::fmt::Display) -> JobError {
    JobError::at(option, format!("{}: {error}", path.display())).hint("use a file in PEM")
}
