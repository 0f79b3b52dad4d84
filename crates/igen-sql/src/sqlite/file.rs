//! Database files: whose they are.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use igen_job::JobError;

use crate::embedded::{Found, beside, discard_interrupted, io_error};

/// "iGen", at offset 68 of the header of each database that iGen creates.
pub(super) const APPLICATION_ID: u32 = u32::from_be_bytes(*b"iGen");

const MAGIC: &[u8] = b"SQLite format 3\0";
const APPLICATION_ID_OFFSET: usize = 68;

/// Looks at the file at `path` without opening it as a database, which could leave files behind.
/// Not while this process has the database open: closing the file drops SQLite's locks on it.
pub fn look(path: &Path) -> Result<Found, JobError> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(io_error("read", path, &error)),
    };
    if !metadata.is_file() {
        return Ok(Found::Foreign("not a file"));
    }
    let mut header = Vec::with_capacity(100);
    File::open(path)
        .and_then(|file| file.take(100).read_to_end(&mut header))
        .map_err(|error| io_error("read", path, &error))?;
    Ok(owner(&header))
}

fn owner(header: &[u8]) -> Found {
    if header.is_empty() {
        return Found::Foreign("an empty file");
    }
    let id = header.get(APPLICATION_ID_OFFSET..APPLICATION_ID_OFFSET + 4);
    match id {
        _ if !header.starts_with(MAGIC) => Found::Foreign("not an SQLite database"),
        Some(id) if id == APPLICATION_ID.to_be_bytes() => Found::Igen,
        _ => Found::Foreign("an SQLite database of another program"),
    }
}

/// Removes the database at `path`, its log and what an interrupted load left, all of them only if
/// they are iGen's; does nothing if there is nothing.
pub fn remove(path: &Path) -> Result<(), JobError> {
    if let Found::Foreign(what) = look(path)? {
        return Err(JobError::new(format!(
            "{} is {what}, so it was not removed",
            path.display()
        )));
    }
    discard_interrupted(path)?;
    if !path.exists() {
        return Ok(());
    }
    // The database goes last: a log without its database would spoil the next one.
    for file in [beside(path, "-wal"), beside(path, "-shm"), path.to_owned()] {
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(io_error("remove", &file, &error));
            }
            _ => (),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn only_a_database_with_the_application_id_is_ours() {
        let mut header = MAGIC.to_vec();
        header.resize(100, 0);
        assert!(matches!(owner(&header), Found::Foreign(_)));
        header[68..72].copy_from_slice(b"iGen");
        assert_eq!(owner(&header), Found::Igen);
        assert!(matches!(owner(&header[..70]), Found::Foreign(_)), "cut off");
        header[0] = b's';
        assert!(matches!(owner(&header), Found::Foreign(_)), "wrong magic");
        assert!(matches!(owner(&[]), Found::Foreign(_)), "empty");
    }

    #[test]
    fn remove_touches_nothing_but_ours() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("notes.db");
        remove(&path).expect("nothing to remove");
        fs::write(&path, "my notes").unwrap();
        let error = remove(&path).expect_err("not ours");
        assert!(error.text.contains("not an SQLite database"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"my notes");
        assert!(remove(directory.path()).is_err(), "a directory");
        let log = beside(&path, "-wal");
        fs::remove_file(&path).unwrap();
        fs::write(&log, "whose?").unwrap();
        remove(&path).expect("nothing to remove");
        assert!(log.exists(), "a log without database may be anybody's");
    }
}
