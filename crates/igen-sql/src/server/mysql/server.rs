//! A database on a server, and who connects to it.

use std::path::PathBuf;

use igen_job::JobError;
use igen_net::{Endpoint, Password, Scheme, password};

use super::SCHEME;

const TARGETS: Scheme = Scheme {
    name: SCHEME,
    port: 3306,
    socket_option: "socket",
    socket: |path, _port| PathBuf::from(path),
    path: "database",
    example: ("user", "database"),
    password_file: false,
    tls: false,
};

/// A database on a server, and who connects to it.
#[derive(Debug, Clone)]
pub(super) struct Server {
    pub(super) endpoint: Endpoint,
    pub(super) user: String,
    password: Option<Password>,
}

impl Server {
    /// The one that `url` names; user and password come from where MariaDB's and MySQL's own clients
    /// take them, the user last of all from the name of this process's user.
    pub(super) fn of(url: &str, field: &str) -> Result<Self, JobError> {
        let endpoint = Endpoint::of(url, field, &TARGETS)?;
        let (user, password) = password::mysql();
        let user = endpoint.user.clone().or(user);
        Ok(Self {
            user: user.unwrap_or_else(|| std::env::var("USER").unwrap_or("root".to_owned())),
            endpoint,
            password,
        })
    }

    pub(super) fn password(&self) -> &[u8] {
        self.password.as_ref().map_or(b"", Password::as_bytes)
    }
}
