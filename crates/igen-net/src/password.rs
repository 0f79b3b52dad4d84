//! Passwords: from the environment or from the files that the servers' own clients read. They are
//! never part of a target, and never printed. A target that somebody else has named gets none.

use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::address::Address;
use crate::endpoint::Endpoint;
use crate::option_file::OptionFile;

/// A password, which no format shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// Returns a password that is known, for tests and fuzz targets.
    #[cfg(any(test, feature = "testing"))]
    #[must_use]
    pub fn given(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns the bytes to send.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Password(…)")
    }
}

/// `PGPASSWORD`, or the line of `PGPASSFILE` or `~/.pgpass` for this server, database and user; a
/// Unix socket's host is its folder, or `localhost`. As for libpq, a file that others may read does
/// not count.
#[must_use]
pub fn postgresql(endpoint: &Endpoint, user: &str) -> Option<Password> {
    if !endpoint.credentials.are_own() {
        return None;
    }
    if let Ok(password) = std::env::var("PGPASSWORD") {
        return Some(Password(password));
    }
    let path =
        std::env::var_os("PGPASSFILE").map_or_else(|| home(".pgpass"), |path| Some(path.into()))?;
    let mode = fs::metadata(&path).ok()?.permissions().mode();
    if mode & 0o077 != 0 {
        return None;
    }
    let file = fs::read_to_string(path).ok()?;
    let port = endpoint.port.to_string();
    let hosts = match &endpoint.address {
        Address::Tcp { host, .. } => vec![host.as_str()],
        Address::Unix(socket) => {
            let folder = socket.parent().and_then(Path::to_str);
            folder.into_iter().chain(["localhost"]).collect()
        }
    };
    hosts
        .into_iter()
        .find_map(|host| in_pgpass(&file, [host, &port, &endpoint.path, user]))
}

/// The password of the first line `host:port:database:user:password` that fits; `*` fits anything,
/// a backslash takes the next character as it is.
fn in_pgpass(file: &str, wanted: [&str; 4]) -> Option<Password> {
    file.lines()
        .filter(|line| !line.starts_with('#'))
        .find_map(|line| {
            let fields = fields(line);
            let fits = fields.len() == 5
                && fields
                    .iter()
                    .zip(wanted)
                    .all(|(field, wanted)| field == "*" || field == wanted);
            fits.then(|| Password(fields[4].clone()))
        })
}

/// The fields of a line; the fifth is the rest of it.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let last = fields.len() - 1;
        match character {
            '\\' => fields[last].extend(characters.next()),
            ':' if fields.len() < 5 => fields.push(String::new()),
            _ => fields[last].push(character),
        }
    }
    fields
}

/// `LDAP_PASSWORD`, or else the first line of the file that the target or `LDAP_PASSWORD_FILE` names;
/// an error of a file that cannot be read, or that others may read.
pub fn ldap(endpoint: &Endpoint) -> Result<Option<Password>, String> {
    if !endpoint.credentials.are_own() {
        return Ok(None);
    }
    if let Ok(password) = std::env::var("LDAP_PASSWORD") {
        return Ok(Some(Password(password)));
    }
    let named = endpoint.password_file.clone();
    let named = named.or_else(|| std::env::var_os("LDAP_PASSWORD_FILE").map(PathBuf::from));
    named.map(|path| in_private_file(&path)).transpose()
}

fn in_private_file(path: &Path) -> Result<Password, String> {
    let fault = |what: &str| format!("the password file {} {what}", path.display());
    let metadata =
        fs::metadata(path).map_err(|error| fault(&format!("cannot be read: {error}")))?;
    if metadata.permissions().mode() & 0o077 != 0 {
        return Err(fault("is readable by other users: run `chmod 600` on it"));
    }
    let text = fs::read_to_string(path);
    let text = text.map_err(|error| fault(&format!("cannot be read: {error}")))?;
    match text.lines().next() {
        Some(line) if !line.is_empty() => Ok(Password(line.to_owned())),
        _ => Err(fault("is empty")),
    }
}

/// Returns user and password of MariaDB's and MySQL's clients: `MYSQL_PWD`, then `~/.my.cnf`.
#[must_use]
pub fn mysql(endpoint: &Endpoint) -> (Option<String>, Option<Password>) {
    if !endpoint.credentials.are_own() {
        return (None, None);
    }
    let file = OptionFile::read();
    let given = std::env::var("MYSQL_PWD").ok().map(Password);
    (file.user, given.or(file.password.map(Password)))
}

fn home(name: &str) -> Option<PathBuf> {
    std::env::home_dir().map(|home| home.join(name))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use igen_job::Credentials;

    use super::*;
    use crate::scheme::{Encryption, PathKind, Scheme};
    use crate::surroundings;

    #[test]
    fn the_first_line_that_fits_counts() {
        let file = "# host:port:database:user:password\n\
                    db.lab:5432:shop:igen:one\n\
                    *:*:shop:igen:tw\\:o:more\n\
                    db.lab:*:*:o\\:dd:three\n";
        let found = |wanted| in_pgpass(file, wanted).map(|password| password.0);
        assert_eq!(
            found(["db.lab", "5432", "shop", "igen"]).as_deref(),
            Some("one")
        );
        assert_eq!(
            found(["x", "1", "shop", "igen"]).as_deref(),
            Some("tw:o:more")
        );
        assert_eq!(
            found(["db.lab", "1", "y", "o:dd"]).as_deref(),
            Some("three")
        );
        assert_eq!(found(["x", "1", "y", "igen"]), None);
        assert_eq!(in_pgpass("a:b:c\n\n:", ["a", "b", "c", "d"]), None);
    }

    #[test]
    fn a_file_that_others_may_read_holds_no_password() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(&file, "hush\nno more\n").unwrap();
        for (mode, expected) in [(0o600, Some("hush")), (0o640, None), (0o604, None)] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            let found = in_private_file(file.path());
            assert_eq!(found.ok().map(|password| password.0).as_deref(), expected);
        }
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&file, "").unwrap();
        assert!(in_private_file(file.path()).is_err(), "empty");
        assert!(in_private_file(Path::new("/nowhere")).is_err());
    }

    #[test]
    fn a_target_of_somebody_else_gets_no_password() {
        const DIRECTORY: Scheme = Scheme {
            name: "ldap",
            port: 389,
            socket: None,
            path: PathKind::Name {
                what: "suffix",
                example: ("cn=admin", "dc=lab"),
            },
            password_file: true,
            application: false,
            encryption: Encryption::Agreed,
            surroundings: surroundings::none,
        };
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(&file, "hush\n").unwrap();
        let place = file.path().display();
        let url = format!("ldap://cn=admin@127.0.0.1/dc=lab?password_file={place}");
        for (whose, expected) in [(Credentials::Own, true), (Credentials::None, false)] {
            let endpoint = Endpoint::of(&url, "", &DIRECTORY, whose).unwrap();
            assert_eq!(ldap(&endpoint).unwrap().is_some(), expected);
        }
    }

    #[test]
    fn no_format_shows_it() {
        assert!(!format!("{:?}", Password("hush".to_owned())).contains("hush"));
    }
}
