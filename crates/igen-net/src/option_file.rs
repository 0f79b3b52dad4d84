//! The option file of MariaDB's and MySQL's clients, `~/.my.cnf`.

use std::fs;

use crate::tls_options::TlsOptions;

/// Settings of the groups `[client]` and `[client-mariadb]`; the last value counts.
#[derive(Default)]
pub(crate) struct OptionFile {
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) tls: TlsOptions,
}

impl OptionFile {
    /// Reads the file of this process's user; empty if it cannot be read.
    pub(crate) fn read() -> Self {
        let path = std::env::home_dir().map(|home| home.join(".my.cnf"));
        let file = path.and_then(|path| fs::read_to_string(path).ok());
        Self::of(&file.unwrap_or_default())
    }

    fn of(file: &str) -> Self {
        let (mut options, mut ours) = (Self::default(), false);
        for line in file.lines().map(str::trim) {
            if let Some(group) = line.strip_prefix('[') {
                ours = ["client]", "client-mariadb]"].contains(&group);
            } else if let (true, Some((name, value))) = (ours, line.split_once('=')) {
                let value = unquoted(value.trim());
                match name.trim().replace('_', "-").as_str() {
                    "user" => options.user = Some(value.to_owned()),
                    "password" => options.password = Some(value.to_owned()),
                    // Its own names only: `ssl-mode` and the like are of other clients.
                    name @ ("ssl-ca" | "ssl-cert" | "ssl-key") => {
                        let _ = options.tls.take(name, value);
                    }
                    _ => (),
                }
            }
        }
        options
    }
}

fn unquoted(value: &str) -> &str {
    for quote in ['"', '\''] {
        let inner = value
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn only_the_clients_groups_count() {
        let file = "[mysqld]\nuser = mysql\nssl-ca=/no\n[client]\nuser=igen\n# password=old\n\
                    password = \"a = b\"\nssl_cert = /c.pem\n\
                    [client-mariadb]\npassword='c'\n[mysqldump]\npassword=d\n";
        let options = OptionFile::of(file);
        assert_eq!(options.user.as_deref(), Some("igen"));
        assert_eq!(options.password.as_deref(), Some("c"));
        assert_eq!(
            options.tls.certificate.as_deref(),
            Some(Path::new("/c.pem"))
        );
        assert_eq!(options.tls.roots, None);
        assert_eq!(OptionFile::of("password=x").password, None);
    }
}
