//! A file or a block device, and how it is opened.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Result, Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::{Errno, pread};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::block_device::BlockDevice;
use crate::buffer::Buffer;
use crate::opened::{look_at, open_again};
use crate::written::written_bytes;

/// Use of direct I/O, which bypasses the page cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direct {
    /// Where the file system can.
    #[default]
    Prefer,
    /// Always, or not at all.
    Require,
    /// Never: what was read or written lately is in memory.
    Off,
}

/// What is done to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It is opened for reading only: nothing can be written.
    Read,
    /// It is read and written.
    Write,
}

/// A file or a block device that was opened once, and can be again for each user: always the same one,
/// whatever its path names meanwhile.
#[derive(Debug)]
pub struct Volume {
    path: PathBuf,
    access: Access,
    /// The page cache is passed by.
    pub direct: bool,
    /// It is a block device.
    pub device: bool,
    /// Length of the file or size of the device.
    pub bytes: u64,
    /// A device that is written is held: nobody mounts it meanwhile.
    held: File,
}

impl Volume {
    /// Opens what is at `path`, see `of`.
    pub fn open(path: &Path, access: Access, direct: Direct) -> Result<Self> {
        Self::of(&look_at(path)?, path, access, direct)
    }

    /// Opens again what `file` is, which was found at `path`. An error of the kind `Unsupported` where
    /// direct I/O is required and the file system has none, `ResourceBusy` where a device to be written is
    /// in use.
    pub fn of(file: &File, path: &Path, access: Access, direct: Direct) -> Result<Self> {
        let device = file.metadata()?.file_type().is_block_device();
        let mut holding = options(access, false);
        if device && access == Access::Write {
            holding.custom_flags(bits(OFlags::EXCL));
        }
        let mut held = open_again(file, &holding)?;
        let bytes = held.seek(SeekFrom::End(0))?;
        let direct = match direct {
            Direct::Off => false,
            Direct::Prefer | Direct::Require => match open_again(file, &options(access, true)) {
                Ok(_) => true,
                Err(error) if is_unsupported(&error) && direct == Direct::Prefer => false,
                Err(error) if is_unsupported(&error) => {
                    return Err(ErrorKind::Unsupported.into());
                }
                Err(error) => return Err(error),
            },
        };
        Ok(Self {
            path: path.to_owned(),
            access,
            direct,
            device,
            bytes,
            held,
        })
    }

    /// Opens it again: users that share a file descriptor would wait for each other's counting of it.
    pub fn file(&self) -> Result<File> {
        open_again(&self.held, &options(self.access, self.direct))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns how many of the first `bytes` have been written: in the file, or in the file behind a loop device. Other
    /// devices do not know it.
    pub fn written_bytes(&self, bytes: u64) -> Result<u64> {
        let opened = open_again(&self.held, File::options().read(true))?;
        if !self.device {
            return written_bytes(&opened, &(0..bytes));
        }
        let device = BlockDevice::of(&opened.metadata()?)?;
        match device.backing_file().map(File::open) {
            Some(Ok(file)) => {
                let offset = device.backing_offset();
                written_bytes(&file, &(offset..offset + bytes))
            }
            _ => Ok(bytes),
        }
    }

    /// I/Os must have a multiple of this length and place; found by trying. `None` where it holds too
    /// little to try.
    pub fn alignment_bytes(&self) -> Result<Option<u64>> {
        if !self.direct {
            return Ok(Some(1));
        }
        let file = self.file()?;
        let mut buffer = Buffer::new(1 << 16);
        let mut bytes = 512;
        while bytes <= buffer.bytes().len() && bytes as u64 * 2 <= self.bytes {
            match pread(&file, &mut buffer.bytes_mut()[..bytes], bytes as u64) {
                Err(Errno::INVAL) => bytes *= 2,
                Err(error) => return Err(error.into()),
                Ok(_) => return Ok(Some(bytes as u64)),
            }
        }
        Ok(None)
    }
}

fn options(access: Access, direct: bool) -> OpenOptions {
    let mut options = File::options();
    options.read(true).write(access == Access::Write);
    if direct {
        options.custom_flags(bits(OFlags::DIRECT));
    }
    options
}

fn bits(flags: OFlags) -> i32 {
    flags.bits().cast_signed()
}

fn is_unsupported(error: &Error) -> bool {
    [Errno::INVAL, Errno::OPNOTSUPP]
        .map(|errno| Some(errno.raw_os_error()))
        .contains(&error.raw_os_error())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_file_is_opened_as_asked() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 20).unwrap();
        let volume = Volume::open(file.path(), Access::Read, Direct::Off).unwrap();
        assert!(!volume.direct && !volume.device);
        assert_eq!(volume.bytes, 1 << 20);
        assert_eq!(volume.alignment_bytes().unwrap(), Some(1));
        let written = rustix::io::pwrite(volume.file().unwrap(), b"no", 0);
        assert_eq!(written, Err(Errno::BADF));
    }

    #[test]
    fn alignment_is_found_by_trying() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 20).unwrap();
        let volume = Volume::open(file.path(), Access::Write, Direct::Prefer).unwrap();
        let alignment_bytes = volume.alignment_bytes().unwrap().unwrap();
        assert!(!volume.direct || [512, 1024, 2048, 4096].contains(&alignment_bytes));
    }

    #[test]
    fn what_was_opened_once_stays_it_whatever_its_path_names_later() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["asked", "ours", "precious"].map(|name| folder.path().join(name));
        let [asked, ours, precious] = &names;
        std::fs::write(ours, [1; 8192]).unwrap();
        std::fs::write(precious, [2; 8192]).unwrap();
        std::os::unix::fs::symlink(ours, asked).unwrap();
        let looked_at = look_at(asked).unwrap();
        let flip = || {
            std::fs::remove_file(asked).unwrap();
            std::os::unix::fs::symlink(precious, asked).unwrap();
        };
        flip();
        let volume = Volume::of(&looked_at, asked, Access::Write, Direct::Off).unwrap();
        rustix::io::pwrite(volume.file().unwrap(), b"mine", 0).unwrap();
        assert_eq!(std::fs::read(precious).unwrap(), [2; 8192]);
        assert!(std::fs::read(ours).unwrap().starts_with(b"mine"));
    }

    #[test]
    fn what_is_not_there_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("absent");
        let error = Volume::open(&path, Access::Write, Direct::Prefer).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(!path.exists());
    }
}
