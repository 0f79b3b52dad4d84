//! What the operating system keeps of a file in memory.

use std::fs::File;
use std::io::{Error, IoSliceMut, Read, Seek, SeekFrom};
use std::path::Path;

use rustix::fs::{Advice, fadvise};
use rustix::io::{Errno, ReadWriteFlags, preadv2};

/// Places of a file where a look tells whether it is still in memory.
const SAMPLES: u64 = 256;

/// Drops a file's pages; only those that are on disk can be dropped, so it is written out first.
pub(crate) fn drop_file(path: &Path) -> Result<(), Error> {
    let file = File::open(path)?;
    file.sync_all()?;
    fadvise(&file, 0, None, Advice::DontNeed)?;
    Ok(())
}

/// Reads the first `bytes` of a file, so that as much of them as fits is in memory.
pub(crate) fn read_through(path: &Path, bytes: u64) -> Result<(), Error> {
    let mut used = File::open(path)?.take(bytes);
    std::io::copy(&mut used, &mut std::io::sink()).map(|_| ())
}

/// How many places of the first `bytes` of a file or device, or of all if it has fewer, are in memory, and
/// of how many: a read that must not wait for the disk fails elsewhere. It may make the kernel read ahead: drop again after a look. Of none
/// where the file system has no such reads, as those in memory.
pub(crate) fn resident_samples(path: &Path, bytes: u64) -> Result<(u32, u32), Error> {
    let mut file = File::open(path)?;
    let bytes = file.seek(SeekFrom::End(0))?.min(bytes);
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
            Err(Errno::OPNOTSUPP) => return Ok((0, 0)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok((resident, u32::try_from(samples).unwrap_or(u32::MAX)))
}
