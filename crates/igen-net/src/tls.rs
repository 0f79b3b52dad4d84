//! TLS: how much a connection insists on it, and whom it trusts.

use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};
use tokio_rustls::TlsConnector;

/// Whether a connection is encrypted, and whom it trusts.
#[derive(Debug, Clone)]
pub struct Tls {
    /// How much it insists on it.
    pub mode: TlsMode,
    /// Certificates of the authorities that are trusted, in a PEM file; the system's when absent.
    pub roots: Option<PathBuf>,
    /// What follows from them, made by the first connection: the authorities of a system are many.
    pub config: Arc<OnceLock<Arc<ClientConfig>>>,
}

/// How much a connection insists on TLS, in libpq's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsMode {
    /// Never.
    Disable,
    /// If the server can; its certificate is not checked.
    Prefer,
    /// Always; the server's certificate is not checked.
    Require,
    /// Always; the certificate must be of a trusted authority.
    VerifyCa,
    /// Always; the certificate must also be for this host.
    VerifyFull,
}

/// What makes connections as `tls` asks for.
pub fn connector(tls: &Tls) -> Result<TlsConnector> {
    let config = if let Some(config) = tls.config.get() {
        config
    } else {
        let config = config(tls)?;
        tls.config.get_or_init(|| config)
    };
    Ok(TlsConnector::from(Arc::clone(config)))
}

fn config(tls: &Tls) -> Result<Arc<ClientConfig>> {
    let provider = Arc::new(ring::default_provider());
    let authorities = match tls.mode {
        TlsMode::VerifyCa | TlsMode::VerifyFull => {
            let roots = Arc::new(roots(tls.roots.as_deref())?);
            let verifier =
                WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(&provider)).build();
            Some(verifier.map_err(Error::other)?)
        }
        TlsMode::Disable | TlsMode::Prefer | TlsMode::Require => None,
    };
    let verifier = Verifier {
        authorities,
        check_name: tls.mode == TlsMode::VerifyFull,
        provider: Arc::clone(&provider),
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Certificates of the authorities in a PEM file, or of those that the system trusts.
fn roots(file: Option<&Path>) -> Result<RootCertStore> {
    let mut store = RootCertStore::empty();
    if let Some(path) = file {
        let fault = |what: String| {
            Error::new(
                ErrorKind::InvalidInput,
                format!("{}: {what}", path.display()),
            )
        };
        let certificates = CertificateDer::pem_file_iter(path);
        for certificate in certificates.map_err(|error| fault(error.to_string()))? {
            let certificate = certificate.map_err(|error| fault(error.to_string()))?;
            store
                .add(certificate)
                .map_err(|error| fault(error.to_string()))?;
        }
        if store.is_empty() {
            return Err(fault("there is no certificate in it".to_owned()));
        }
    } else {
        store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    Ok(store)
}

/// Checks a server's certificate as far as is asked for: not at all, its authority, or its name too.
#[derive(Debug)]
struct Verifier {
    authorities: Option<Arc<WebPkiServerVerifier>>,
    check_name: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        let Some(authorities) = &self.authorities else {
            return Ok(ServerCertVerified::assertion());
        };
        let verified = authorities.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        match verified {
            // The name is looked at last.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.check_name => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn certificates_are_read_once_for_all_connections() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let tls = |roots: &Path| Tls {
            mode: TlsMode::VerifyFull,
            roots: Some(roots.to_owned()),
            config: Arc::default(),
        };
        assert!(connector(&tls(file.path())).is_err(), "no certificate");
        let tls = Tls {
            mode: TlsMode::Require,
            ..tls(file.path())
        };
        connector(&tls).unwrap();
        let first = Arc::clone(tls.config.get().unwrap());
        connector(&tls.clone()).unwrap();
        assert!(Arc::ptr_eq(&first, tls.config.get().unwrap()));
    }
}
