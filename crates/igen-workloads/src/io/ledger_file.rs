//! What a ledger looks like in its file.
//!
//! | byte | length | what |
//! |---|---|---|
//! | 0 | 8 | `iGenLed2` |
//! | 8 | 8 | length of a block in bytes |
//! | 16 | 8 | number of blocks |
//! | 24 | 8 | seed of the job that began it |
//! | 32 | 4 | generation: a random number that stamps carry |
//! | 36 | 4 | hash of the machine's boot that wrote it last |
//! | 40 | 4 | hash of the machine's boot in which all that it tells of was found right, since it was last loaded; or 0 |
//! | 44 | 4 | zeros |
//! | 48 | 8 | which device it is of; 0 for a file |
//! | 56 | 8 | hash of bytes 0 to 35 and 48 to 55, which never change |
//! | 64 | 12 for each block | sequence numbers: issued, acknowledged, durable |

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;

use rustix::fs::{FallocateFlags, fallocate};

const MAGIC: [u8; 8] = *b"iGenLed2";
pub(super) const HEAD_BYTES: usize = 64;
pub(super) const HEAD_WORDS: usize = HEAD_BYTES / 4;
pub(super) const BOOT_WORD: usize = 9;
pub(super) const VERIFIED_WORD: usize = 10;
pub(super) const BLOCK_WORDS: usize = 3;

/// What a ledger begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) block_bytes: u64,
    pub(super) blocks: u64,
    pub(super) seed: u64,
    pub(super) generation: u32,
    pub(super) device: u64,
}

impl Head {
    fn encoded(self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..16].copy_from_slice(&self.block_bytes.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.blocks.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.seed.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.generation.to_le_bytes());
        bytes[36..40].copy_from_slice(&this_boot().to_le_bytes());
        bytes[48..56].copy_from_slice(&self.device.to_le_bytes());
        let hash = hash(&bytes).to_le_bytes();
        bytes[56..].copy_from_slice(&hash);
        bytes
    }

    pub(super) fn decoded(bytes: &[u8; HEAD_BYTES]) -> Option<Self> {
        let [magic, block_bytes, blocks, seed, rest, _, device, told] = bytes.as_chunks::<8>().0
        else {
            return None;
        };
        let block_bytes = u64::from_le_bytes(*block_bytes);
        let is_whole = *magic == MAGIC && u64::from_le_bytes(*told) == hash(bytes);
        (is_whole && block_bytes > 0).then(|| Self {
            block_bytes,
            blocks: u64::from_le_bytes(*blocks),
            seed: u64::from_le_bytes(*seed),
            generation: u32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]),
            device: u64::from_le_bytes(*device),
        })
    }

    /// Length of the ledger in words of 4 bytes.
    pub(super) fn words(self) -> Option<usize> {
        let blocks = usize::try_from(self.blocks).ok()?;
        blocks.checked_mul(BLOCK_WORDS)?.checked_add(HEAD_WORDS)
    }
}

/// FNV-1a of what never changes.
fn hash(bytes: &[u8; HEAD_BYTES]) -> u64 {
    let (fixed, device) = (&bytes[..36], &bytes[48..56]);
    let fixed = fixed.iter().chain(device);
    fixed.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Puts a new ledger at `path`, whole or not at all, and all the room that it will need.
pub(super) fn create(path: &Path, head: Head) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let draft = path.with_extension(format!("igen-ledger-draft-{}", std::process::id()));
    let mut file = File::create_new(&draft)?;
    let bytes = head.words().ok_or(ErrorKind::FileTooLarge)? as u64 * 4;
    // Room that is missing later would end the process in the middle of the load.
    match fallocate(&file, FallocateFlags::empty(), 0, bytes) {
        Ok(()) => {}
        Err(rustix::io::Errno::OPNOTSUPP) => file.set_len(bytes)?,
        Err(error) => {
            // What was created for nothing is removed; why it cannot be is less of a problem.
            let _ = std::fs::remove_file(&draft);
            return Err(error.into());
        }
    }
    file.write_all(&head.encoded())?;
    file.sync_all()?;
    std::fs::rename(draft, path)
}

/// A number of this start of the machine; 0 where it cannot be told.
pub(super) fn this_boot() -> u32 {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    u32::from_str_radix(id.get(..8).unwrap_or("0"), 16).unwrap_or(0)
}
