//! One of a job's targets: a file or a block device, and whether iGen may write to it.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use igen_drivers::storage::block_device::BlockDevice;
use igen_drivers::storage::{Access, Volume, inspect, reason};
use igen_engine::Setup;
use igen_job::JobError;

use super::ledger::Ledger;
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
    /// Opened when it is first needed: `prepare` may have to create it.
    volume: OnceLock<Arc<Volume>>,
    /// Of the load that goes on, with `verify`.
    pub(super) ledger: Mutex<Option<Arc<Ledger>>>,
}

/// What is at the path of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    /// A file that iGen created, as its first block tells; its length.
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
            volume: OnceLock::new(),
            ledger: Mutex::default(),
        })
    }

    /// An error about this target.
    pub(super) fn wrong(&self, text: impl std::fmt::Display) -> JobError {
        JobError::at(&self.field, format!("{}: {text}", self.path.display()))
    }

    /// The system refuses something.
    pub(super) fn fault(&self, error: &std::io::Error) -> JobError {
        self.wrong(reason(error))
    }

    /// What is there.
    pub(super) fn found(&self) -> Result<Found, JobError> {
        let metadata = match self.path.metadata() {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return self.can_be_created().map(|()| Found::Nothing);
            }
            Err(error) => return Err(self.fault(&error)),
        };
        if metadata.file_type().is_block_device() {
            return Ok(Found::Device);
        }
        if !metadata.is_file() {
            return Err(self
                .wrong("it is neither a file nor a block device")
                .hint("name a file: iGen creates it"));
        }
        self.file_found(&metadata)
    }

    /// Which device it is; 0 for a file.
    pub(super) fn device(&self) -> u64 {
        BlockDevice::at(&self.path).map_or(0, |device| device.identity())
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

    fn file_found(&self, metadata: &Metadata) -> Result<Found, JobError> {
        let bytes = metadata.len();
        let ours = is_of_igen(&self.path).map_err(|error| self.fault(&error))?;
        Ok(if ours {
            Found::Ours(bytes)
        } else {
            Found::Foreign(bytes)
        })
    }

    /// Refuses what iGen must not write to, or to read where it is not asked to.
    pub(super) fn check(&mut self, params: &Params, setup: &Setup) -> Result<(), JobError> {
        let owned = setup.i_own_this_data;
        let found = self.found()?;
        self.of_others = matches!(found, Found::Foreign(_));
        match found {
            Found::Nothing | Found::Ours(_) => Ok(()),
            Found::Foreign(_) if owned || !params.writes() => Ok(()),
            Found::Foreign(_) => Err(self
                .wrong("iGen did not create this file, and would overwrite it")
                .hint(
                    "name another file, or read only (read=100), or insist with --i-own-this-data",
                )),
            Found::Device => self.check_device(params, setup),
        }
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
        let volume =
            Volume::open(&self.path, access, params.direct).map_err(|error| {
                match error.kind() {
                    ErrorKind::Unsupported => self
                        .wrong("its file system has no direct I/O (O_DIRECT)")
                        .hint("use direct=prefer or direct=off, or a file elsewhere"),
                    ErrorKind::NotFound => self.wrong("it is not there").hint(format!(
                        "create it with `igen prepare io --target file://{}`",
                        self.path.display()
                    )),
                    ErrorKind::ResourceBusy => self
                        .wrong("it is in use (EBUSY)")
                        .hint("somebody has mounted it or holds it: name another device"),
                    _ => self.fault(&error),
                }
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
        let contents = inspect::inspect(&self.path).map_err(|error| self.wrong(error))?;
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

fn is_of_igen(path: &Path) -> std::io::Result<bool> {
    let mut head = [0; STAMP_BYTES];
    match File::open(path)?.read_exact(&mut head) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| stamp::is_of_own_file(&head)),
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
