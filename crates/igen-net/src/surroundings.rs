//! Settings of connections that the servers' own clients take from environment and files.

use std::fs;
use std::path::PathBuf;

use crate::option_file::OptionFile;
use crate::tls_options::TlsOptions;

/// Settings of connections besides those in a target, which come first.
#[derive(Debug, Default)]
pub struct Surroundings {
    /// Options of TLS.
    pub(crate) tls: TlsOptions,
    /// Name of the application that connects.
    pub(crate) application: Option<String>,
}

/// Returns no settings: for clients that read none.
pub fn none() -> Result<Surroundings, String> {
    Ok(Surroundings::default())
}

/// Returns libpq's settings: `PGSSLMODE`, `PGSSLROOTCERT`, `PGSSLCERT`, `PGSSLKEY` and `PGAPPNAME`, or else the
/// files in `~/.postgresql` that have libpq's names.
pub fn postgresql() -> Result<Surroundings, String> {
    let mut tls = TlsOptions::default();
    for (variable, option, file) in [
        ("PGSSLMODE", "sslmode", None),
        ("PGSSLROOTCERT", "sslrootcert", Some("root.crt")),
        ("PGSSLCERT", "sslcert", Some("postgresql.crt")),
        ("PGSSLKEY", "sslkey", Some("postgresql.key")),
    ] {
        let given = std::env::var(variable)
            .ok()
            .filter(|value| !value.is_empty());
        let usual = || file.and_then(usual_file);
        if let Some(value) = given.or_else(usual) {
            tls.take(option, &value)
                .map_err(|text| format!("{variable}: {text}"))?;
        }
    }
    Ok(Surroundings {
        tls,
        application: std::env::var("PGAPPNAME")
            .ok()
            .filter(|name| !name.is_empty()),
    })
}

/// Returns settings of MariaDB's and MySQL's clients: `ssl-ca`, `ssl-cert` and `ssl-key` in `~/.my.cnf`.
pub fn mysql() -> Result<Surroundings, String> {
    Ok(Surroundings {
        tls: OptionFile::read().tls,
        application: None,
    })
}

fn usual_file(name: &str) -> Option<String> {
    let path: PathBuf = std::env::home_dir()?.join(".postgresql").join(name);
    let is_there = fs::exists(&path).unwrap_or(false);
    is_there.then(|| path.to_str().map(str::to_owned)).flatten()
}
