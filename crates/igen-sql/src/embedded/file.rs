//! Database files of engines in process: names beside them, and whether they are still there.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use igen_job::JobError;

/// The name under which a database is loaded.
pub(crate) fn loading_path(path: &Path) -> PathBuf {
    beside(path, ".igen-loading")
}

/// `path` with `suffix` added to the file's name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Tells a file from another that took its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    /// Identity of the file at `path`; `None` if there is none.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        fs::metadata(path)
            .ok()
            .map(|metadata| Self::from(&metadata))
    }
}

impl From<&fs::Metadata> for FileIdentity {
    fn from(metadata: &fs::Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
        }
    }
}

/// What is at the path of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing.
    Nothing,
    /// A database that iGen created.
    Igen,
    /// Anything else: why it is not iGen's.
    Foreign(&'static str),
}

/// Why the operating system refused to `verb` the file at `path`.
pub(crate) fn io_error(verb: &str, path: &Path, error: &std::io::Error) -> JobError {
    JobError::new(format!("cannot {verb} {}: {error}", path.display()))
}
