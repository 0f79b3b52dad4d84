//! Dropping what the operating system keeps of the database's files, and saying how far it went.

use std::fs::{self, File};
use std::io::{Error, IoSliceMut};
use std::path::{Path, PathBuf};

use rustix::fs::{Advice, fadvise};
use rustix::io::{Errno, ReadWriteFlags, preadv2};

/// Places of a file where a look tells whether it is still in memory.
const SAMPLES: u64 = 256;
const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// What can be dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cache {
    /// The pages of these files.
    Files(Vec<PathBuf>),
    /// All pages of this machine, on which the server runs.
    Machine,
}

impl Cache {
    /// Drops it.
    pub(super) fn drop(&self) -> Result<(), Error> {
        match self {
            Self::Files(files) => files.iter().try_for_each(|file| drop_file(file)),
            Self::Machine => {
                rustix::fs::sync();
                fs::write(DROP_CACHES, "1")
            }
        }
    }

    /// Share of the files' pages that are in memory, 0 to 1, by samples; 0 for a whole machine, of
    /// which the kernel says nothing.
    pub(super) fn resident_fraction(&self) -> Result<f64, Error> {
        let Self::Files(files) = self else {
            return Ok(0.0);
        };
        let mut resident = (0, 0);
        for file in files.iter().filter(|file| file.exists()) {
            let (here, of) = resident_samples(file)?;
            resident = (resident.0 + here, resident.1 + of);
        }
        Ok(f64::from(resident.0) / f64::from(resident.1.max(1)))
    }
}

/// Only pages that are on disk can be dropped.
fn drop_file(path: &Path) -> Result<(), Error> {
    if !path.exists() {
        return Ok(());
    }
    let file = File::open(path)?;
    file.sync_all()?;
    fadvise(&file, 0, None, Advice::DontNeed)?;
    Ok(())
}

/// How many places of the file are in memory, and of how many: a read that must not wait for the
/// disk fails elsewhere. It may make the kernel read ahead: drop again after a look.
fn resident_samples(path: &Path) -> Result<(u32, u32), Error> {
    let file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut resident = 0;
    let samples = SAMPLES.min(bytes);
    for sample in 0..samples {
        let mut byte = [0];
        let mut buffers = [IoSliceMut::new(&mut byte)];
        match preadv2(
            &file,
            &mut buffers,
            bytes / samples * sample,
            ReadWriteFlags::NOWAIT,
        ) {
            Ok(_) => resident += 1,
            Err(Errno::AGAIN) => (),
            Err(error) => return Err(error.into()),
        }
    }
    Ok((resident, u32::try_from(samples).unwrap_or(u32::MAX)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_was_just_written_is_in_memory_and_what_is_not_there_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data");
        fs::write(&path, vec![1; 1 << 20]).unwrap();
        let cache = Cache::Files(vec![path.clone(), directory.path().join("absent")]);
        assert!(cache.resident_fraction().unwrap() > 0.9);
        cache.drop().unwrap();
        // A file system that lives in memory keeps everything, others nothing.
        let fraction = cache.resident_fraction().unwrap();
        assert!(!(0.1..=0.9).contains(&fraction), "{fraction}");
        fs::remove_file(path).unwrap();
        assert!(cache.resident_fraction().unwrap().abs() < f64::EPSILON);
    }
}
