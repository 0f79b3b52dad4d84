//! Whether a file is iGen's page by page, so that nothing is overwritten or removed that somebody else has put
//! into it: appended to it, or written over a part of it. Where each sector of a page was stamped, as loads with
//! `verify` do, each is looked at to its last byte; else what stands behind the stamp of a page is not known.

use std::fs::File;
use std::io::{Error, ErrorKind};
use std::path::Path;

use igen_engine::ProgressReporter;
use igen_storage::{Access, Buffer, Direct, Volume};
use rustix::io::pread;

use super::ledger::Ledger;
use super::stamp::{self, PAGE_BYTES, SECTOR_BYTES, Sector};

/// Length of a read.
const CHUNK_BYTES: u64 = 1 << 20;
const MIB: u64 = 1 << 20;
/// As a length in memory.
#[expect(clippy::cast_possible_truncation, reason = "4096")]
const PAGE: usize = PAGE_BYTES as usize;

/// Bytes that iGen has not written: from the first to the last but one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Foreign {
    pub(super) from: u64,
    pub(super) to: u64,
}

/// Reads the first `bytes` of `file`, which was found at `path`, and finds the first pages one after another that
/// neither bear their stamp nor are known to `ledger`. The page cache stays as it is where the file system
/// can. Given up where it awaits.
pub(super) async fn foreign_pages(
    file: &File,
    path: &Path,
    bytes: u64,
    ledger: Option<&Ledger>,
    progress: &ProgressReporter,
) -> Result<Option<Foreign>, Error> {
    let text = format!("looking whether {} is iGen's", path.display());
    let file = Volume::of(file, path, Access::Read, Direct::Prefer)?.file()?;
    let mut buffer = Buffer::new(usize::try_from(CHUNK_BYTES).unwrap_or(usize::MAX));
    let mut found: Option<Foreign> = None;
    let mut at = 0;
    while at < bytes {
        let read = read_at(&file, buffer.bytes_mut(), at)?;
        let here = (bytes - at).min(CHUNK_BYTES);
        if (read as u64) < here {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let chunk = &buffer.bytes()[..read];
        for (page, offset) in chunk.chunks(PAGE).zip((at..at + here).step_by(PAGE)) {
            let is_ours = is_of_igen(page, offset, ledger);
            match &mut found {
                None if !is_ours => {
                    let to = (offset + PAGE_BYTES).min(bytes);
                    found = Some(Foreign { from: offset, to });
                }
                Some(_) if is_ours => return Ok(found),
                Some(found) => found.to = (offset + PAGE_BYTES).min(bytes),
                None => (),
            }
        }
        at += here;
        progress.report(&text, at / MIB, bytes.div_ceil(MIB), "MiB");
        tokio::task::yield_now().await;
    }
    Ok(found)
}

/// Whether the page that begins at `offset` bears iGen's stamps of that place, or is what the ledger tells of and
/// the storage has damaged.
fn is_of_igen(page: &[u8], offset: u64, ledger: Option<&Ledger>) -> bool {
    let throughout = stamp::is_stamped_throughout(page);
    let looked_at = if throughout { usize::MAX } else { 1 };
    let mut sectors = page
        .chunks(SECTOR_BYTES)
        .zip((offset..).step_by(SECTOR_BYTES))
        .take(looked_at);
    sectors.all(|(sector, offset)| is_sector_of_igen(sector, offset, throughout, ledger))
}

/// As `is_of_igen`; with `throughout` its stamp vouches for the rest of it, too.
fn is_sector_of_igen(
    sector: &[u8],
    offset: u64,
    throughout: bool,
    ledger: Option<&Ledger>,
) -> bool {
    let stamp = match stamp::sector(sector) {
        Sector::Unstamped => None,
        // With a ledger that is a fault of the storage, which it tells.
        Sector::Damaged(_) if throughout && ledger.is_none() => None,
        Sector::Whole(stamp) | Sector::Head(stamp) | Sector::Damaged(stamp) => Some(stamp),
    };
    if stamp.is_some_and(|stamp| stamp.offset == offset) {
        return true;
    }
    let sector = sector.first_chunk::<SECTOR_BYTES>();
    ledger
        .zip(sector)
        .is_some_and(|(ledger, sector)| ledger.knows(sector, offset))
}

fn read_at(file: &File, buffer: &mut [u8], at: u64) -> Result<usize, Error> {
    let mut read = 0;
    while read < buffer.len() {
        match pread(file, &mut buffer[read..], at + read as u64) {
            Ok(0) => break,
            Ok(bytes) => read += bytes,
            Err(rustix::io::Errno::INTR) => (),
            // At the end of a file that is no whole number of sectors long.
            Err(rustix::io::Errno::INVAL) if read > 0 => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(read)
}
