//! Settings of servers, each in the form that the server reads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::area::Area;
use super::reads::Reads;

type Settings = BTreeMap<String, String>;

/// The settings of a server with that command line, and where its data is.
pub(super) fn of(
    area: Area,
    words: &[String],
    root: &Path,
    reads: &mut Reads,
) -> (Settings, Option<PathBuf>) {
    match area {
        Area::Postgresql => postgresql(words, root, reads),
        Area::Mariadb => mariadb(words, root, reads),
        Area::Openldap => openldap(words, root, reads),
        Area::Nginx => {
            let file = within(root, after(words, "-c").unwrap_or("/etc/nginx/nginx.conf"));
            let mut settings = Settings::new();
            let text = reads.text_of_main(&file);
            nginx(&file, &text, &mut settings, reads);
            (settings, None)
        }
        _ => (Settings::new(), None),
    }
}

fn within(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}

/// What is said to an option, each time: `-D /data` or `-D/data`.
fn given_to<'a>(words: &'a [String], option: &str) -> Vec<&'a str> {
    let next = words.iter().skip(1).map(String::as_str).chain([""]);
    words
        .iter()
        .zip(next)
        .filter_map(|(word, next)| match word.strip_prefix(option)? {
            "" => Some(next),
            joined => Some(joined),
        })
        .collect()
}

fn after<'a>(words: &'a [String], option: &str) -> Option<&'a str> {
    given_to(words, option).pop()
}

/// `--name=value`, with underscores in the name.
fn long_options(words: &[String]) -> impl Iterator<Item = (String, String)> {
    words.iter().filter_map(|word| {
        let (name, value) = word.strip_prefix("--")?.split_once('=')?;
        Some((name.replace('-', "_"), value.to_owned()))
    })
}

fn postgresql(words: &[String], root: &Path, reads: &mut Reads) -> (Settings, Option<PathBuf>) {
    let mut given: Settings = long_options(words).collect();
    given.extend(given_to(words, "-c").into_iter().filter_map(|word| {
        let (name, value) = word.split_once('=')?;
        Some((
            name.replace('-', "_").to_ascii_lowercase(),
            value.to_owned(),
        ))
    }));
    for (option, name) in [("-B", "shared_buffers"), ("-N", "max_connections")] {
        given.extend(after(words, option).map(|value| (name.to_owned(), value.to_owned())));
    }
    if words.iter().any(|word| is_without_fsync(word)) {
        given.insert("fsync".to_owned(), "off".to_owned());
    }
    let data = after(words, "-D").map(|path| within(root, path));
    let file = given.get("config_file").map(|path| within(root, path));
    let mut settings = Settings::new();
    if let Some(file) = file.or_else(|| Some(data.as_ref()?.join("postgresql.conf"))) {
        let text = reads.text_of_main(&file);
        postgresql_file(&file, &text, &mut settings, reads);
    }
    let data = data.or_else(|| {
        settings
            .get("data_directory")
            .map(|path| within(root, path))
    });
    if let Some(data) = &data {
        let file = data.join("postgresql.auto.conf");
        let text = reads.text(&file);
        postgresql_file(&file, &text, &mut settings, reads);
    }
    settings.extend(given);
    (settings, data)
}

/// `-F`, also behind others that take no value: `-iF`.
fn is_without_fsync(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    let mut others = letters
        .chars()
        .skip_while(|letter| "bEeijlOPsTn".contains(*letter));
    others.next() == Some('F')
}

fn postgresql_file(file: &Path, text: &str, settings: &mut Settings, reads: &mut Reads) {
    let folder = file.parent().unwrap_or(Path::new("/"));
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let Some((name, value)) = line.split_once(['=', ' ', '\t']) else {
            continue;
        };
        let value = value
            .trim()
            .trim_start_matches('=')
            .trim()
            .trim_matches('\'');
        match name.trim() {
            "include" | "include_if_exists" if reads.another() => {
                let file = folder.join(value);
                let text = reads.text(&file);
                postgresql_file(&file, &text, settings, reads);
            }
            "include_dir" if reads.another() => {
                for file in reads.files_in(&folder.join(value), ".conf") {
                    if reads.another() {
                        let text = reads.text(&file);
                        postgresql_file(&file, &text, settings, reads);
                    }
                }
            }
            name => {
                settings.insert(name.to_ascii_lowercase(), value.to_owned());
            }
        }
    }
}

