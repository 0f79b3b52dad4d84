//! TLS: how much a connection insists on it, and whom it trusts.

use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme, client,
};

use crate::own_sessions::{OwnSessions, SessionsOfUsers};

/// Encryption of a connection, and the authorities that it trusts.
#[derive(Debug, Clone)]
pub struct Tls {
    /// Mode, in the words of libpq.
    pub mode: TlsMode,
    /// Certificates of the authorities that are trusted, in a PEM file; the system's when absent.
    pub roots: Option<Arc<Path>>,
    /// The certificate that the client shows if the server asks for one.
    pub identity: Option<Arc<Identity>>,
    /// Protocols that the client offers to speak under it (ALPN), the best first; none are told when empty.
    pub protocols: &'static [&'static str],
    /// What follows from them, made by the first connection: the authorities of a system are many.
    configs: Arc<Configs>,
    /// Those of one user alone.
    sessions: Option<Arc<OwnSessions>>,
}

/// A client's certificate and its private key, in PEM files that may be the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The certificate, and the certificates of the authorities between it and the root.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// How connections are made, by whose sessions they resume.
#[derive(Debug, Default)]
struct Configs {
    /// Each other's.
    shared: OnceLock<Arc<ClientConfig>>,
    /// Those of their users.
    apart: OnceLock<Arc<ClientConfig>>,
}

/// Earlier TLS sessions that a connection may resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resumption {
    /// Sessions of the same user.
    Own,
    /// No sessions: each handshake is a full one.
    Never,
}

impl Tls {
    /// In this mode, with the authorities that the system trusts. All its connections resume each other's
    /// sessions, whoever opened them.
    #[must_use]
    pub fn new(mode: TlsMode) -> Self {
        Self {
            mode,
            roots: None,
            identity: None,
            protocols: &[],
            configs: Arc::default(),
            sessions: None,
        }
    }

    /// The same trust for one user alone: a process that stands for many users must not let them resume each
    /// other's sessions, or most handshakes would cost the server less than they do in truth. With `Never`
    /// one is enough for all.
    pub fn apart(&self, resumption: Resumption) -> Result<Self> {
        let shared = self.shared_config()?;
        let with = |resumption| {
            let mut config = ClientConfig::clone(shared);
            config.resumption = resumption;
            Arc::new(config)
        };
        let own = || with(client::Resumption::store(Arc::new(SessionsOfUsers)));
        Ok(match resumption {
            Resumption::Own => {
                self.configs.apart.get_or_init(own);
                Self {
                    sessions: Some(Arc::default()),
                    ..self.clone()
                }
            }
            Resumption::Never => Self {
                configs: Arc::new(Configs {
                    shared: OnceLock::from(with(client::Resumption::disabled())),
                    ..Configs::default()
                }),
                ..self.clone()
            },
        })
    }

    /// The sessions of the user whose this is; `None` where all share theirs.
    pub(crate) fn sessions(&self) -> Option<&Arc<OwnSessions>> {
        self.sessions.as_ref()
    }

    /// How connections are made as asked for.
    pub(crate) fn client_config(&self) -> Result<Arc<ClientConfig>> {
        let config = match (&self.sessions, self.configs.apart.get()) {
            (Some(_), Some(apart)) => apart,
            _ => self.shared_config()?,
        };
        Ok(Arc::clone(config))
    }

    fn shared_config(&self) -> Result<&Arc<ClientConfig>> {
        if let Some(config) = self.configs.shared.get() {
            return Ok(config);
        }
        let config = config(self)?;
        Ok(self.configs.shared.get_or_init(|| config))
    }
}

