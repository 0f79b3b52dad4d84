//! Servers that run here, and their settings: from the command line, and from the files that it names.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::area::Area;
use super::reads::Reads;
use super::settings;

/// A server.
pub(super) struct Server {
    pub(super) area: Area,
    pub(super) pid: u32,
    /// In the server's own words and names; of MariaDB with underscores, of `OpenLDAP` without `olc` and in small letters.
    pub(super) settings: BTreeMap<String, String>,
    /// Where its data is.
    pub(super) data: Option<PathBuf>,
    /// Why its settings are not known, where they are not: then none is judged, by its default neither.
    pub(super) unknown: Option<String>,
}

/// Names of programs, as the kernel keeps them, and what they are.
const PROGRAMS: [(&str, Area); 5] = [
    ("postgres", Area::Postgresql),
    ("mariadbd", Area::Mariadb),
    ("mysqld", Area::Mariadb),
    ("slapd", Area::Openldap),
    ("nginx", Area::Nginx),
];

/// The servers that run, each by its first process.
pub(super) fn running(root: &Path) -> Vec<Server> {
    let mut found: Vec<(u32, Area)> = Vec::new();
    for entry in fs::read_dir(root.join("proc"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let name = name_of(root, pid);
        let area = PROGRAMS
            .iter()
            .find(|(program, _)| name.as_deref() == Some(*program));
        // Their workers have the same name.
        if let Some((program, area)) = area
            && parent_of(root, pid)
                .and_then(|parent| name_of(root, parent))
                .as_deref()
                != Some(*program)
        {
            found.push((pid, *area));
        }
    }
    found.sort_unstable_by_key(|(pid, _)| *pid);
    found
        .into_iter()
        .map(|(pid, area)| Server::read(root, pid, area))
        .collect()
}

/// The server whose process that is.
pub(super) fn of_pid(root: &Path, pid: u32) -> Option<Server> {
    let name = name_of(root, pid)?;
    let (_, area) = PROGRAMS.iter().find(|(program, _)| *program == name)?;
    Some(Server::read(root, pid, *area))
}

fn name_of(root: &Path, pid: u32) -> Option<String> {
    let name = fs::read_to_string(root.join(format!("proc/{pid}/comm"))).ok()?;
    Some(name.trim_end().to_owned())
}

fn parent_of(root: &Path, pid: u32) -> Option<u32> {
    let status = fs::read_to_string(root.join(format!("proc/{pid}/status"))).ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("PPid:"))?
        .trim()
        .parse()
        .ok()
}

impl Server {
    fn read(root: &Path, pid: u32, area: Area) -> Self {
        let line = fs::read(root.join(format!("proc/{pid}/cmdline"))).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        // Some write a title over their command line, with blanks.
        let words: Vec<String> = line
            .split(['\0', ' '])
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        let mut reads = Reads::new();
        let (settings, data) = settings::of(area, &words, root, &mut reads);
        Self {
            area,
            pid,
            settings,
            data,
            unknown: elsewhere(root, pid).or_else(|| reads.refused()),
        }
    }
}

/// Why the files that its command line names may be others for the server than they are here.
fn elsewhere(root: &Path, pid: u32) -> Option<String> {
    let id = |metadata: Metadata| (metadata.dev(), metadata.ino());
    match fs::metadata(root.join(format!("proc/{pid}/root/"))) {
        Ok(own) => (Some(id(own)) != fs::metadata(root).ok().map(id))
            .then(|| "it runs in its own file system, as in a container".to_owned()),
        // It has ended.
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(format!("cannot find the files that it reads: {error}")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::machine::Machine;
    use super::super::{LISTS, judged, not_judged};
    use super::*;

    /// How many settings are judged of a directory server on a machine of these files, and what is said of it.
    fn of(files: &[(&str, &str)]) -> (usize, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let server = [
            ("proc/7/comm", "slapd\n"),
            ("proc/7/status", "PPid:\t1\n"),
            ("proc/7/cmdline", "/usr/sbin/slapd\0-F\0/config\0"),
        ];
        for (path, text) in server.iter().chain(files) {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let machine = Machine::new(folder.path());
        let servers: Vec<Machine> = running(folder.path())
            .into_iter()
            .map(|server| machine.with(server))
            .collect();
        let checks = LISTS.into_iter().flatten();
        let checks = checks.filter(|check| check.area == Area::Openldap);
        let found = checks.flat_map(|check| judged(check, &machine, &servers));
        let notes = not_judged(&servers);
        (
            found.filter(|(_, found)| found.is_some()).count(),
            notes
                .into_iter()
                .map(|note| note.replace(&folder.path().display().to_string(), ""))
                .collect(),
        )
    }

    #[test]
    fn what_cannot_be_read_is_not_judged_by_its_default() {
        let config = ("config/cn=config.ldif", "olcLogLevel: none\n");
        let (judged, notes) = of(&[config]);
        assert!(judged > 3 && notes.is_empty(), "{judged}, {notes:?}");
        let (judged, notes) = of(&[]);
        let why =
            "settings of openldap (pid 7) are not checked: /config cannot be read: No such file";
        assert!(judged == 0 && notes[0].starts_with(why), "{notes:?}");
        // Its root is another folder than this machine's.
        let (judged, notes) = of(&[config, ("proc/7/root/config/cn=config.ldif", "")]);
        assert!(
            judged == 0 && notes[0].ends_with("it runs in its own file system, as in a container"),
            "{notes:?}"
        );
    }
}