fn mariadb(words: &[String], root: &Path, reads: &mut Reads) -> (Settings, Option<PathBuf>) {
    let given: Settings = long_options(words).collect();
    let mut settings = Settings::new();
    if let Some(file) = given.get("defaults_file") {
        let text = reads.text_of_main(&within(root, file));
        mariadb_file(&text, root, &mut settings, reads);
    } else if !words.iter().any(|word| word == "--no-defaults") {
        for file in ["/etc/my.cnf", "/etc/mysql/my.cnf"] {
            let text = reads.text(&within(root, file));
            mariadb_file(&text, root, &mut settings, reads);
        }
    }
    settings.extend(given);
    let data = settings
        .get("datadir")
        .map_or("/var/lib/mysql", String::as_str);
    let data = within(root, data);
    (settings, Some(data))
}

fn mariadb_file(text: &str, root: &Path, settings: &mut Settings, reads: &mut Reads) {
    let mut of_server = false;
    for line in text.lines() {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            of_server = ["mysqld", "server", "mariadb", "mariadbd"]
                .iter()
                .any(|name| section.starts_with(name));
        } else if let Some(folder) = line.strip_prefix("!includedir").filter(|_| reads.another()) {
            for file in reads.files_in(&within(root, folder.trim()), ".cnf") {
                if reads.another() {
                    let text = reads.text(&file);
                    mariadb_file(&text, root, settings, reads);
                }
            }
        } else if of_server && !line.starts_with(['#', ';', '!']) && !line.is_empty() {
            let (name, value) = line.split_once('=').unwrap_or((line, "1"));
            settings.insert(
                name.trim().replace('-', "_"),
                value.trim().trim_matches(['"', '\'']).to_owned(),
            );
        }
    }
}

fn openldap(words: &[String], root: &Path, reads: &mut Reads) -> (Settings, Option<PathBuf>) {
    let mut settings = Settings::new();
    if let Some(file) = after(words, "-f") {
        for line in reads.text_of_main(&within(root, file)).lines() {
            if let Some((name, value)) = line.split_once(char::is_whitespace)
                && !name.is_empty()
                && !name.starts_with('#')
            {
                settings.insert(name.to_ascii_lowercase(), value.trim().to_owned());
            }
        }
    } else {
        let folder = after(words, "-F").unwrap_or("/etc/ldap/slapd.d");
        for file in reads.all_files(&within(root, folder), ".ldif") {
            for line in reads.text(&file).lines() {
                if let Some((name, value)) = line
                    .strip_prefix("olc")
                    .and_then(|line| line.split_once(": "))
                {
                    settings.insert(name.to_ascii_lowercase(), value.trim().to_owned());
                }
            }
        }
    }
    let data = settings
        .get("dbdirectory")
        .or(settings.get("directory"))
        .map(|path| within(root, path));
    (settings, data)
}

/// The last value of each directive, however deep it stands.
fn nginx(file: &Path, text: &str, settings: &mut Settings, reads: &mut Reads) {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default());
    for directive in lines.collect::<Vec<_>>().join(" ").split([';', '{', '}']) {
        let Some((name, value)) = directive.trim().split_once(char::is_whitespace) else {
            continue;
        };
        let value = value.trim();
        if name == "include" && reads.another() {
            let folder = file.parent().unwrap_or(Path::new("/"));
            let (place, name) = value.rsplit_once('/').unwrap_or(("", value));
            let ending = name.trim_start_matches('*');
            for file in reads.files_in(&folder.join(place), ending) {
                if reads.another() {
                    let text = reads.text(&file);
                    nginx(&file, &text, settings, reads);
                }
            }
        } else {
            settings.insert(name.to_owned(), value.to_owned());
        }
    }
}

