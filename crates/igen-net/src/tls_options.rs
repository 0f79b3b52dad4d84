//! Options of TLS by the names that servers' own clients use, and what a connection makes of them.

use std::path::{Path, PathBuf};

use crate::tls::{Identity, Tls, TlsMode};

/// The value of `sslrootcert` that means the authorities of the system.
const SYSTEM: &str = "system";

const MODES: &[(&str, TlsMode)] = &[
    ("disable", TlsMode::Disable),
    ("prefer", TlsMode::Prefer),
    ("require", TlsMode::Require),
    ("verify-ca", TlsMode::VerifyCa),
    ("verify-full", TlsMode::VerifyFull),
];

/// Options of TLS; absent if nobody has set them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TlsOptions {
    pub(crate) mode: Option<TlsMode>,
    pub(crate) roots: Option<PathBuf>,
    pub(crate) certificate: Option<PathBuf>,
    pub(crate) key: Option<PathBuf>,
}

impl TlsOptions {
    /// Sets the option of that name, as libpq or MariaDB's clients spell it, and returns true; false if it is
    /// not an option of TLS. An error says why the value cannot be honoured.
    pub(crate) fn take(&mut self, name: &str, value: &str) -> Result<bool, String> {
        let place = match name {
            "sslmode" => {
                let known = MODES.iter().find(|(word, _)| *word == value);
                self.mode = Some(known.ok_or_else(|| unknown_mode(value))?.1);
                return Ok(true);
            }
            "sslrootcert" | "ssl-ca" => &mut self.roots,
            "sslcert" | "ssl-cert" => &mut self.certificate,
            "sslkey" | "ssl-key" => &mut self.key,
            _ => return Ok(false),
        };
        *place = Some(PathBuf::from(value));
        Ok(true)
    }

    /// Returns the name of the first option besides the mode that is set.
    pub(crate) fn file(&self) -> Option<&'static str> {
        [
            ("sslrootcert", &self.roots),
            ("sslcert", &self.certificate),
            ("sslkey", &self.key),
        ]
        .into_iter()
        .find_map(|(name, file)| file.as_ref().map(|_| name))
    }

    /// Returns the TLS of a connection whose target says this. Options that it does not set are those
    /// `around`, or else the mode is `natural`. An error says which options contradict each other.
    pub(crate) fn tls(&self, around: &Self, natural: TlsMode) -> Result<Tls, String> {
        // Whoever names an authority wants it checked, and whoever names a certificate wants it shown.
        let named = match (&self.roots, &self.certificate) {
            (Some(_), _) => Some(TlsMode::VerifyFull),
            (None, Some(_)) => Some(TlsMode::Require),
            (None, None) => None,
        };
        let mode = self.mode.or(around.mode).or(named).unwrap_or(natural);
        if let (TlsMode::Disable, Some(name)) = (mode, self.file()) {
            return Err(format!("{name} needs TLS, but sslmode is disable"));
        }
        if self.key.is_some() && self.certificate.is_none() && around.certificate.is_none() {
            return Err("sslkey needs sslcert".to_owned());
        }
        let roots = self.roots.as_ref().or(around.roots.as_ref());
        let (mode, roots) = match roots {
            Some(roots) if roots == Path::new(SYSTEM) => match mode {
                // Anybody can have a certificate of one of these authorities.
                TlsMode::Require | TlsMode::VerifyCa => {
                    return Err("sslrootcert=system needs sslmode=verify-full".to_owned());
                }
                mode => (mode, None),
            },
            // As libpq does.
            Some(roots) if mode == TlsMode::Require => (TlsMode::VerifyCa, Some(roots)),
            roots => (mode, roots),
        };
        // A key belongs to the certificate beside which it is named.
        let pair = |options: &Self, key: Option<&PathBuf>| {
            let certificate = options.certificate.clone()?;
            let key = options.key.as_ref().or(key).unwrap_or(&certificate).clone();
            Some(Identity { certificate, key })
        };
        let shown = pair(self, around.key.as_ref()).or_else(|| pair(around, self.key.as_ref()));
        let mut tls = Tls::new(mode);
        tls.roots = roots.map(|roots| roots.as_path().into());
        tls.identity = shown
            .filter(|_| mode > TlsMode::Disable)
            .map(std::sync::Arc::new);
        Ok(tls)
    }
}

fn unknown_mode(value: &str) -> String {
    let known: Vec<&str> = MODES.iter().map(|(word, _)| *word).collect();
    let known = known.join(", ");
    match value {
        "allow" => format!("sslmode=allow is not supported: use one of {known}"),
        _ => format!("unknown sslmode `{value}`: use one of {known}"),
    }
}
