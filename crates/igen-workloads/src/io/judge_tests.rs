//! What each block is found to be.

#![allow(clippy::unwrap_used)]
use proptest::prelude::*;

use super::fault::{Fault, Sectors};
use super::judge::{Expectation, Judgement, block};
use super::ledger::Claim;
use super::stamp::{self, SECTOR_BYTES, Stamp};

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
    let zeroed = |count, first| {
        let sectors = sectors(count, first);
        Judgement::Wrong(Fault::Zeroed { sectors })
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
            &mix(&written(&stamp(1)), 6, &zeros),
            [1, 1, 0],
            Acknowledged,
            torn(2, 6),
        ),
        (
            "two sectors of zeros",
            &mix(&right, 6, &zeros),
            [5, 5, 4],
            Acknowledged,
            zeroed(2, 6),
        ),
        (
            "a sector of zeros in what was flushed",
            &mix(&zeros, 1, &right),
            [7, 6, 5],
            Durable,
            zeroed(1, 0),
        ),
        (
            "a block of zeros",
            &zeros,
            [5, 5, 4],
            Acknowledged,
            zeroed(8, 0),
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
