//! What was written to a target, kept beside it: how often each block was written, acknowledged and
//! flushed. A file in shared memory, so that it tells the truth however the writer ends.

use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use igen_job::JobError;
use igen_storage::SharedWords;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

use super::ledger_file::{
    BLOCK_WORDS, BOOT_WORD, HEAD_BYTES, HEAD_WORDS, Head, VERIFIED_WORD, create, this_boot,
};
use super::stamp::{self, SECTOR_BYTES, Stamp};

/// A writer that was killed holds its lock until the kernel has cleared up after it.
const LOCK_PATIENCE: Duration = Duration::from_secs(10);
/// After a power cut the ledger may have forgotten the last writes of a block: new ones get numbers that
/// none of those had.
const FORGOTTEN: u32 = 1 << 16;

/// What was written to one target, block by block. A block has one writer at a time.
pub(super) struct Ledger {
    words: SharedWords,
    /// Open, because its lock is held.
    _file: File,
    /// Length of a block.
    pub(super) block_bytes: u64,
    /// Number of blocks.
    pub(super) blocks: u64,
    seed: u64,
    generation: u32,
    /// The machine was started anew since it was written.
    pub(super) rebooted: bool,
}

/// What is known of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Claim {
    /// The last write that was begun; 0 for none.
    pub(super) issued: u32,
    /// The last write that was said to be done.
    pub(super) acknowledged: u32,
    /// The last write before a flush that was said to be done.
    pub(super) durable: u32,
}

/// The ledger of a target: beside a file, or in `folder` under a name made of the target's path.
pub(super) fn path_of(target: &Path, folder: Option<&Path>) -> PathBuf {
    let name = |text: String| format!("{text}.igen-ledger");
    match folder {
        Some(folder) => {
            let flat = target.to_string_lossy();
            folder.join(name(flat.trim_start_matches('/').replace('/', "-")))
        }
        None => PathBuf::from(name(target.to_string_lossy().into_owned())),
    }
}

impl Ledger {
    /// The ledger at `path` to go on with, or a new one where there is none or one of other blocks. After
    /// a `power_cut`, or else a reboot, only what was flushed is claimed any more. `device` is that of
    /// `open`.
    pub(super) fn begin(
        path: &Path,
        device: u64,
        block_bytes: u64,
        blocks: u64,
        seed: u64,
        power_cut: bool,
    ) -> Result<Self, JobError> {
        match Self::open(path, device)? {
            Some(ledger) if (ledger.block_bytes, ledger.blocks) == (block_bytes, blocks) => {
                ledger.go_on(power_cut || ledger.rebooted);
                Ok(ledger)
            }
            _ => {
                let head = Head {
                    block_bytes,
                    blocks,
                    seed,
                    generation: fresh_generation(seed),
                    device,
                };
                create(path, head).map_err(|error| fault(path, &error))?;
                Self::open(path, device)?.ok_or_else(|| fault(path, &ErrorKind::NotFound.into()))
            }
        }
    }

