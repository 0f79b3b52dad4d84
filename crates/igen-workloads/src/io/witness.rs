//! What a user does so that its writes can be verified: it keeps to blocks that are its own, tells the
//! ledger what becomes of them, and looks at the stamp of what it reads.

use std::sync::Arc;

use igen_engine::{Failure, FailureKind};

use super::ledger::Ledger;
use super::params::Pattern;
use super::pattern::{Seat, part};
use super::stamp;

/// No block.
const NONE: u64 = u64::MAX;
/// Room for so many writes between two flushes is there from the begin.
const MOST_RESERVED: u32 = 1 << 16;

/// A user's part in the verification of a target.
pub(super) struct Witness {
    ledger: Arc<Ledger>,
    own: Own,
    /// Block in flight, by slot.
    in_flight: Box<[u64]>,
    /// Writes that were acknowledged after the last flush began: block and sequence.
    unflushed: Vec<(u64, u32)>,
    /// Those before a flush that is in flight, by slot.
    flushing: Box<[Vec<(u64, u32)>]>,
    flushes: bool,
    compressible: u8,
}

/// The blocks of one user: of each block there is one writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Own {
    first: u64,
    step: u64,
    count: u64,
}

impl Own {
    /// A part of the target where users stream through parts of it, else every n-th block.
    fn of(pattern: Pattern, blocks: u64, seat: Seat) -> Self {
        if pattern == Pattern::Sequential {
            let (first, count) = part(blocks, seat);
            return Self {
                first,
                step: 1,
                count,
            };
        }
        Self {
            first: seat.index,
            step: seat.users,
            count: blocks.saturating_sub(seat.index).div_ceil(seat.users),
        }
    }

    /// The own block that stands for any block.
    #[inline]
    fn place(self, block: u64) -> u64 {
        if self.step == 1 {
            return block.saturating_sub(self.first).min(self.count - 1);
        }
        (block / self.step).min(self.count - 1)
    }

    #[inline]
    fn block(self, place: u64) -> u64 {
        self.first + place % self.count * self.step
    }
}

impl Witness {
    /// For a user at `seat` with `depth` I/Os in flight; it flushes after `fsync_every` writes, unless 0.
    /// `None` where it has no more blocks of its own than I/Os in flight.
    pub(super) fn new(
        ledger: Arc<Ledger>,
        pattern: Pattern,
        seat: Seat,
        depth: u16,
        fsync_every: u32,
        compressible: u8,
    ) -> Option<Self> {
        let own = Own::of(pattern, ledger.blocks, seat);
        (own.count >= u64::from(depth)).then(|| Self {
            ledger,
            own,
            in_flight: vec![NONE; depth.into()].into(),
            unflushed: Vec::with_capacity(fsync_every.min(MOST_RESERVED) as usize),
            flushing: vec![Vec::new(); depth.into()].into(),
            flushes: fsync_every > 0,
            compressible,
        })
    }

    /// The block that `slot` takes instead of `block`: an own one in which nothing is in flight.
    #[inline]
    pub(super) fn take(&mut self, slot: usize, block: u64) -> u64 {
        let mut place = self.own.place(block);
        // There are as many own blocks as slots, and this slot has none in flight.
        while self.in_flight.contains(&self.own.block(place)) {
            place += 1;
        }
        self.in_flight[slot] = self.own.block(place);
        self.in_flight[slot]
    }

    /// Writes all bytes of the block that `slot` is about to write.
    #[inline]
    pub(super) fn stamp(&self, slot: usize, bytes: &mut [u8]) {
        let stamp = self.ledger.issue(self.in_flight[slot]);
        stamp::write_all(bytes, &stamp, self.compressible);
    }

    /// The write of `slot` is acknowledged.
    #[inline]
    pub(super) fn written(&mut self, slot: usize) {
        let block = self.in_flight[slot];
        let sequence = self.ledger.acknowledge(block);
        if self.flushes {
            self.unflushed.push((block, sequence));
        }
    }

    /// A flush begins in `slot`.
    pub(super) fn flush_begins(&mut self, slot: usize) {
        std::mem::swap(&mut self.unflushed, &mut self.flushing[slot]);
    }

    /// The flush of `slot` has ended; what a failed one was to flush may never be on the device.
    pub(super) fn flush_ends(&mut self, slot: usize, done: bool) {
        for (block, sequence) in self.flushing[slot].drain(..) {
            if done {
                self.ledger.make_durable(block, sequence);
            }
        }
    }

    /// Nothing is in flight in `slot` any more.
    #[inline]
    pub(super) fn release(&mut self, slot: usize) {
        self.in_flight[slot] = NONE;
    }

