//! What iGen writes into each block, so that a block found later tells which write it is of.
//!
//! A stamp of 40 bytes stands at the begin of each block, and at each multiple of 4 KiB of the target within
//! it, so that every page tells whose it is, however long the blocks are; all numbers are little-endian:
//!
//! | byte | length | what |
//! |---|---|---|
//! | 0 | 8 | `iGenIO1\n` |
//! | 8 | 8 | seed of the job |
//! | 16 | 8 | offset of the stamp itself in the target, in bytes |
//! | 24 | 4 | sequence number: how often this block was written |
//! | 28 | 4 | generation: which ledger counts the sequence |
//! | 32 | 1 | form: 1 the head of the block and its pages are stamped, 2 each sector, 3 the same in a page covered whole |
//! | 33 | 1 | percent of what follows that is zeros |
//! | 34 | 1 | 1 at the begin of a file that iGen did not create, and so never removes; else 0 |
//! | 35 | 1 | zero |
//! | 36 | 4 | checksum of all before |
//!
//! In forms 2 and 3 every sector has a stamp with its own offset, and the rest of it is a function of the
//! stamp: storage that writes sectors whole can leave any mix of old and new ones, and each tells
//! its own story.

use igen_storage::inspect::STAMP_MAGIC;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

/// What storage writes whole: the unit that forms 2 and 3 stamp.
pub(super) const SECTOR_BYTES: usize = 512;
/// Each page of a target that iGen has written begins with a stamp.
pub(super) const PAGE_BYTES: u64 = 4096;
/// Length of a stamp.
pub(super) const STAMP_BYTES: usize = 40;
const FORM: usize = 32;
const OF_OTHERS: usize = 34;

/// Which write of which block this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Seed of the job.
    pub(super) seed: u64,
    /// In the target, in bytes.
    pub(super) offset: u64,
    /// How often the block was written; 0 by `prepare`.
    pub(super) sequence: u32,
    /// The ledger that counts the sequence; 0 for none.
    pub(super) generation: u32,
}

impl Stamp {
    /// The stamp of a block that no ledger counts.
    pub(super) fn uncounted(seed: u64, offset: u64) -> Self {
        Self {
            seed,
            offset,
            sequence: 0,
            generation: 0,
        }
    }
}

/// How much of a block its stamp vouches for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Head = 1,
    Sectors = 2,
    /// As `Sectors`, and all of the page was written with it: until another block is written over a part of the page,
    /// what bears no stamp in it is not iGen's.
    Pages = 3,
}

impl Form {
    fn of(byte: u8) -> Option<Self> {
        [Self::Head, Self::Sectors, Self::Pages]
            .into_iter()
            .find(|form| *form as u8 == byte)
    }
}

/// What a sector is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sector {
    /// As it was written, to the last bit.
    Whole(Stamp),
    /// The head of a block of which nothing else is vouched for.
    Head(Stamp),
    /// Its stamp is right, the rest is not.
    Damaged(Stamp),
    /// Without a stamp, or with one that is not right.
    Unstamped,
}

/// Stamps the head of a block, and of each page in it; the rest stays as it is.
#[inline]
pub(super) fn write(block: &mut [u8], stamp: &Stamp, compressible: u8) {
    let mut rest = block;
    let mut offset = stamp.offset;
    while let Some(head) = rest.first_chunk_mut::<STAMP_BYTES>() {
        *head = encoded(&Stamp { offset, ..*stamp }, Form::Head, compressible);
        let to_next_page = PAGE_BYTES - offset % PAGE_BYTES;
        let at = usize::try_from(to_next_page).unwrap_or(usize::MAX);
        rest = rest.get_mut(at..).unwrap_or_default();
        offset += to_next_page;
    }
}