    /// The ledger at `path`, locked; `None` where there is none. `device` is the identity of the device
    /// that it should be of, 0 where that is a file or not known.
    pub(super) fn open(path: &Path, device: u64) -> Result<Option<Self>, JobError> {
        let mut file = match File::options().read(true).write(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fault(path, &error)),
        };
        lock(&file, path)?;
        let mut bytes = [0; HEAD_BYTES];
        let read = file.read_exact(&mut bytes);
        let head = Head::decoded(&bytes).filter(|_| read.is_ok());
        let words = head.and_then(|head| SharedWords::of(&file, head.words()?).ok());
        let (Some(head), Some(words)) = (head, words) else {
            return Err(not_a_ledger(path));
        };
        if device != 0 && head.device != 0 && device != head.device {
            let text = format!(
                "{} tells what was written to another device",
                path.display()
            );
            return Err(JobError::at("params.ledger", text).hint(
                "names such as /dev/sdb may have changed: name the device that was meant, best as in \
                 /dev/disk/by-id",
            ));
        }
        let boot = words.words()[BOOT_WORD].load(Relaxed);
        Ok(Some(Self {
            words,
            _file: file,
            block_bytes: head.block_bytes,
            blocks: head.blocks,
            seed: head.seed,
            generation: head.generation,
            rebooted: boot != this_boot(),
        }))
    }

    /// After a power cut only what was flushed is sure to be there, and what the ledger itself has
    /// forgotten is left behind.
    fn go_on(&self, power_cut: bool) {
        if power_cut {
            for block in 0..self.blocks {
                let [issued, acknowledged, durable] = self.entry(block);
                issued.store(issued.load(Relaxed).saturating_add(FORGOTTEN), Relaxed);
                acknowledged.store(durable.load(Relaxed), Relaxed);
            }
        }
        self.words.words()[BOOT_WORD].store(this_boot(), Relaxed);
        self.words.words()[VERIFIED_WORD].store(0, Relaxed);
    }

    /// All that it tells of has been found right, and nothing was written since.
    pub(super) fn is_verified(&self) -> bool {
        // After a power cut it may have forgotten that something was written.
        let boot = self.words.words()[VERIFIED_WORD].load(Relaxed);
        boot != 0 && boot == this_boot()
    }

    /// All that it tells of is found right.
    pub(super) fn set_verified(&self) {
        self.words.words()[VERIFIED_WORD].store(this_boot(), Relaxed);
    }

    /// The stamp of a block's next write, which is about to be issued.
    #[inline]
    pub(super) fn issue(&self, block: u64) -> Stamp {
        let [issued, ..] = self.entry(block);
        let sequence = issued.load(Relaxed) + 1;
        issued.store(sequence, Relaxed);
        self.stamp(block, sequence)
    }

    /// The last write of a block is said to be done; gives its sequence.
    #[inline]
    pub(super) fn acknowledge(&self, block: u64) -> u32 {
        let [issued, acknowledged, _] = self.entry(block);
        let sequence = issued.load(Relaxed);
        acknowledged.store(sequence, Relaxed);
        sequence
    }

    /// The write `sequence` of a block was done before a flush that is done now.
    #[inline]
    pub(super) fn make_durable(&self, block: u64, sequence: u32) {
        // A later flush may have ended earlier.
        self.entry(block)[2].fetch_max(sequence, Relaxed);
    }

    /// What was acknowledged is durable: the whole target was flushed while nothing was in flight.
    pub(super) fn make_all_durable(&self) {
        for block in 0..self.blocks {
            let [_, acknowledged, durable] = self.entry(block);
            durable.store(acknowledged.load(Relaxed), Relaxed);
        }
    }

    /// What is known of a block.
    #[inline]
    pub(super) fn claim(&self, block: u64) -> Claim {
        let [issued, acknowledged, durable] =
            self.entry(block).each_ref().map(|word| word.load(Relaxed));
        Claim {
            issued,
            acknowledged,
            durable,
        }
    }

    /// The first block of which it tells what cannot be: more acknowledged than issued, or more flushed than
    /// acknowledged. Only a power cut may leave that behind in a ledger that is whole.
    pub(super) fn first_contradiction(&self) -> Option<u64> {
        (0..self.blocks).find(|block| {
            let claim = self.claim(*block);
            claim.acknowledged > claim.issued || claim.durable > claim.acknowledged
        })
    }

    /// The stamp that the write `sequence` of a block has.
    #[inline]
    pub(super) fn stamp(&self, block: u64, sequence: u32) -> Stamp {
        Stamp {
            seed: self.seed,
            offset: block * self.block_bytes,
            sequence,
            generation: self.generation,
        }
    }

    /// Returns true if a sector at `offset` is what was written there, damaged by the storage, or was written
    /// elsewhere: a fault of the storage, and nobody else's data.
    pub(super) fn knows(&self, sector: &[u8; SECTOR_BYTES], offset: u64) -> bool {
        if stamp::read(sector).is_some_and(|found| found.generation == self.generation) {
            return true;
        }
        let block = offset / self.block_bytes;
        if block >= self.blocks {
            return false;
        }
        let Claim {
            issued,
            acknowledged,
            ..
        } = self.claim(block);
        [issued, acknowledged].into_iter().any(|sequence| {
            let written = Stamp {
                offset,
                ..self.stamp(block, sequence)
            };
            let zeros = stamp::compressible(sector);
            sequence > 0 && stamp::likeness(sector, &written, zeros) > stamp::ALIKE
        })
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "all of it is mapped")]
    fn entry(&self, block: u64) -> &[AtomicU32; BLOCK_WORDS] {
        &self.words.words()[HEAD_WORDS..].as_chunks().0[block as usize]
    }
}

/// Removes the ledger of a target whose content is no longer what it tells. What has its name and is no
/// ledger is left alone: an error.
pub(super) fn forget(path: &Path) -> Result<(), JobError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(fault(path, &error)),
    };
    let mut bytes = [0; HEAD_BYTES];
    let read = file.read_exact(&mut bytes);
    let length = file.metadata().map_err(|error| fault(path, &error))?.len();
    let words = Head::decoded(&bytes)
        .filter(|_| read.is_ok())
        .and_then(Head::words);
    if words.map(|words| words as u64 * 4) != Some(length) {
        return Err(not_a_ledger(path));
    }
    std::fs::remove_file(path).map_err(|error| fault(path, &error))
}

fn not_a_ledger(path: &Path) -> JobError {
    let text = format!("{} is not a whole ledger of iGen's", path.display());
    JobError::at("params.ledger", text)
        .hint("remove it if nothing that it tells of matters any more")
}