    /// Looks at the stamp of what `slot` has read; the bytes after it are verified later.
    #[inline]
    pub(super) fn check(&self, slot: usize, bytes: &[u8]) -> Result<(), Failure> {
        let block = self.in_flight[slot];
        let claim = self.ledger.claim(block);
        let expected = self.ledger.stamp(block, claim.acknowledged);
        let found = stamp::read(bytes).filter(|found| found.generation == expected.generation);
        let wrong = match found {
            Some(found) if found.offset != expected.offset => "a misplaced block",
            Some(found) if found.sequence < claim.acknowledged => {
                "an older block: a write was lost"
            }
            Some(found) if found.sequence > claim.issued => "a block that was never written",
            None if claim.acknowledged > 0 => "a block without its stamp",
            _ => return Ok(()),
        };
        Err(Failure::new(FailureKind::Check, wrong))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::super::ledger::Claim;
    use super::*;

    const BLOCK: usize = 512;

    fn ledger(folder: &tempfile::TempDir, blocks: u64) -> Arc<Ledger> {
        let path = folder.path().join("ledger");
        Arc::new(Ledger::begin(&path, 0, BLOCK as u64, blocks, 42, false).unwrap())
    }

    fn witness(ledger: &Arc<Ledger>, depth: u16, fsync_every: u32) -> Witness {
        let seat = Seat { index: 1, users: 3 };
        let ledger = Arc::clone(ledger);
        Witness::new(ledger, Pattern::Random, seat, depth, fsync_every, 0).unwrap()
    }

    fn claim(ledger: &Ledger, block: u64) -> (u32, u32, u32) {
        let Claim {
            issued,
            acknowledged,
            durable,
        } = ledger.claim(block);
        (issued, acknowledged, durable)
    }

    #[test]
    fn the_ledger_hears_what_becomes_of_a_write() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = ledger(&folder, 12);
        let mut witness = witness(&ledger, 2, 1);
        let mut bytes = [0; BLOCK];
        assert_eq!([witness.take(0, 3), witness.take(1, 3)], [4, 7]);
        witness.stamp(0, &mut bytes);
        assert_eq!(stamp::read(&bytes), Some(ledger.stamp(4, 1)));
        assert_eq!(claim(&ledger, 4), (1, 0, 0));
        witness.written(0);
        assert_eq!(claim(&ledger, 4), (1, 1, 0));
        witness.flush_begins(0);
        // Acknowledged after the flush began: not known to be flushed.
        witness.stamp(1, &mut bytes);
        witness.written(1);
        witness.flush_ends(0, true);
        assert_eq!(claim(&ledger, 4), (1, 1, 1));
        assert_eq!(claim(&ledger, 7), (1, 1, 0));
        witness.flush_begins(1);
        witness.flush_ends(1, false);
        assert_eq!(claim(&ledger, 7), (1, 1, 0));
        witness.release(0);
        assert_eq!(witness.take(0, 4), 4);
    }

    #[test]
    fn a_wrong_stamp_is_seen_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = ledger(&folder, 12);
        let mut witness = witness(&ledger, 1, 0);
        let mut bytes = [7; BLOCK];
        witness.take(0, 4);
        assert!(witness.check(0, &bytes).is_ok(), "nothing is claimed of it");
        witness.stamp(0, &mut bytes);
        let first = bytes;
        witness.written(0);
        witness.stamp(0, &mut bytes);
        for (in_flight, expected) in [(true, true), (false, false)] {
            if !in_flight {
                witness.written(0);
            }
            assert!(witness.check(0, &bytes).is_ok());
            assert_eq!(witness.check(0, &first).is_ok(), expected);
        }
        let mut elsewhere = [0; BLOCK];
        stamp::write_all(&mut elsewhere, &ledger.stamp(5, 2), 0);
        let mut never = [0; BLOCK];
        stamp::write_all(&mut never, &ledger.stamp(4, 3), 0);
        for (bytes, reason) in [
            (&first, "an older block: a write was lost"),
            (&elsewhere, "a misplaced block"),
            (&never, "a block that was never written"),
            (&[0; BLOCK], "a block without its stamp"),
        ] {
            assert_eq!(
                witness.check(0, bytes).unwrap_err().reason.to_string(),
                reason
            );
        }
    }

    proptest! {
        #[test]
        fn each_block_has_one_user(blocks in 1..200_u64, users in 1..20_u64, sequential in any::<bool>()) {
            let pattern = if sequential { Pattern::Sequential } else { Pattern::Zipf };
            prop_assume!(users <= blocks);
            let mut owner = HashMap::new();
            for index in 0..users {
                let own = Own::of(pattern, blocks, Seat { index, users });
                for block in 0..blocks {
                    let taken = own.block(own.place(block));
                    prop_assert!(taken < blocks);
                    prop_assert_eq!(*owner.entry(taken).or_insert(index), index);
                }
                for place in 0..own.count {
                    prop_assert_eq!(own.place(own.block(place)), place);
                }
            }
            prop_assert_eq!(owner.len() as u64, blocks, "every block is somebody's");
        }
    }
}
