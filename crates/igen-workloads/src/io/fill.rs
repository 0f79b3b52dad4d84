//! Writing a target once from begin to end, so that nothing of it is a hole, or never written flash.

use std::fs::File;
use std::io::{Error, ErrorKind};
use std::path::Path;

use igen_engine::ProgressReporter;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::io::pwrite;

use super::stamp::{self, Stamp};

/// Length of a write.
const CHUNK_BYTES: u64 = 1 << 20;
const MIB: u64 = 1 << 20;

/// What is written where.
pub(super) struct Fill<'a> {
    pub(super) path: &'a Path,
    /// The first and the last byte, but one; what is before is there already.
    pub(super) from: u64,
    pub(super) to: u64,
    /// Size of the blocks, which are stamped.
    pub(super) block_bytes: u64,
    pub(super) seed: u64,
    pub(super) compressible: u8,
    /// Each sector tells that it is iGen's, for loads with `verify`.
    pub(super) stamps_sectors: bool,
    /// The file is one that iGen did not create.
    pub(super) of_others: bool,
}

impl Fill<'_> {
    /// Writes, and flushes at the end.
    pub(super) async fn run(&self, file: &File, progress: &ProgressReporter) -> Result<(), Error> {
        let text = format!("writing {}", self.path.display());
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ self.from);
        let chunk_bytes = CHUNK_BYTES.next_multiple_of(self.block_bytes);
        let mut chunk = vec![0; usize::try_from(chunk_bytes).unwrap_or(usize::MAX)];
        // Blocks begin at multiples of their length.
        let mut at = self.from / self.block_bytes * self.block_bytes;
        while at < self.to {
            let bytes = chunk_bytes.min(self.to - at);
            let part = &mut chunk[..usize::try_from(bytes).unwrap_or(usize::MAX)];
            self.fill(part, at, &mut random);
            write_all(file, part, at)?;
            at += bytes;
            progress.report(&text, at / MIB, self.to.div_ceil(MIB), "MiB");
            tokio::task::yield_now().await;
        }
        file.sync_all()?;
        progress.report(&text, self.to.div_ceil(MIB), self.to.div_ceil(MIB), "MiB");
        Ok(())
    }

    fn fill(&self, part: &mut [u8], at: u64, random: &mut impl Rng) {
        let block_bytes = usize::try_from(self.block_bytes).unwrap_or(usize::MAX);
        for (block, offset) in part
            .chunks_mut(block_bytes)
            .zip((at..).step_by(block_bytes))
        {
            let stamp = Stamp::uncounted(self.seed, offset);
            if self.stamps_sectors {
                stamp::write_all(block, &stamp, self.compressible);
            } else {
                fill_block(block, self.compressible, random);
                stamp::write(block, &stamp, self.compressible);
            }
            if offset == 0 && self.of_others {
                stamp::mark_as_of_others(block);
            }
        }
    }
}

/// Random bytes, then as many zeros as `compressible` percent.
pub(super) fn fill_block(block: &mut [u8], compressible: u8, random: &mut impl Rng) {
    let random_bytes = block.len() * usize::from(100 - compressible) / 100;
    let (front, back) = block.split_at_mut(random_bytes);
    random.fill_bytes(front);
    back.fill(0);
}

fn write_all(file: &File, mut bytes: &[u8], mut at: u64) -> Result<(), Error> {
    while !bytes.is_empty() {
        match pwrite(file, bytes, at)? {
            0 => return Err(ErrorKind::WriteZero.into()),
            written => {
                bytes = &bytes[written..];
                at += written as u64;
            }
        }
    }
    Ok(())
}
