//! One of a job's targets: a file or a block device, and whether iGen may write to it.

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use igen_engine::{ProgressReporter, Setup};
use igen_job::JobError;
use igen_storage::block_device::BlockDevice;
use igen_storage::{Access, Volume, inspect, look_at, reason};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use tokio::sync::OnceCell;

use super::ledger::Ledger;
use super::ownership::foreign_pages;
use super::params::{Params, at};
use super::stamp::{self, STAMP_BYTES};
use crate::page_cache;

/// Links are followed as far as the kernel follows them.
const MOST_LINKS: usize = 40;

/// One of a job's targets.
pub(super) struct Target {
    pub(super) path: PathBuf,
    /// `targets[0]`, for errors.
    field: String,
    /// A file that iGen did not create, which stays so however it is overwritten.
    pub(super) of_others: bool,
    /// What was found there, open: whatever is done to it later is done to this, and not to what the path
    /// names by then. Set when it is first looked for, or created.
    opened: OnceLock<File>,
    /// Nothing was there when it was checked: what is there later is somebody else's, unless `created` here.
    was_absent: bool,
    /// Opened again, as the parameters say.
    volume: OnceLock<Arc<Volume>>,
    /// All that may be overwritten was found to be iGen's.
    owned: OnceCell<()>,
    /// The ledger of the load that goes on, with `verify`.
    pub(super) ledger: Mutex<Option<Arc<Ledger>>>,
}

/// What is at the path of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    /// A file that iGen created, as its first block tells; its length. `own` looks at the others.
    Ours(u64),
    /// Another file; its length.
    Foreign(u64),
    Device,
}

impl Target {
    /// The target of number `index` of the job.
    pub(super) fn of(index: usize, url: &str) -> Result<Self, JobError> {
        let field = format!("targets[{index}]");
        let path = url.strip_prefix("file://").unwrap_or_default();
        if !path.starts_with('/') || path.ends_with('/') {
            return Err(JobError::at(field, format!("`{url}` names no file"))
                .hint("use file:///path/of/file, or file:///dev/sdb for a device"));
        }
        Ok(Self {
            path: PathBuf::from(path),
            field,
            of_others: false,
            opened: OnceLock::new(),
            was_absent: false,
            volume: OnceLock::new(),
            owned: OnceCell::new(),
            ledger: Mutex::default(),
        })
    }

    /// An error about this target.
    pub(super) fn wrong(&self, text: impl std::fmt::Display) -> JobError {
        JobError::at(&self.field, format!("{}: {text}", self.path.display()))
    }

    /// The system refuses something.
    pub(super) fn fault(&self, error: &Error) -> JobError {
        self.wrong(reason(error))
    }

    /// What is there.
    pub(super) fn found(&self) -> Result<Found, JobError> {
        let Some(file) = self.opened()? else {
            return self.can_be_created().map(|()| Found::Nothing);
        };
        let metadata = file.metadata().map_err(|error| self.fault(&error))?;
        if metadata.file_type().is_block_device() {
            return Ok(Found::Device);
        }
        if !metadata.is_file() {
            return Err(self
                .wrong("it is neither a file nor a block device")
                .hint("name a file: iGen creates it"));
        }
        let ours = is_of_igen(file).map_err(|error| self.fault(&error))?;
        Ok(if ours {
            Found::Ours(metadata.len())
        } else {
            Found::Foreign(metadata.len())
        })
    }

    /// What the path named when it was first looked for, or what was created since; `None` for nothing.
    pub(super) fn opened(&self) -> Result<Option<&File>, JobError> {
        if let Some(file) = self.opened.get() {
            return Ok(Some(file));
        }
        if self.was_absent {
            return Ok(None);
        }
        match look_at(&self.path) {
            Ok(file) => Ok(Some(self.opened.get_or_init(|| file))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.fault(&error)),
        }
    }

