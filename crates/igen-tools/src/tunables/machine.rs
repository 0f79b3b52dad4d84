//! What checks read: files below a root (`/` in earnest, a folder in tests), and the server that they are about.

use std::fs;
use std::path::{Path, PathBuf};

use super::server::Server;

/// A machine, and one of its servers.
pub(super) struct Machine {
    root: PathBuf,
    pub(super) server: Option<Server>,
}

impl Machine {
    pub(super) fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            server: None,
        }
    }

    /// The same machine, looked at for a server.
    pub(super) fn with(&self, server: Server) -> Self {
        Self {
            root: self.root.clone(),
            server: Some(server),
        }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The process whose limits count, below `/proc`: the server, or this one.
    pub(super) fn process(&self) -> String {
        let server = self.server.as_ref();
        server.map_or_else(|| "self".to_owned(), |server| server.pid.to_string())
    }

    /// The text of a file without the white space around it; none if it cannot be read.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let bytes = fs::read(self.root.join(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    /// The whole number that a file holds.
    pub(super) fn number(&self, path: &str) -> Option<u64> {
        self.text(path)?.parse().ok()
    }

    /// All numbers in a file.
    pub(super) fn numbers(&self, path: &str) -> Option<Vec<u64>> {
        let text = self.text(path)?;
        Some(
            text.split_ascii_whitespace()
                .filter_map(|word| word.parse().ok())
                .collect(),
        )
    }

    /// The choice in square brackets, as in `always [madvise] never`.
    pub(super) fn choice(&self, path: &str) -> Option<String> {
        let text = self.text(path)?;
        let (_, rest) = text.split_once('[')?;
        Some(rest.split_once(']')?.0.to_owned())
    }

    /// The names in a folder, in order.
    pub(super) fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.root.join(path))
            .into_iter()
            .flatten()
            .flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    }

    /// An amount of `/proc/meminfo`, in bytes.
    pub(super) fn memory_bytes(&self, name: &str) -> Option<u64> {
        crate::meminfo::Meminfo::parse(&self.text("proc/meminfo")?).find(name)
    }

    /// A setting of the server, in the server's own words; none where it is not set.
    pub(super) fn setting(&self, name: &str) -> Option<&str> {
        self.server.as_ref()?.settings.get(name).map(String::as_str)
    }

    /// A setting of the server that is a count, or what it is where nobody has set it.
    pub(super) fn count(&self, name: &str, default: u64) -> Option<u64> {
        self.setting(name)
            .map_or(Some(default), |text| text.parse().ok())
    }

    /// Processors that are online.
    pub(super) fn processors(&self) -> u64 {
        let text = self.text("proc/cpuinfo").unwrap_or_default();
        text.lines()
            .filter(|line| line.starts_with("processor"))
            .count()
            .max(1) as u64
    }
}
