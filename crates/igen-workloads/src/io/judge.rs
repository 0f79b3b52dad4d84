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
    /// iGen wrote it, but not for this ledger.
    Before,
    Zeros,
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
    /// Where more than one write is required to have been there, so that zeros are not what was before.
    zeros: Sectors,
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
    if tally.zeros.count > 0 {
        return Judgement::Wrong(Fault::Zeroed {
            sectors: tally.zeros,
        });
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
            Story::Zeros if required > 1 => tally.zeros.add(distance),
            Story::Zeros | Story::Before => tally.before.add(distance),
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
        Sector::Unstamped if sector.iter().all(|byte| *byte == 0) => Story::Zeros,
        Sector::Unstamped => Story::Foreign,
    }
}
