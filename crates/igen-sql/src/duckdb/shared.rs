//! Files that this process has open: each of them once, whoever uses it. (DuckDB's locks tell
//! processes apart, not two openings by one process, which would spoil the file.)

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ffi::{Instance, Library};

/// Extensions come with the library or not at all: a benchmark fetches nothing from the network.
const SETTINGS: [(&str, &str); 2] = [
    ("autoinstall_known_extensions", "false"),
    ("autoload_known_extensions", "false"),
];

static OPEN: Mutex<BTreeMap<PathBuf, Arc<Instance>>> = Mutex::new(BTreeMap::new());

/// How a file is opened that is not open yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    ReadOnly,
    ReadWrite,
}

/// A share in an open file; it is closed with the last one.
pub(super) struct Shared {
    instance: Option<Arc<Instance>>,
    path: PathBuf,
}

impl Shared {
    /// Opens the file at `path` unless it is open; an error is DuckDB's text.
    pub(super) fn open(
        library: &'static Library,
        path: &Path,
        access: Access,
    ) -> Result<Self, String> {
        let mut open = files();
        let instance = if let Some(instance) = open.get(path) {
            Arc::clone(instance)
        } else {
            let mode = match access {
                Access::ReadOnly => "READ_ONLY",
                Access::ReadWrite => "READ_WRITE",
            };
            let [install, load] = SETTINGS;
            let instance = Instance::open(library, path, &[("access_mode", mode), install, load])?;
            let instance = Arc::new(instance);
            open.insert(path.to_owned(), Arc::clone(&instance));
            instance
        };
        Ok(Self {
            instance: Some(instance),
            path: path.to_owned(),
        })
    }

    pub(super) fn instance(&self) -> Option<&Instance> {
        self.instance.as_deref()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Closed under the lock, so that whoever opens the file next finds it closed.
        let mut open = files();
        self.instance = None;
        if open
            .get(&self.path)
            .is_some_and(|instance| Arc::strong_count(instance) == 1)
        {
            open.remove(&self.path);
        }
    }
}

fn files() -> MutexGuard<'static, BTreeMap<PathBuf, Arc<Instance>>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}
