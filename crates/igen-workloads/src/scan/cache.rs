//! Dropping what the operating system keeps of the database's files, and saying how far it went.

use std::fs;
use std::io::Error;
use std::path::PathBuf;

use crate::page_cache;

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
            Self::Files(files) => files
                .iter()
                .filter(|file| file.exists())
                .try_for_each(|file| page_cache::drop_file(file)),
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
            let (here, of) = page_cache::resident_samples(file, u64::MAX)?;
            resident = (resident.0 + here, resident.1 + of);
        }
        Ok(f64::from(resident.0) / f64::from(resident.1.max(1)))
    }
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
        let before = cache.resident_fraction().unwrap();
        // Some file systems do not tell.
        assert!(before > 0.9 || before.abs() < f64::EPSILON, "{before}");
        // A file system that lives in memory keeps everything, others nothing; looking may start a
        // read-ahead, of which the next block may be a part.
        let told = |_| {
            cache.drop().unwrap();
            cache.resident_fraction().unwrap()
        };
        assert!(
            (0..20)
                .map(told)
                .any(|fraction| !(0.1..=0.9).contains(&fraction))
        );
        fs::remove_file(path).unwrap();
        assert!(cache.resident_fraction().unwrap().abs() < f64::EPSILON);
    }
}