    /// The file, created at this moment where nothing was there; what somebody else has created since is an
    /// error.
    pub(super) fn created(&self) -> Result<&File, JobError> {
        if let Some(file) = self.opened.get() {
            return Ok(file);
        }
        let created = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(end_of_links(&self.path));
        let file = created.map_err(|error| self.fault(&error))?;
        Ok(self.opened.get_or_init(|| file))
    }

    /// Returns the folder in which the file is, or would be created.
    pub(super) fn folder(&self) -> PathBuf {
        let path = end_of_links(&self.path);
        path.parent().map_or_else(|| "/".into(), Path::to_path_buf)
    }

    /// Which device it is; 0 for a file.
    pub(super) fn device(&self) -> u64 {
        let metadata = self.opened.get().and_then(|file| file.metadata().ok());
        let device = metadata.and_then(|metadata| BlockDevice::of(&metadata).ok());
        device.map_or(0, |device| device.identity())
    }

    fn can_be_created(&self) -> Result<(), JobError> {
        let path = end_of_links(&self.path);
        match path.parent() {
            // A file there would be in memory, beside the devices, one of which was meant.
            Some(folder) if folder.starts_with("/dev") && !folder.starts_with("/dev/shm") => {
                Err(self
                    .wrong("there is no such device")
                    .hint("`lsblk` lists the devices"))
            }
            Some(folder) if !folder.is_dir() => Err(self
                .wrong(format!("there is no folder {}", folder.display()))
                .hint("create the folder first")),
            _ => Ok(()),
        }
    }

    /// Refuses what iGen must not write to, or to read where it is not asked to.
    pub(super) fn check(&mut self, params: &Params, setup: &Setup) -> Result<(), JobError> {
        let owned = setup.i_own_this_data;
        let found = self.found()?;
        self.of_others = matches!(found, Found::Foreign(_));
        self.was_absent = found == Found::Nothing;
        match found {
            Found::Nothing => Ok(()),
            Found::Ours(_) | Found::Foreign(_) if !params.writes() => Ok(()),
            Found::Ours(_) => self.check_uses(),
            Found::Foreign(_) if owned => self.check_uses(),
            Found::Foreign(_) => Err(self
                .wrong("iGen did not create this file, and would overwrite it")
                .hint(
                    "name another file, or read only (read=100), or insist with --i-own-this-data",
                )),
            Found::Device => self.check_device(params, setup),
        }
    }

    /// Refuses a file that somebody else uses, whatever the user insists on: a loop device would show what is
    /// written to it. From now on nobody can have it for himself while this target is open.
    pub(super) fn check_uses(&self) -> Result<(), JobError> {
        let Some(file) = self.opened()? else {
            return Ok(());
        };
        let uses = inspect::uses_of_file(file).map_err(|error| self.fault(&error))?;
        if uses.is_empty() {
            return Ok(());
        }
        Err(self
            .wrong(format!("the file is in use: {}", uses.join(", ")))
            .hint("release it first, or name another file"))
    }

    /// Looks at each page of the first `bytes` of a file that iGen has created: nothing of somebody else may be
    /// overwritten or removed. What the ledger of a load with `verify` tells of is known by it, too.
    pub(super) async fn own(
        &self,
        params: &Params,
        bytes: u64,
        progress: &ProgressReporter,
    ) -> Result<(), JobError> {
        let Some(file) = self.opened()? else {
            return Ok(());
        };
        let open = self.open_ledger();
        let ledger = match open {
            Some(ledger) => Some(ledger),
            None if params.verify => {
                let ledger = Ledger::open(&self.ledger_path(params)?, self.device())?;
                ledger.map(Arc::new)
            }
            None => None,
        };
        let found = foreign_pages(file, &self.path, bytes, ledger.as_deref(), progress).await;
        let Some(foreign) = found.map_err(|error| self.fault(&error))? else {
            return Ok(());
        };
        Err(self
            .wrong(format!(
                "iGen created this file, but has not written what is in it from byte {} to {}",
                foreign.from,
                foreign.to - 1
            ))
            .hint("look whose it is; then name another file, remove this one yourself, or insist with --i-own-this-data"))
    }