fn lock(file: &File, path: &Path) -> Result<(), JobError> {
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(fault(path, &error)),
            Err(TryLockError::WouldBlock) if begun.elapsed() > LOCK_PATIENCE => {
                let text = format!("{} is in use by another run", path.display());
                return Err(JobError::at("params.ledger", text)
                    .hint("wait for it to end: two runs that verify one target would find each other's blocks"));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

fn fault(path: &Path, error: &std::io::Error) -> JobError {
    let reason = igen_storage::reason(error);
    JobError::at("params.ledger", format!("{}: {reason}", path.display()))
        .hint("name a folder for it: --set ledger=/path/of/folder")
}

/// A number that no earlier ledger had, most likely.
fn fresh_generation(seed: u64) -> u32 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now_ns = now.map_or(0, |now| now.as_secs() << 32 | u64::from(now.subsec_nanos()));
    let process = u64::from(std::process::id()) << 48;
    (SplitMix64::seed_from_u64(seed ^ now_ns ^ process).next_u64() >> 32) as u32 | 1
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn begin(path: &Path, block_bytes: u64) -> Ledger {
        Ledger::begin(path, 0, block_bytes, 10, 42, false).unwrap()
    }

    fn claim(issued: u32, acknowledged: u32, durable: u32) -> Claim {
        Claim {
            issued,
            acknowledged,
            durable,
        }
    }

    #[test]
    fn what_was_told_to_it_is_there_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/of-data.igen-ledger");
        let ledger = begin(&path, 8192);
        let stamp = ledger.issue(3);
        assert_eq!(
            (stamp.offset, stamp.sequence, stamp.seed),
            (3 * 8192, 1, 42)
        );
        ledger.acknowledge(3);
        ledger.make_durable(3, 1);
        ledger.issue(3);
        ledger.acknowledge(3);
        ledger.issue(3);
        drop(ledger);
        let ledger = begin(&path, 8192);
        assert_eq!(ledger.claim(3), claim(3, 2, 1));
        assert_eq!(ledger.claim(9), Claim::default());
        assert_eq!(
            ledger.issue(3),
            Stamp {
                sequence: 4,
                ..stamp
            }
        );
        ledger.acknowledge(3);
        ledger.make_all_durable();
        assert_eq!(ledger.claim(3), claim(4, 4, 4));
    }

    #[test]
    fn other_blocks_begin_a_new_one_with_a_new_generation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        let first = begin(&path, 8192).issue(0);
        let ledger = begin(&path, 4096);
        assert_eq!(ledger.claim(0), Claim::default());
        assert_ne!(ledger.issue(0).generation, first.generation);
        drop(ledger);
        forget(&path).unwrap();
        forget(&path).unwrap();
        assert!(Ledger::open(&path, 0).unwrap().is_none());
    }

    #[test]
    fn after_a_reboot_only_what_was_flushed_is_claimed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        let ledger = begin(&path, 8192);
        for _ in 0..5 {
            ledger.issue(1);
            ledger.acknowledge(1);
        }
        ledger.make_durable(1, 2);
        ledger.words.words()[BOOT_WORD].fetch_xor(1, Relaxed);
        drop(ledger);
        let ledger = Ledger::open(&path, 0).unwrap().unwrap();
        assert!(ledger.rebooted);
        assert_eq!(ledger.claim(1), claim(5, 5, 2));
        drop(ledger);
        assert_eq!(begin(&path, 8192).claim(1), claim(5 + FORGOTTEN, 2, 2));
        assert!(!begin(&path, 8192).rebooted);
    }

    #[test]
    fn it_is_verified_until_it_is_loaded_again_or_the_machine_has_restarted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        let ledger = begin(&path, 512);
        assert!(!ledger.is_verified());
        ledger.set_verified();
        drop(ledger);
        let ledger = Ledger::open(&path, 0).unwrap().unwrap();
        assert!(ledger.is_verified());
        ledger.words.words()[VERIFIED_WORD].fetch_xor(2, Relaxed);
        assert!(!ledger.is_verified());
        ledger.set_verified();
        drop(ledger);
        assert!(!begin(&path, 512).is_verified());
    }

    #[test]
    fn the_ledger_of_another_device_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for (begun, now, refused) in [(7, 7, false), (7, 8, true), (0, 8, false), (7, 0, false)] {
            let path = folder.path().join(format!("{begun}-{now}"));
            drop(Ledger::begin(&path, begun, 512, 4, 0, false).unwrap());
            let error = Ledger::begin(&path, now, 512, 4, 0, false).err();
            assert_eq!(error.is_some(), refused, "{begun} {now}");
            if let Some(error) = error {
                assert!(error.text.ends_with("to another device"), "{error}");
            }
        }
    }

    #[test]
    fn what_is_no_ledger_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger");
        for content in [
            "",
            "a letter to my mother, of more than sixty-four bytes, about benchmarks",
        ] {
            std::fs::write(&path, content).unwrap();
            let begun = Ledger::begin(&path, 0, 512, 4, 0, false).map(|_| ());
            for result in [begun, forget(&path)] {
                let error = result.unwrap_err();
                assert!(
                    error.text.ends_with("is not a whole ledger of iGen's"),
                    "{error}"
                );
            }
            assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        }
        drop(begin(&folder.path().join("whole"), 512));
        let whole = std::fs::read(folder.path().join("whole")).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert!(Ledger::open(&path, 0).is_err());
    }

    #[test]
    fn it_lies_beside_a_file_or_in_a_folder() {
        let target = Path::new("/data/f");
        assert_eq!(path_of(target, None), Path::new("/data/f.igen-ledger"));
        let folder = Some(Path::new("/var"));
        assert_eq!(
            path_of(target, folder),
            Path::new("/var/data-f.igen-ledger")
        );
    }
}