/// Stamps each sector of a block and writes all its bytes, `compressible` percent of them zeros.
pub(super) fn write_all(block: &mut [u8], stamp: &Stamp, compressible: u8) {
    let end = stamp.offset + block.len() as u64;
    let offsets = (stamp.offset..).step_by(SECTOR_BYTES);
    for (sector, offset) in block.chunks_exact_mut(SECTOR_BYTES).zip(offsets) {
        let page = offset / PAGE_BYTES * PAGE_BYTES;
        let form = if page >= stamp.offset && page + PAGE_BYTES <= end {
            Form::Pages
        } else {
            Form::Sectors
        };
        write_sector(sector, &Stamp { offset, ..*stamp }, form, compressible);
    }
}

#[inline]
fn write_sector(sector: &mut [u8], stamp: &Stamp, form: Form, compressible: u8) {
    let head = encoded(stamp, form, compressible);
    let (start, body) = sector.split_at_mut(STAMP_BYTES);
    start.copy_from_slice(&head);
    fill(body, &head, compressible);
}

/// Marks a stamped block, the first of a file that iGen did not create.
pub(super) fn mark_as_of_others(block: &mut [u8]) {
    if let Some(head) = block.first_chunk_mut::<STAMP_BYTES>() {
        head[OF_OTHERS] = 1;
        let checksum = checksum(head);
        head[36..].copy_from_slice(&checksum);
    }
}

/// Returns true if a file that begins so was created by iGen.
pub(super) fn is_of_own_file(head: &[u8; STAMP_BYTES]) -> bool {
    head.starts_with(&STAMP_MAGIC) && head[OF_OTHERS] == 0
}

/// The stamp at the begin of a block; `None` where there is none, or a broken one.
#[inline]
pub(super) fn read(block: &[u8]) -> Option<Stamp> {
    Some(decoded(block)?.0)
}

/// Whether each sector of a page must bear its stamp: the page was written as a whole like that, and no part of it
/// since.
pub(super) fn is_stamped_throughout(page: &[u8]) -> bool {
    let mut stamps = page.chunks_exact(SECTOR_BYTES).filter_map(decoded);
    stamps.all(|(_, form, _)| form == Form::Pages)
}

/// What a sector of 512 bytes is.
pub(super) fn sector(sector: &[u8]) -> Sector {
    let Some((stamp, form, compressible)) = decoded(sector) else {
        return Sector::Unstamped;
    };
    if form == Form::Head {
        return Sector::Head(stamp);
    }
    let mut expected = [0; SECTOR_BYTES];
    write_sector(&mut expected, &stamp, form, compressible);
    if sector[OF_OTHERS] != 0 {
        mark_as_of_others(&mut expected);
    }
    if sector == expected {
        Sector::Whole(stamp)
    } else {
        Sector::Damaged(stamp)
    }
}

/// The percent of zeros that the first stamp within a block tells; 0 where none does.
pub(super) fn compressible(block: &[u8]) -> u8 {
    let mut sectors = block.chunks_exact(SECTOR_BYTES);
    sectors
        .find_map(decoded)
        .map_or(0, |(_, _, compressible)| compressible)
}

/// From this likeness on a sector is a damaged one of that write, and nothing else.
pub(super) const ALIKE: f64 = 0.75;

/// The part of a sector's bytes, without those that are zeros in any case, that are as `stamp` would
/// have them, whatever its own stamp says: near 1 for a sector in which some bits have flipped, near 0
/// for one that is something else.
pub(super) fn likeness(sector: &[u8], stamp: &Stamp, compressible: u8) -> f64 {
    let form = match sector.get(FORM).copied().and_then(Form::of) {
        Some(Form::Pages) => Form::Pages,
        _ => Form::Sectors,
    };
    let mut expected = [0; SECTOR_BYTES];
    write_sector(&mut expected, stamp, form, compressible);
    let telling = STAMP_BYTES + random_bytes(compressible);
    let pairs = sector.iter().zip(&expected).take(telling);
    pairs.filter(|(is, should)| is == should).count() as f64 / telling as f64
}

