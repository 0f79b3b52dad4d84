//! What a block that was read says about the writes of it: pure.

use serde::Serialize;

use super::fault::{Fault, Sectors};
use super::ledger::Claim;
use super::stamp::{self, SECTOR_BYTES, Sector, Stamp};

/// What must be there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Expectation {
    /// Each write that was acknowledged: the machine has not lost power.
    #[default]
    Acknowledged,
    /// Each write that was flushed: others may be missing, whole or in part.
    Durable,
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judgement {
    /// Nothing is claimed of it.
    Unclaimed,
    /// The last write that was acknowledged, or one that was under way at the end.
    Right,
    /// Older than what was acknowledged, or in part, which is allowed: it was not flushed.
    Unflushed,
    /// Not as it should be.
    Wrong(Fault),
}

impl Expectation {
    /// The oldest write that may be there.
    pub(super) fn required(self, claim: Claim) -> u32 {
        match self {
            Self::Acknowledged => claim.acknowledged,
            Self::Durable => claim.durable,
        }
    }

    /// The newest write that may be there: the ledger itself may have forgotten some in a power cut.
    fn newest(self, claim: Claim) -> u32 {
        match self {
            Self::Acknowledged => claim.issued,
            Self::Durable => u32::MAX,
        }
    }
}

/// One sector's story.
enum Story {
    /// It holds this write of this block.
    Write(u32),
    /// It holds the block that belongs at this offset.
    Misplaced(u64),
    Damaged,
    /// iGen wrote it, but not for this ledger; or it holds zeros.
    Before,
    /// Somebody else wrote it.
    Foreign,
}

/// What the sectors of a block say together.
#[derive(Default)]
struct Tally {
    /// The oldest and the newest write.
    writes: Option<(u32, u32)>,
    /// Older than what is required.
    older: Sectors,
    before: Sectors,
    foreign: Sectors,
    damaged: Sectors,
    misplaced: Option<u64>,
}

/// Judges a whole block at the offset of `last`, the stamp of the last write that was acknowledged.
pub(super) fn block(
    bytes: &[u8],
    last: &Stamp,
    claim: Claim,
    expectation: Expectation,
) -> Judgement {
    let required = expectation.required(claim);
    let tally = tally(bytes, last, required);
    if let Some(from) = tally.misplaced {
        return Judgement::Wrong(Fault::Misplaced { from });
    }
    if tally.damaged.count > 0 {
        // The page cache may go to the disk in the middle of a change.
        return if expectation == Expectation::Durable && required < claim.issued {
            Judgement::Unflushed
        } else {
            Judgement::Wrong(Fault::Corrupt {
                sectors: tally.damaged,
            })
        };
    }
    let not_ours = tally.before.and(tally.foreign);
    let Some((least, most)) = tally.writes else {
        return match (required, claim.acknowledged) {
            (0, 0) => Judgement::Unclaimed,
            (0, _) => Judgement::Unflushed,
            _ if tally.before.count > 0 => Judgement::Wrong(Fault::Lost { found: None }),
            _ => Judgement::Wrong(Fault::Foreign {
                sectors: tally.foreign,
            }),
        };
    };
    if most > expectation.newest(claim) {
        let sectors = Sectors {
            count: bytes.len() / SECTOR_BYTES,
            first: 0,
        };
        return Judgement::Wrong(Fault::Corrupt { sectors });
    }
    if least == most && not_ours.count == 0 {
        return match least {
            found if found < required => Judgement::Wrong(Fault::Lost { found: Some(found) }),
            found if found < claim.acknowledged => Judgement::Unflushed,
            _ => Judgement::Right,
        };
    }
    if required == 0 && not_ours.count > 0 {
        return Judgement::Unflushed;
    }
    // Storage leaves a sector old or new: what is neither has been put there. Before the first write a sector may
    // have held what only the stamp of its page tells of.
    if tally.foreign.count > 0 && (required > 1 || tally.before.count == 0) {
        return Judgement::Wrong(Fault::Foreign {
            sectors: tally.foreign,
        });
    }
    let older = tally.older.and(not_ours);
    if older.count > 0 {
        return Judgement::Wrong(Fault::Torn { older });
    }
    if least >= claim.acknowledged {
        Judgement::Right
    } else {
        Judgement::Unflushed
    }
}

fn tally(bytes: &[u8], last: &Stamp, required: u32) -> Tally {
    let compressible = stamp::compressible(bytes);
    let mut tally = Tally::default();
    let distances = (0..).step_by(SECTOR_BYTES);
    for (sector, distance) in bytes.chunks_exact(SECTOR_BYTES).zip(distances) {
        match story(sector, last, distance, compressible) {
            Story::Write(sequence) => {
                if sequence < required {
                    tally.older.add(distance);
                }
                let (least, most) = tally.writes.unwrap_or((sequence, sequence));
                tally.writes = Some((least.min(sequence), most.max(sequence)));
            }
            Story::Misplaced(from) => {
                tally.misplaced.get_or_insert(from);
            }
            Story::Damaged => tally.damaged.add(distance),
            Story::Before => tally.before.add(distance),
            Story::Foreign => tally.foreign.add(distance),
        }
    }
    tally
}

