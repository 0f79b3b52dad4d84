//! Which block is next, and whether it is read or written.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::params::{Params, Pattern};
use crate::random::below;
use crate::zipf::Zipf;

/// What one user does next.
pub(super) struct Chooser {
    random: Xoshiro256PlusPlus,
    blocks: u64,
    place: Place,
    read_percent: u64,
}

enum Place {
    Random,
    Zipf(Zipf),
    Sequential { first: u64, count: u64, next: u64 },
}

/// Which user of a target: the part of it that a sequential user streams through.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seat {
    /// Among the users of the target, from 0.
    pub(super) index: u64,
    /// Users of the target.
    pub(super) users: u64,
}

impl Chooser {
    /// Among `blocks` of a target, at least one.
    pub(super) fn new(params: &Params, blocks: u64, seat: Seat, seed: u64) -> Self {
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            blocks,
            place: match params.pattern {
                Pattern::Random => Place::Random,
                Pattern::Zipf => {
                    let ranks = u32::try_from(blocks).unwrap_or(u32::MAX);
                    Place::Zipf(Zipf::new(ranks, params.zipf_theta))
                }
                Pattern::Sequential => {
                    // Users that have no block to themselves share those that there are.
                    let (first, count) = part(blocks, seat);
                    Place::Sequential {
                        first,
                        count: count.max(1),
                        next: 0,
                    }
                }
            },
            read_percent: params.read.into(),
        }
    }

    /// The next block, from 0.
    #[inline]
    pub(super) fn block(&mut self) -> u64 {
        match &mut self.place {
            Place::Random => below(&mut self.random, self.blocks),
            Place::Zipf(zipf) => zipf.place(&mut self.random),
            Place::Sequential { first, count, next } => {
                let block = *first + *next;
                *next += 1;
                if next == count {
                    *next = 0;
                }
                block
            }
        }
    }

    /// Returns true if it is read.
    #[inline]
    pub(super) fn reads(&mut self) -> bool {
        match self.read_percent {
            100 => true,
            0 => false,
            percent => self.random.next_u64() >> 32 < (percent << 32) / 100,
        }
    }
}

/// The part of `blocks` that one of several users streams through: its first block, and how many.
pub(super) fn part(blocks: u64, seat: Seat) -> (u64, u64) {
    let first = blocks * seat.index / seat.users;
    (first, blocks * (seat.index + 1) / seat.users - first)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn chooser(pattern: Pattern, read: u8, blocks: u64, seat: (u64, u64)) -> Chooser {
        let params = Params {
            pattern,
            read,
            ..Params::default()
        };
        let (index, users) = seat;
        Chooser::new(&params, blocks, Seat { index, users }, 11)
    }

    #[test]
    fn random_blocks_are_all_alike() {
        let mut chooser = chooser(Pattern::Random, 100, 100, (0, 1));
        let mut counts = [0_u32; 100];
        for _ in 0..100_000 {
            counts[usize::try_from(chooser.block()).unwrap()] += 1;
        }
        let chi_square: f64 = counts
            .iter()
            .map(|&n| (f64::from(n) - 1_000.0).powi(2) / 1_000.0)
            .sum();
        // 99.9 % point of 99 degrees of freedom is 148.2.
        assert!(chi_square < 148.2, "{chi_square}");
    }

    #[test]
    fn popular_blocks_of_zipf_lie_apart_and_all_can_be_met() {
        let mut chooser = chooser(Pattern::Zipf, 100, 50, (0, 1));
        let mut counts = [0_u32; 50];
        for _ in 0..50_000 {
            counts[usize::try_from(chooser.block()).unwrap()] += 1;
        }
        assert!(counts.iter().all(|&n| n > 0), "{counts:?}");
        let most = (0..50).max_by_key(|&block| counts[block]).unwrap();
        assert!(counts[most] > 5_000, "{counts:?}");
    }

    #[test]
    fn reads_have_their_share() {
        for percent in [0_u8, 30, 50, 70, 100] {
            let mut chooser = chooser(Pattern::Random, percent, 10, (0, 1));
            let reads = (0..100_000).filter(|_| chooser.reads()).count();
            let expected = f64::from(percent) * 1_000.0;
            assert!(
                (reads as f64 - expected).abs() < 800.0,
                "{percent}: {reads}"
            );
        }
    }

    proptest! {
        #[test]
        fn sequential_users_cover_the_target_once(blocks in 1..500_u64, users in 1..20_u64) {
            let mut seen = HashSet::new();
            for index in 0..users {
                let mut chooser = chooser(Pattern::Sequential, 100, blocks, (index, users));
                let first = chooser.block();
                let mut last = first;
                seen.insert(first);
                loop {
                    let next = chooser.block();
                    prop_assert!(next < blocks);
                    if next == first {
                        break;
                    }
                    prop_assert_eq!(next, last + 1);
                    prop_assert!(users > blocks || seen.insert(next));
                    last = next;
                }
            }
            prop_assert_eq!(seen.len() as u64, blocks.min(seen.len() as u64));
            prop_assert!(users > blocks || seen.len() as u64 == blocks);
        }
    }
}