    /// Before the first write to what is there: looks at all of what a load may overwrite, unless the user
    /// insists, see `own`, and forgets what a ledger tells of it if the load will tell it nothing. Done once.
    pub(super) async fn own_for_load(
        &self,
        params: &Params,
        insisted: bool,
        progress: &ProgressReporter,
    ) -> Result<(), JobError> {
        let own = || async {
            if let (Found::Ours(bytes), false) = (self.found()?, insisted) {
                let used = params.size_bytes.map_or(bytes, |size| size.0.min(bytes));
                self.own(params, used, progress).await?;
            }
            if params.verify {
                return Ok(());
            }
            self.forget_ledger(params)
        };
        self.owned.get_or_try_init(own).await.copied()
    }

    /// The target was created and filled by this job.
    pub(super) fn is_all_new(&self) {
        let _ = self.owned.set(());
    }

    /// Removes the file that was looked at, and nothing that has taken its place since.
    pub(super) fn remove(&self) -> Result<(), JobError> {
        let Some(file) = self.opened()? else {
            return Ok(());
        };
        remove(file, &end_of_links(&self.path)).map_err(|error| self.fault(&error))
    }

    /// The file or device, opened as `params` say; the first call does it.
    pub(super) fn volume(&self, params: &Params) -> Result<Arc<Volume>, JobError> {
        if let Some(volume) = self.volume.get() {
            return Ok(Arc::clone(volume));
        }
        let access = if params.writes() {
            Access::Write
        } else {
            Access::Read
        };
        let file = self.opened()?.ok_or_else(|| {
            self.wrong("it is not there").hint(format!(
                "create it with `igen data prepare io --target file://{}`",
                self.path.display()
            ))
        })?;
        let opened = Volume::of(file, &self.path, access, params.direct);
        let volume = opened.map_err(|error| match error.kind() {
            ErrorKind::Unsupported => self
                .wrong("its file system has no direct I/O (O_DIRECT)")
                .hint("use direct=prefer or direct=off, or a file elsewhere"),
            ErrorKind::ResourceBusy => self
                .wrong("it is in use (EBUSY)")
                .hint("somebody has mounted it or holds it: name another device"),
            _ => self.fault(&error),
        })?;
        self.check_size(params, &volume)?;
        Ok(Arc::clone(self.volume.get_or_init(|| Arc::new(volume))))
    }

    /// Drops it from the page cache, so that the device is read.
    pub(super) fn drop_cached(&self, volume: &Volume) -> Result<(), JobError> {
        if volume.direct {
            return Ok(());
        }
        page_cache::drop_file(volume.path()).map_err(|error| self.fault(&error))
    }

    fn check_size(&self, params: &Params, volume: &Volume) -> Result<(), JobError> {
        let asked = params.size_bytes.map_or(params.block.0, |size| size.0);
        if volume.bytes < asked {
            let text = format!(
                "{} has {} bytes, less than {asked}",
                self.path.display(),
                volume.bytes
            );
            return Err(
                at("size_bytes", text).hint("use a smaller size, or leave it out for all of it")
            );
        }
        let alignment = volume
            .alignment_bytes()
            .map_err(|error| self.fault(&error))?;
        match alignment {
            Some(alignment) if !params.block.0.is_multiple_of(alignment) => {
                let text = format!(
                    "direct I/O on {} needs multiples of {alignment} bytes",
                    self.path.display()
                );
                Err(at("block", text).hint(format!(
                    "use {alignment} bytes or a multiple, or direct=off"
                )))
            }
            _ => Ok(()),
        }
    }

