//! Servers that run here, and their settings: from the command line, and from the files that it names.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::area::Area;
use super::settings;

/// A server.
pub(super) struct Server {
    pub(super) area: Area,
    pub(super) pid: u32,
    /// In the server's own words and names; of MariaDB with underscores, of `OpenLDAP` without `olc` and in small letters.
    pub(super) settings: BTreeMap<String, String>,
    /// Where its data is.
    pub(super) data: Option<PathBuf>,
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
        let (settings, data) = settings::of(area, &words, root);
        Self {
            area,
            pid,
            settings,
            data,
        }
    }
}
