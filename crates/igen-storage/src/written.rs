//! Parts of a file that were never written. A read of them returns zeros and reaches no device: they are holes, or
//! space that is reserved and not written (unwritten extents).

#![allow(unsafe_code)]

use std::fs::File;
use std::io::{Error, Result};
use std::ops::Range;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;
use rustix::ioctl::{self, Opcode, Updater, opcode};

/// Unit of `st_blocks`, whatever the block size of the file system is.
const BLOCK_BYTES: u64 = 512;
/// Extents of one call.
const EXTENTS: u32 = 256;
/// The kernel writes the file out first, so that no extent is still to be allocated.
const SYNC: u32 = 1;
const LAST: u32 = 1;
const UNWRITTEN: u32 = 0x800;

/// `struct fiemap_extent` of the kernel's include/uapi/linux/fiemap.h.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved: [u64; 2],
    flags: u32,
    more_reserved: [u32; 3],
}

/// `struct fiemap`, with room for extents.
#[repr(C)]
struct Map {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    count: u32,
    reserved: u32,
    extents: [Extent; EXTENTS as usize],
}

/// The code has the size of the structure without extents.
const FIEMAP: Opcode = opcode::read_write::<[u64; 4]>(b'f', 11);

/// Returns how many bytes of a range of a file have been written. The file system knows them by extents, or else by
/// `SEEK_DATA`, or else by the number of its blocks.
pub fn written_bytes(file: &File, range: &Range<u64>) -> Result<u64> {
    match by_extents(file, range) {
        Err(error) if is_missing(&error) => (),
        found => return found,
    }
    match by_seeking(file, range) {
        Err(error) if is_missing(&error) => (),
        found => return found,
    }
    let allocated = file.metadata()?.blocks() * BLOCK_BYTES;
    Ok(allocated.min(range.end - range.start))
}

fn by_extents(file: &File, range: &Range<u64>) -> Result<u64> {
    let (mut written, mut start) = (0, range.start);
    while start < range.end {
        let mut map = Map {
            start,
            length: range.end - start,
            flags: SYNC,
            mapped: 0,
            count: EXTENTS,
            reserved: 0,
            extents: [Extent::default(); EXTENTS as usize],
        };
        // SAFETY: the kernel reads the head of the structure, and writes it and `count` extents, for which there is room.
        unsafe { ioctl::ioctl(file, Updater::<FIEMAP, Map>::new(&mut map)) }?;
        let extents = &map.extents[..map.mapped as usize];
        let used = |extent: &Extent| {
            let end = extent.logical.saturating_add(extent.length).min(range.end);
            end.saturating_sub(extent.logical.max(start))
        };
        let data = extents
            .iter()
            .filter(|extent| extent.flags & UNWRITTEN == 0);
        written += data.map(used).sum::<u64>();
        match extents.last() {
            Some(last) if last.flags & LAST == 0 => start = last.logical + last.length,
            _ => break,
        }
    }
    Ok(written)
}

fn by_seeking(file: &File, range: &Range<u64>) -> Result<u64> {
    let (mut written, mut start) = (0, range.start);
    while start < range.end {
        let data = match seek(file, SeekFrom::Data(start)) {
            Ok(data) => data.min(range.end),
            // No data behind that place.
            Err(Errno::NXIO) => break,
            Err(error) => return Err(error.into()),
        };
        start = seek(file, SeekFrom::Hole(data))?.clamp(data, range.end);
        written += start - data;
    }
    Ok(written)
}

fn is_missing(error: &Error) -> bool {
    let missing = [Errno::OPNOTSUPP, Errno::NOTTY, Errno::INVAL, Errno::NOSYS];
    missing
        .map(|errno| Some(errno.raw_os_error()))
        .contains(&error.raw_os_error())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::FileExt;
    use std::path::Path;

    use proptest::prelude::*;
    use rustix::fs::{FallocateFlags, fallocate};

    use super::*;

    const PAGE: u64 = 4096;
    const CONTENT: [u8; 4096] = [7; 4096];
    const PAGES: u64 = 64;

    /// A file of which some pages are reserved without being written, and then some are written.
    fn file(folder: &Path, reserved: &[u64], written: &[u64]) -> File {
        let file = tempfile::tempfile_in(folder).unwrap();
        file.set_len(PAGES * PAGE).unwrap();
        for page in reserved {
            fallocate(&file, FallocateFlags::KEEP_SIZE, page * PAGE, PAGE).unwrap();
        }
        for page in written {
            file.write_all_at(&CONTENT, page * PAGE).unwrap();
        }
        file
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn holes_and_reserved_space_are_not_written(
            reserved in prop::collection::hash_set(0..PAGES, 0..20),
            written in prop::collection::hash_set(0..PAGES, 0..20),
            (from, to) in (0..PAGES, 0..=PAGES),
        ) {
            let [reserved, written] = [reserved, written].map(Vec::from_iter);
            let range = from * PAGE..from.max(to) * PAGE;
            let pages = written.iter().filter(|page| range.contains(&(*page * PAGE)));
            let expected = pages.count() as u64 * PAGE;
            // A disk, mostly, and a file system in memory.
            for folder in [std::env::temp_dir().as_path(), Path::new("/dev/shm")] {
                let file = file(folder, &reserved, &written);
                prop_assert_eq!(written_bytes(&file, &range).unwrap(), expected);
            }
        }
    }
}