    /// What is on a device is told before anything is done to it. Writing what is in use is refused whatever
    /// the user insists on: the kernel would not let us have it for ourselves.
    fn check_device(&self, params: &Params, setup: &Setup) -> Result<(), JobError> {
        let Some(node) = self.opened()? else {
            return Ok(());
        };
        let contents =
            inspect::inspect_opened(node, &self.path).map_err(|error| self.wrong(error))?;
        let refused = |hint: &str| Err(JobError::at(&self.field, contents.to_string()).hint(hint));
        if !setup.i_own_this_data {
            return refused(
                "if nothing on it is needed any more, insist with --i-own-this-data; writing destroys \
                 what is on it",
            );
        }
        if !params.writes() {
            return Ok(());
        }
        if contents.is_read_only {
            return Err(self
                .wrong("the device is read-only")
                .hint("only read it (read=100), or allow writes (`blockdev --setrw`)"));
        }
        if contents.is_in_use() {
            return refused("unmount or release it first, or name another device");
        }
        if !contents.is_blank() && !setup.force {
            return refused(
                "writing destroys it: name another device, clear this one (wipefs --all, or blkdiscard), or \
                 insist with --force too",
            );
        }
        Ok(())
    }
}

/// Where a file would be created, were `path` opened for that: links that lead nowhere are followed.
fn end_of_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        if let (Some(folder), Some(name)) = (folder, path.file_name()) {
            path = folder.join(name);
        }
        match (path.read_link(), path.parent()) {
            (Ok(next), Some(folder)) => path = folder.join(next),
            _ => break,
        }
    }
    path
}

fn is_of_igen(file: &File) -> std::io::Result<bool> {
    let mut head = [0; STAMP_BYTES];
    match file.read_exact_at(&mut head, 0) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| stamp::is_of_own_file(&head)),
    }
}

/// Removes `path` if it still names `file`: under a name that nobody else uses this cannot change between the
/// second look and the removal.
fn remove(file: &File, path: &Path) -> std::io::Result<()> {
    let identity = |metadata: &Metadata| (metadata.dev(), metadata.ino());
    let looked_at = identity(&file.metadata()?);
    let is_another = || Error::other("another file has taken its place");
    if identity(&path.symlink_metadata()?) != looked_at {
        return Err(is_another());
    }
    let mut aside = path.as_os_str().to_owned();
    aside.push(format!(".igen-removed-{}", std::process::id()));
    let aside = PathBuf::from(aside);
    rename(path, &aside)?;
    if identity(&aside.symlink_metadata()?) == looked_at {
        return std::fs::remove_file(aside);
    }
    rename(&aside, path)?;
    Err(is_another())
}

/// What has the new name already is not replaced: an error.
fn rename(from: &Path, to: &Path) -> std::io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Its file system, such as NFS, cannot do that in one step.
        Err(Errno::INVAL) if to.symlink_metadata().is_err() => std::fs::rename(from, to),
        renamed => Ok(renamed?),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_file_is_made_among_the_devices() {
        let folder = tempfile::tempdir().unwrap();
        let link = |name: &str, to: &str| {
            let path = folder.path().join(name);
            symlink(to, &path).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let there = folder.path().to_str().unwrap();
        for (path, refused) in [
            ("/dev/igen-none".to_owned(), true),
            ("/dev/mapper/igen-none".to_owned(), true),
            ("/dev/disk/by-id/igen-none".to_owned(), true),
            (link("device", "/dev/igen-none"), true),
            (link("link", "device"), true),
            (format!("{}/igen-none", link("folder", "/dev")), true),
            (format!("{there}/../../../../../dev/igen-none"), true),
            ("/dev/shm/igen-none".to_owned(), false),
            (format!("{there}/none"), false),
            (link("nowhere", "none"), false),
        ] {
            let found = Target::of(0, &format!("file://{path}")).unwrap().found();
            match found {
                Err(error) if refused => {
                    assert!(error.text.ends_with("there is no such device"), "{error}");
                }
                found => assert_eq!(found.unwrap(), Found::Nothing, "{path}"),
            }
        }
        let circle = link("circle", "circle");
        assert!(
            Target::of(0, &format!("file://{circle}"))
                .unwrap()
                .found()
                .is_err()
        );
    }
}