fn encoded(stamp: &Stamp, form: Form, compressible: u8) -> [u8; STAMP_BYTES] {
    let mut head = [0; STAMP_BYTES];
    head[..8].copy_from_slice(&STAMP_MAGIC);
    head[8..16].copy_from_slice(&stamp.seed.to_le_bytes());
    head[16..24].copy_from_slice(&stamp.offset.to_le_bytes());
    head[24..28].copy_from_slice(&stamp.sequence.to_le_bytes());
    head[28..32].copy_from_slice(&stamp.generation.to_le_bytes());
    head[FORM] = form as u8;
    head[33] = compressible;
    let checksum = checksum(&head);
    head[36..].copy_from_slice(&checksum);
    head
}

fn decoded(block: &[u8]) -> Option<(Stamp, Form, u8)> {
    let head = block.first_chunk::<STAMP_BYTES>()?;
    if head[..8] != STAMP_MAGIC || head[36..] != checksum(head) {
        return None;
    }
    let form = Form::of(head[FORM])?;
    let stamp = Stamp {
        seed: word(head, 8),
        offset: word(head, 16),
        sequence: half(head, 24),
        generation: half(head, 28),
    };
    Some((stamp, form, head[33]))
}

/// The checksum of all bytes before itself.
fn checksum(head: &[u8; STAMP_BYTES]) -> [u8; 4] {
    let last = u64::from(half(head, 32));
    let words = [8, 16, 24].map(|at| word(head, at));
    let mixed = mixed(words.into_iter().chain([last])).to_le_bytes();
    [mixed[0], mixed[1], mixed[2], mixed[3]]
}

/// The bytes of a sector after its stamp: random ones, then zeros.
fn fill(body: &mut [u8], head: &[u8; STAMP_BYTES], compressible: u8) {
    let words = [8, 16, 24].map(|at| word(head, at));
    let mut random = SplitMix64::seed_from_u64(mixed(words));
    let (filled, zeros) = body.split_at_mut(random_bytes(compressible));
    random.fill_bytes(filled);
    zeros.fill(0);
}

/// How many bytes of a sector's body are no zeros.
fn random_bytes(compressible: u8) -> usize {
    (SECTOR_BYTES - STAMP_BYTES) * usize::from(100 - compressible.min(100)) / 100
}

/// One word in which each bit depends on all bits of `words`.
fn mixed(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0, |state, word| {
        SplitMix64::seed_from_u64(state ^ word).next_u64()
    })
}

fn word(head: &[u8; STAMP_BYTES], at: usize) -> u64 {
    u64::from(half(head, at)) | u64::from(half(head, at + 4)) << 32
}