/// Bytes of `128MB`, `1G` or a plain number of units.
pub(super) fn bytes(text: &str, unit_bytes: u64) -> Option<u64> {
    let end = text
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(text.len());
    let number: u64 = text[..end].parse().ok()?;
    let factor = match text[end..]
        .trim()
        .to_ascii_uppercase()
        .trim_end_matches('B')
    {
        "" if text.len() == end => unit_bytes,
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        "T" => 1 << 40,
        _ => return None,
    };
    number.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    fn file(root: &Path, path: &str, text: &str) {
        let path = within(root, path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn each_server_s_files_are_read_in_its_form() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        file(
            root,
            "/d/postgresql.conf",
            "shared_buffers = 1GB # half\nfsync=on\ninclude_dir 'conf.d'\n",
        );
        file(root, "/d/conf.d/a.conf", "fsync = off\n");
        file(root, "/d/postgresql.auto.conf", "wal_level = 'replica'\n");
        let (found, data) = postgresql(
            &words("postgres -D/d -c max_wal_size=2GB -cmax_connections=7"),
            root,
            &mut Reads::new(),
        );
        assert_eq!(data, Some(root.join("d")));
        assert_eq!(found["shared_buffers"], "1GB");
        assert_eq!(found["fsync"], "off");
        assert_eq!(found["wal_level"], "replica");
        assert_eq!(
            (
                found["max_wal_size"].as_str(),
                found["max_connections"].as_str()
            ),
            ("2GB", "7")
        );

        for (line, fsync) in [
            ("postgres -D/d -F", "off"),
            ("postgres -iF -D /d", "off"),
            ("postgres -D/d -kF", "on"),
            ("postgres -D /d -c FSYNC=on", "on"),
        ] {
            file(root, "/d/conf.d/a.conf", "fsync = on\n");
            assert_eq!(
                postgresql(&words(line), root, &mut Reads::new()).0["fsync"],
                fsync,
                "{line}"
            );
        }
        let (found, _) = postgresql(&words("postgres -N 9 -B16384"), root, &mut Reads::new());
        assert_eq!(
            (
                found["max_connections"].as_str(),
                found["shared_buffers"].as_str()
            ),
            ("9", "16384")
        );

        file(
            root,
            "/m.cnf",
            "[client]\nport=1\n[mysqld]\ninnodb-buffer-pool-size = 2G\nskip-name-resolve\n",
        );
        let (found, _) = mariadb(
            &words("mariadbd --defaults-file=/m.cnf --datadir=/data"),
            root,
            &mut Reads::new(),
        );
        assert_eq!(found["innodb_buffer_pool_size"], "2G");
        assert_eq!(found["skip_name_resolve"], "1");
        assert!(!found.contains_key("port"));

        file(
            root,
            "/etc/ldap/slapd.d/cn=config/olcDatabase={1}mdb.ldif",
            "olcDbMaxSize: 5\nolcDbDirectory: /l\n",
        );
        let (found, data) = openldap(&words("slapd -h ldap:///"), root, &mut Reads::new());
        assert_eq!(
            (found["dbmaxsize"].as_str(), data),
            ("5", Some(root.join("l")))
        );

        file(
            root,
            "/etc/nginx/nginx.conf",
            "worker_processes 4;\nhttp { include conf.d/*.conf; sendfile on; }\n",
        );
        file(
            root,
            "/etc/nginx/conf.d/a.conf",
            "server { listen 80 backlog=99; } # x\n",
        );
        let (found, _) = of(
            Area::Nginx,
            &words("nginx: master process /usr/sbin/nginx"),
            root,
            &mut Reads::new(),
        );
        assert_eq!(
            (found["worker_processes"].as_str(), found["listen"].as_str()),
            ("4", "80 backlog=99")
        );
        assert_eq!(found["sendfile"], "on");
    }

    #[test]
    fn files_that_include_each_other_come_to_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let often = |line: &str| format!("{line}\n").repeat(50) + "port = 5\n";
        file(
            root,
            "/d/postgresql.conf",
            &often("include 'postgresql.conf'"),
        );
        let (found, _) = postgresql(&words("postgres -D /d"), root, &mut Reads::new());
        assert_eq!(found["port"], "5");
        file(root, "/m.cnf", &often("!includedir /"));
        mariadb(
            &words("mariadbd --defaults-file=/m.cnf"),
            root,
            &mut Reads::new(),
        );
        file(root, "/n/n.conf", &often("include /n/*.conf;"));
        of(
            Area::Nginx,
            &words("nginx -c /n/n.conf"),
            root,
            &mut Reads::new(),
        );
    }

    #[test]
    fn amounts_have_units_or_the_server_s_own() {
        assert_eq!(bytes("128MB", 8192), Some(128 << 20));
        assert_eq!(bytes("16384", 8192), Some(128 << 20));
        assert_eq!(bytes("1G", 1), Some(1 << 30));
        assert_eq!(bytes("5B", 8192), Some(5));
        assert_eq!(bytes("many", 1), None);
    }
}
