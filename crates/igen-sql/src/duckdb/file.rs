//! Database files: whose they are.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use igen_job::JobError;

use super::load::discard_interrupted;
use crate::embedded::{Found, beside, io_error};

const MAGIC: &[u8] = b"DUCK";
/// Behind the checksum of the header.
const MAGIC_OFFSET: usize = 8;

/// Looks at the file at `path` without opening it as a database. Not while this process has the
/// database open: closing the file drops DuckDB's lock on it. `Igen` for any database of DuckDB:
/// whose it is, is in its tables.
pub(super) fn look(path: &Path) -> Result<Found, JobError> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(io_error("read", path, &error)),
    };
    if !metadata.is_file() {
        return Ok(Found::Foreign("not a file"));
    }
    let mut header = Vec::with_capacity(MAGIC_OFFSET + MAGIC.len());
    File::open(path)
        .and_then(|file| {
            file.take((MAGIC_OFFSET + MAGIC.len()) as u64)
                .read_to_end(&mut header)
        })
        .map_err(|error| io_error("read", path, &error))?;
    Ok(match header.get(MAGIC_OFFSET..) {
        _ if header.is_empty() => Found::Foreign("an empty file"),
        Some(MAGIC) => Found::Igen,
        _ => Found::Foreign("not a DuckDB database"),
    })
}

/// Removes the database at `path`, which is iGen's, its log and what an interrupted load left.
pub(super) fn remove(path: &Path) -> Result<(), JobError> {
    discard_interrupted(path)?;
    // The database goes last: a log without its database would spoil the next one.
    for file in [beside(path, ".wal"), path.to_owned()] {
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(io_error("remove", &file, &error));
            }
            _ => (),
        }
    }
    Ok(())
}