/// Mode of TLS, in the words of libpq.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsMode {
    /// Never.
    Disable,
    /// TLS if the server supports it; its certificate is not checked.
    Prefer,
    /// Always; the server's certificate is not checked.
    Require,
    /// Always; the certificate must be of a trusted authority.
    VerifyCa,
    /// Always; the certificate must also be for this host.
    VerifyFull,
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
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = match &tls.identity {
        None => builder.with_no_client_auth(),
        Some(identity) => {
            let (certificates, key) = identity.read()?;
            let fault = |error: rustls::Error| fault(&identity.certificate, &error.to_string());
            builder
                .with_client_auth_cert(certificates, key)
                .map_err(fault)?
        }
    };
    config.alpn_protocols = tls
        .protocols
        .iter()
        .map(|name| name.as_bytes().to_vec())
        .collect();
    Ok(Arc::new(config))
}

impl Identity {
    /// Reads both files. As for libpq, a key that others may read is refused.
    fn read(&self) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)> {
        let certificates = certificates(&self.certificate)?;
        let of_key = |what: &str| fault(&self.key, what);
        let metadata = fs::metadata(&self.key).map_err(|error| of_key(&error.to_string()))?;
        // Root may share its keys with a group.
        let others = if metadata.uid() == 0 { 0o037 } else { 0o077 };
        if metadata.mode() & others != 0 {
            return Err(of_key(
                "the private key is readable by other users: run `chmod 600` on it",
            ));
        }
        let key = PrivateKeyDer::from_pem_file(&self.key).map_err(|error| match error {
            pem::Error::NoItemsFound => of_key(
                "it does not contain a readable private key; `openssl pkey -in KEY -out PLAIN` removes \
                 the password of a key",
            ),
            error => of_key(&error.to_string()),
        })?;
        Ok((certificates, key))
    }
}

/// Reads the certificates in a PEM file, of which there must be one.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let of_file = |error: pem::Error| fault(path, &error.to_string());
    let read = CertificateDer::pem_file_iter(path).map_err(of_file)?;
    let read: Vec<_> = read
        .collect::<std::result::Result<_, _>>()
        .map_err(of_file)?;
    if read.is_empty() {
        return Err(fault(path, "it does not contain a certificate"));
    }
    Ok(read)
}

/// Returns the certificates of the authorities in a PEM file, or of those that the system trusts.
fn roots(file: Option<&Path>) -> Result<RootCertStore> {
    let mut store = RootCertStore::empty();
    if let Some(path) = file {
        for certificate in certificates(path)? {
            store
                .add(certificate)
                .map_err(|error| fault(path, &error.to_string()))?;
        }
    } else {
        store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    Ok(store)
}

fn fault(path: &Path, what: &str) -> Error {
    Error::new(
        ErrorKind::InvalidInput,
        format!("{}: {what}", path.display()),
    )
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

    fn trusting(mode: TlsMode, roots: &Path) -> Tls {
        Tls {
            roots: Some(roots.into()),
            ..Tls::new(mode)
        }
    }

    #[test]
    fn certificates_are_read_once_for_all_connections() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let tls = trusting(TlsMode::VerifyFull, file.path());
        assert!(tls.client_config().is_err(), "no certificate");
        let tls = trusting(TlsMode::Require, file.path());
        tls.client_config().unwrap();
        let first = Arc::clone(tls.configs.shared.get().unwrap());
        tls.clone().client_config().unwrap();
        assert!(Arc::ptr_eq(&first, tls.configs.shared.get().unwrap()));
    }

    #[test]
    fn users_share_what_they_trust_and_nothing_else() {
        let tls = Tls {
            protocols: &["http/1.1"],
            ..Tls::new(TlsMode::Require)
        };
        let [first, second] = [(); 2].map(|()| tls.apart(Resumption::Own).unwrap());
        assert!(Arc::ptr_eq(&first.configs, &second.configs));
        let (own, others) = (first.sessions().unwrap(), second.sessions().unwrap());
        assert!(!Arc::ptr_eq(own, others));
        let [shared, apart] = [&tls, &first].map(|each| each.client_config().unwrap());
        assert_eq!(apart.alpn_protocols, [b"http/1.1"]);
        assert!(Arc::ptr_eq(
            apart.crypto_provider(),
            shared.crypto_provider()
        ));
        // Who resumes those of all is not told where a user's are.
        assert!(!Arc::ptr_eq(&apart, &shared));
    }
}