/// What a sector says that lies `distance` bytes after its block's begin.
fn story(sector: &[u8], last: &Stamp, distance: u64, compressible: u8) -> Story {
    let own = |stamp: &Stamp| (stamp.seed, stamp.generation) == (last.seed, last.generation);
    let expected = Stamp {
        offset: last.offset + distance,
        ..*last
    };
    match stamp::sector(sector) {
        Sector::Whole(stamp) | Sector::Damaged(stamp)
            if own(&stamp) && stamp.offset != expected.offset =>
        {
            Story::Misplaced(stamp.offset.saturating_sub(distance))
        }
        Sector::Whole(stamp) if own(&stamp) => Story::Write(stamp.sequence),
        Sector::Damaged(stamp) if own(&stamp) => Story::Damaged,
        Sector::Whole(_) | Sector::Damaged(_) | Sector::Head(_) => Story::Before,
        Sector::Unstamped if stamp::likeness(sector, &expected, compressible) > stamp::ALIKE => {
            Story::Damaged
        }
        Sector::Unstamped if sector.iter().all(|byte| *byte == 0) => Story::Before,
        Sector::Unstamped => Story::Foreign,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    const BLOCK: usize = 8 * SECTOR_BYTES;
    const OFFSET: u64 = 5 * BLOCK as u64;

    fn stamp(sequence: u32) -> Stamp {
        Stamp {
            seed: 42,
            offset: OFFSET,
            sequence,
            generation: 9,
        }
    }

    fn written(stamp: &Stamp) -> Vec<u8> {
        let mut bytes = vec![0; BLOCK];
        stamp::write_all(&mut bytes, stamp, 0);
        bytes
    }

    /// The first `sectors` of one block, then the rest of another.
    fn mix(first: &[u8], sectors: usize, rest: &[u8]) -> Vec<u8> {
        let (first, rest) = (
            &first[..sectors * SECTOR_BYTES],
            &rest[sectors * SECTOR_BYTES..],
        );
        [first, rest].concat()
    }

    fn judged(bytes: &[u8], claim: [u32; 3], expectation: Expectation) -> Judgement {
        let [issued, acknowledged, durable] = claim;
        let claim = Claim {
            issued,
            acknowledged,
            durable,
        };
        block(bytes, &stamp(acknowledged), claim, expectation)
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn each_fault_is_named() {
        use Expectation::{Acknowledged, Durable};
        let right = written(&stamp(5));
        let old = written(&stamp(4));
        let zeros = vec![0; BLOCK];
        let foreign: Vec<u8> = (1..=250).cycle().take(BLOCK).collect();
        let before = written(&Stamp {
            generation: 8,
            ..stamp(5)
        });
        let elsewhere = written(&Stamp {
            offset: 7 * BLOCK as u64,
            ..stamp(5)
        });
        let mut flipped = right.clone();
        flipped[700] ^= 4;
        let mut flipped_in_magic = right.clone();
        flipped_in_magic[513] ^= 4;
        let lost = |found| Judgement::Wrong(Fault::Lost { found });
        let sectors = |count, first: usize| Sectors {
            count,
            first: (first * SECTOR_BYTES) as u64,
        };
        let torn = |count, first| {
            let older = sectors(count, first);
            Judgement::Wrong(Fault::Torn { older })
        };
        let corrupt = |count, first| {
            let sectors = sectors(count, first);
            Judgement::Wrong(Fault::Corrupt { sectors })
        };
        let foreign_sectors = |count, first| {
            let sectors = sectors(count, first);
            Judgement::Wrong(Fault::Foreign { sectors })
        };
        let misplaced = Judgement::Wrong(Fault::Misplaced {
            from: 7 * BLOCK as u64,
        });
        let unflushed = Judgement::Unflushed;
        for (case, bytes, claim, expectation, expected) in [
            (
                "as it should be",
                &right,
                [5, 5, 5],
                Acknowledged,
                Judgement::Right,
            ),
            (
                "in flight, there",
                &right,
                [5, 4, 4],
                Acknowledged,
                Judgement::Right,
            ),
            (
                "in flight, not there",
                &old,
                [5, 4, 4],
                Acknowledged,
                Judgement::Right,
            ),
            (
                "in flight, in part",
                &mix(&right, 3, &old),
                [5, 4, 4],
                Acknowledged,
                Judgement::Right,
            ),
            (
                "never written",
                &foreign,
                [0, 0, 0],
                Acknowledged,
                Judgement::Unclaimed,
            ),
            (
                "first in flight, not there",
                &zeros,
                [1, 0, 0],
                Acknowledged,
                Judgement::Unclaimed,
            ),
            ("lost", &old, [5, 5, 4], Acknowledged, lost(Some(4))),
            ("not flushed", &old, [5, 5, 4], Durable, unflushed),
            (
                "not flushed, but there",
                &right,
                [5, 5, 4],
                Durable,
                Judgement::Right,
            ),
            (
                "not flushed, in part",
                &mix(&right, 3, &old),
                [5, 5, 4],
                Durable,
                unflushed,
            ),
            ("never flushed", &zeros, [5, 5, 0], Durable, unflushed),
            (
                "never flushed, in part",
                &mix(&right, 3, &zeros),
                [5, 5, 0],
                Durable,
                unflushed,
            ),
            ("flushed and lost", &old, [5, 5, 5], Durable, lost(Some(4))),
            (
                "the ledger forgot",
                &right,
                [3, 3, 3],
                Durable,
                Judgement::Right,
            ),
            (
                "never issued",
                &right,
                [3, 3, 3],
                Acknowledged,
                corrupt(8, 0),
            ),
            (
                "lost the first time",
                &before,
                [1, 1, 0],
                Acknowledged,
                lost(None),
            ),
            (
                "never reached a new file",
                &zeros,
                [1, 1, 0],
                Acknowledged,
                lost(None),
            ),
            (
                "torn",
                &mix(&right, 3, &old),
                [5, 5, 4],
                Acknowledged,
                torn(5, 3),
            ),
            (
                "torn the first time",
                &mix(&right, 6, &zeros),
                [5, 5, 4],
                Acknowledged,
                torn(2, 6),
            ),
            (
                "two sectors of garbage",
                &mix(&right, 6, &foreign),
                [5, 5, 4],
                Acknowledged,
                foreign_sectors(2, 6),
            ),
            (
                "a sector of garbage in a torn block",
                &mix(&foreign, 1, &mix(&old, 4, &right)),
                [5, 5, 5],
                Durable,
                foreign_sectors(1, 0),
            ),
            (
                "torn though flushed",
                &mix(&old, 1, &right),
                [5, 5, 5],
                Durable,
                torn(1, 0),
            ),
            ("misplaced", &elsewhere, [5, 5, 5], Acknowledged, misplaced),
            (
                "misplaced in part",
                &mix(&right, 7, &elsewhere),
                [5, 5, 5],
                Durable,
                misplaced,
            ),
            (
                "misplaced where nothing was",
                &elsewhere,
                [0, 0, 0],
                Acknowledged,
                misplaced,
            ),
            (
                "a flipped bit",
                &flipped,
                [5, 5, 5],
                Acknowledged,
                corrupt(1, 1),
            ),
            (
                "a flipped bit in a stamp",
                &flipped_in_magic,
                [5, 5, 5],
                Acknowledged,
                corrupt(1, 1),
            ),
            (
                "foreign",
                &foreign,
                [5, 5, 5],
                Acknowledged,
                foreign_sectors(8, 0),
            ),
        ] {
            assert_eq!(judged(bytes, claim, expectation), expected, "{case}");
        }
    }

    proptest! {
        /// Whatever of several writes each sector holds: what is told follows from the oldest and newest.
        #[test]
        fn any_mix_of_writes_is_judged_by_what_was_required(
            sequences in proptest::collection::vec(1..6_u32, 8),
            required in 1..6_u32,
            compressible in 0..=100_u8,
        ) {
            let mut bytes = Vec::new();
            for (index, sequence) in sequences.iter().enumerate() {
                let mut whole = vec![0; BLOCK];
                stamp::write_all(&mut whole, &stamp(*sequence), compressible);
                bytes.extend_from_slice(&whole[index * SECTOR_BYTES..(index + 1) * SECTOR_BYTES]);
            }
            let is_older = |sequence: &&u32| **sequence < required;
            let count = sequences.iter().filter(is_older).count();
            let first = sequences.iter().position(|sequence| *sequence < required).unwrap_or(0);
            let uniform = sequences.iter().all(|sequence| *sequence == sequences[0]);
            let expected = match count {
                0 => Judgement::Right,
                _ if uniform => Judgement::Wrong(Fault::Lost { found: Some(sequences[0]) }),
                count => {
                    let first = (first * SECTOR_BYTES) as u64;
                    Judgement::Wrong(Fault::Torn { older: Sectors { count, first } })
                }
            };
            prop_assert_eq!(judged(&bytes, [5, required, required], Expectation::Acknowledged), expected);
        }

        #[test]
        fn a_flipped_bit_is_corrupt_wherever_it_is(bit in 0..BLOCK * 8, compressible in 0..=100_u8) {
            let mut bytes = vec![0; BLOCK];
            stamp::write_all(&mut bytes, &stamp(5), compressible);
            bytes[bit / 8] ^= 1 << (bit % 8);
            let sector = bit / 8 / SECTOR_BYTES * SECTOR_BYTES;
            let sectors = Sectors { count: 1, first: sector as u64 };
            let expected = Judgement::Wrong(Fault::Corrupt { sectors });
            prop_assert_eq!(judged(&bytes, [5, 5, 5], Expectation::Acknowledged), expected);
        }
    }
}
