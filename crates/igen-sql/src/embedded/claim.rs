//! Loading a database file under another name, so that an interrupted load never looks complete.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use igen_job::JobError;
use igen_kernel::space;

use super::file::{FileIdentity, beside, io_error, loading_path};

/// The right to load a database. Dropped before `finish`, it leaves nothing behind.
pub(crate) struct Claim {
    /// Locked as long as the load lasts, so that two processes never load one database.
    lock: File,
    path: PathBuf,
    loading: PathBuf,
    needed_bytes: u64,
}

impl Claim {
    /// Claims `path`, where there is nothing, for a database that will take about `needed_bytes`.
    /// `None` if another process is loading it or has just finished: look again.
    pub(crate) fn of(path: &Path, needed_bytes: u64) -> Result<Option<Self>, JobError> {
        let loading = loading_path(path);
        let lock = File::options()
            .create(true)
            .write(true)
            .truncate(false)
            .open(&loading)
            .map_err(|error| io_error("create", &loading, &error))?;
        match lock.try_lock() {
            Ok(()) => (),
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(io_error("lock", &loading, &error)),
        }
        if FileIdentity::of(&loading) != identity(&lock) {
            return Ok(None);
        }
        if path.exists() {
            let _ = fs::remove_file(&loading);
            return Ok(None);
        }
        let claim = Self {
            lock,
            path: path.to_owned(),
            loading,
            needed_bytes,
        };
        claim
            .lock
            .set_len(0)
            .map_err(|error| io_error("write", path, &error))?;
        Ok(Some(claim))
    }

    /// A file to load into, empty at first; or one whose name begins so.
    pub(crate) fn loading(&self) -> &Path {
        &self.loading
    }

    /// The name that the database will have.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses a log that a database left which is no longer there: the engine would replay it into
    /// the new one. A log's name is the database's with one of `suffixes`.
    pub(crate) fn check_no_log(&self, suffixes: &[&str]) -> Result<(), JobError> {
        let mut logs = suffixes.iter().map(|suffix| beside(&self.path, suffix));
        let Some(log) = logs.find(|log| log.exists()) else {
            return Ok(());
        };
        Err(JobError::new(format!(
            "{} remains from a database that no longer exists",
            log.display()
        ))
        .hint("remove this file, or use another target"))
    }

    /// Refuses a database for which there is not enough space.
    pub(crate) fn check_space(&self) -> Result<(), JobError> {
        match free_bytes(&self.path)? {
            Some(free) if free < self.needed_bytes => {
                Err(no_space(&self.path, self.needed_bytes, free))
            }
            _ => Ok(()),
        }
    }

    /// The load failed because the disk is full.
    pub(crate) fn disk_full(&self) -> JobError {
        let free = free_bytes(&self.path).ok().flatten().unwrap_or_default();
        no_space(&self.path, self.needed_bytes, free)
    }

    /// Puts the complete database `file`, which the engine must have closed, on disk and gives it
    /// its name.
    pub(crate) fn finish(self, file: &Path) -> Result<(), JobError> {
        let renamed = || {
            File::open(file)?.sync_all()?;
            rustix::fs::renameat_with(
                rustix::fs::CWD,
                file,
                rustix::fs::CWD,
                &self.path,
                rustix::fs::RenameFlags::NOREPLACE,
            )?;
            File::open(directory(&self.path))?.sync_all()
        };
        renamed().map_err(|error| io_error("create", &self.path, &error))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // After `finish` the name belongs to nobody, or to the next loader's own file.
        if FileIdentity::of(&self.loading) == identity(&self.lock) {
            let _ = fs::remove_file(&self.loading);
        }
    }
}

/// Removes what an interrupted load of the database at `path` left; returns the name that was
/// claimed for it, if there is one.
pub(crate) fn discard_interrupted(path: &Path) -> Result<Option<PathBuf>, JobError> {
    let loading = loading_path(path);
    if !loading.exists() {
        return Ok(None);
    }
    let file = File::open(&loading).map_err(|error| io_error("read", &loading, &error))?;
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        return Err(
            JobError::new(format!("another process is loading {}", path.display()))
                .hint("wait until it has finished, or stop that process"),
        );
    }
    fs::remove_file(&loading).map_err(|error| io_error("remove", &loading, &error))?;
    Ok(Some(loading))
}

fn identity(file: &File) -> Option<FileIdentity> {
    file.metadata()
        .ok()
        .map(|metadata| FileIdentity::from(&metadata))
}

/// Space for the file at `path` that is free to this user, if its file system says so.
fn free_bytes(path: &Path) -> Result<Option<u64>, JobError> {
    let directory = directory(path);
    space::free_bytes(directory).map_err(|error| io_error("use the directory", directory, &error))
}

fn no_space(path: &Path, needed_bytes: u64, free_bytes: u64) -> JobError {
    JobError::new(format!(
        "not enough space for {}: about {:.1} MB needed, {:.1} MB free",
        path.display(),
        needed_bytes as f64 / 1e6,
        free_bytes as f64 / 1e6
    ))
    .hint("use another target, or load less data")
}

fn directory(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}