fn half(head: &[u8; STAMP_BYTES], at: usize) -> u32 {
    u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use proptest::prelude::*;

    use super::*;

    fn stamps() -> impl Strategy<Value = Stamp> {
        (any::<u64>(), 0..1_u64 << 40, any::<u32>(), any::<u32>()).prop_map(
            |(seed, sector, sequence, generation)| Stamp {
                seed,
                offset: sector * SECTOR_BYTES as u64,
                sequence,
                generation,
            },
        )
    }

    /// A byte of each field, in the order of the table above: files of today must be read tomorrow.
    #[test]
    fn the_layout_is_what_the_table_says() {
        let stamp = Stamp {
            seed: 0x0102_0304_0506_0708,
            offset: 0x1000,
            sequence: 7,
            generation: 0xAABB_CCDD,
        };
        let mut block = [0xFF; SECTOR_BYTES];
        write(&mut block, &stamp, 25);
        assert_eq!(&block[..8], b"iGenIO1\n");
        assert_eq!(block[8..16], [8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(block[16..24], [0, 0x10, 0, 0, 0, 0, 0, 0]);
        assert_eq!(block[24..32], [7, 0, 0, 0, 0xDD, 0xCC, 0xBB, 0xAA]);
        assert_eq!(block[32..36], [1, 25, 0, 0]);
        assert_eq!(block[40..], [0xFF; SECTOR_BYTES - 40]);
        assert_eq!(read(&block), Some(stamp));
        assert_eq!(sector(&block), Sector::Head(stamp));

        // From the last sector of a page to the first of the next but one.
        let mut block = [0; 10 * SECTOR_BYTES];
        let offset = 0x1000 - SECTOR_BYTES as u64;
        write_all(&mut block, &Stamp { offset, ..stamp }, 25);
        let forms = block.chunks_exact(SECTOR_BYTES).map(|sector| sector[32]);
        assert!(forms.eq([2_u8, 3, 3, 3, 3, 3, 3, 3, 3, 2]));
    }

    #[test]
    fn what_is_compressible_is_zeros() {
        let stamp = Stamp {
            seed: 1,
            offset: 0,
            sequence: 1,
            generation: 1,
        };
        for (compressible, least, most) in [(0, 0, 10), (50, 236, 250), (100, 472, 480)] {
            let mut block = [0xFF; SECTOR_BYTES];
            write_all(&mut block, &stamp, compressible);
            let zeros = block[STAMP_BYTES..].iter().filter(|byte| **byte == 0);
            assert!((least..=most).contains(&zeros.count()), "{compressible} %");
            assert_eq!(sector(&block), Sector::Whole(stamp));
        }
    }

    proptest! {
        #[test]
        fn each_page_tells_its_own_offset(stamp in stamps(), sectors in 1..40_usize) {
            let mut block = vec![0; sectors * SECTOR_BYTES];
            write(&mut block, &stamp, 0);
            for (index, sector) in block.chunks_exact(SECTOR_BYTES).enumerate() {
                let offset = stamp.offset + (index * SECTOR_BYTES) as u64;
                let stamped = index == 0 || offset.is_multiple_of(PAGE_BYTES);
                prop_assert_eq!(read(sector), stamped.then_some(Stamp { offset, ..stamp }));
            }
        }

        #[test]
        fn each_sector_of_a_block_tells_its_own_offset(stamp in stamps(), sectors in 1..17_usize, compressible in 0..=100_u8) {
            let mut block = vec![0; sectors * SECTOR_BYTES];
            write_all(&mut block, &stamp, compressible);
            prop_assert_eq!(read(&block), Some(stamp));
            for (index, bytes) in block.chunks_exact(SECTOR_BYTES).enumerate() {
                let offset = stamp.offset + (index * SECTOR_BYTES) as u64;
                prop_assert_eq!(sector(bytes), Sector::Whole(Stamp { offset, ..stamp }));
            }
        }

        #[test]
        fn no_bit_can_flip_unseen(stamp in stamps(), bit in 0..SECTOR_BYTES * 8, compressible in 0..=100_u8, of_others: bool) {
            let mut block = [0; SECTOR_BYTES];
            write_all(&mut block, &stamp, compressible);
            if of_others {
                mark_as_of_others(&mut block);
            }
            prop_assert_eq!(sector(&block), Sector::Whole(stamp));
            block[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(!matches!(sector(&block), Sector::Whole(_)));
            prop_assert!(likeness(&block, &stamp, compressible) > 0.8);
        }

        #[test]
        fn two_writes_differ_in_most_of_their_bytes(one in stamps(), two in stamps()) {
            prop_assume!(one != two);
            let mut block = [0; SECTOR_BYTES];
            write_all(&mut block, &one, 0);
            prop_assert!(likeness(&block, &two, 0) < 0.2);
        }

        #[test]
        fn random_bytes_are_no_stamp(bytes in proptest::collection::vec(any::<u8>(), SECTOR_BYTES)) {
            prop_assert_eq!(read(&bytes), None);
            prop_assert_eq!(sector(&bytes), Sector::Unstamped);
        }
    }
}
