//! Pointer chase: each cache line holds the place of the next, so that a look-up waits for the one before.

use std::hash::{DefaultHasher, Hasher};
use std::hint::black_box;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::random::below;

/// Numbers in a cache line of 64 bytes.
const LINE: usize = 8;

/// Makes one random cycle through all whole lines of `places` (Sattolo's algorithm): the first number
/// of a line is the index of the first number of the next.
pub(super) fn lay(places: &mut [usize], seed: u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let lines = places.len() / LINE;
    for line in 0..lines {
        places[line * LINE] = line * LINE;
    }
    for line in (1..lines).rev() {
        let other = usize::try_from(below(&mut random, line as u64)).unwrap_or_default();
        places.swap(line * LINE, other * LINE);
    }
}

/// Follows the cycle from `place` for so many hops; returns where it got to.
pub(super) fn follow(places: &[usize], place: usize, hops: u64) -> usize {
    let mut place = place;
    for _ in 0..hops {
        place = places[place];
    }
    place
}

/// Look-ups before a turn, which go through all lines of up to 64 MiB: some 0.2 s in memory.
const BEFORE: u64 = 1 << 20;

/// Has caches keep of the lines what they can: along the cycle and, of few lines, again and again, because a
/// cache may keep only what it saw before; in order, each line once, where they are too many for that.
pub(super) fn warm(places: &[usize], place: usize) {
    if (places.len() / LINE) as u64 <= BEFORE {
        black_box(follow(places, place, BEFORE));
    } else {
        black_box(
            places
                .iter()
                .step_by(LINE)
                .fold(0, |all, place| all | place),
        );
    }
}

/// Returns the hash of all places in their order, or `None` if their sum is not the sum of a cycle through all lines.
///
/// It reads memory in order: a walk along the cycle takes 0.2 µs a line, this takes 0.02 µs.
pub(super) fn seal(places: &[usize]) -> Option<u64> {
    let lines = places.len() / LINE;
    let all_lines = (0..lines).map(|line| line * LINE);
    let (mut hasher, mut sum) = (DefaultHasher::new(), 0_usize);
    for place in all_lines.clone().map(|first| places[first]) {
        hasher.write_usize(place);
        sum = sum.wrapping_add(place);
    }
    let right = all_lines.fold(0, usize::wrapping_add);
    (sum == right).then(|| hasher.finish())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// True if the cycle goes through all lines and comes back.
    fn is_whole(places: &[usize]) -> bool {
        let lines = places.len() / LINE;
        let mut place = 0;
        for _ in 1..lines {
            match places.get(place) {
                Some(&next) if next != 0 => place = next,
                _ => return false,
            }
        }
        places.get(place).is_none_or(|&next| next == 0)
    }

    proptest! {
        #[test]
        fn one_cycle_visits_every_line(lines in 1_usize..300, seed: u64) {
            let mut places = vec![0; lines * LINE];
            lay(&mut places, seed);
            prop_assert!(is_whole(&places));
            prop_assert_eq!(follow(&places, 0, lines as u64), 0);
            let half = lines as u64 / 2;
            let there = follow(&places, 0, half);
            prop_assert_eq!(follow(&places, there, lines as u64 - half), 0);
        }

        #[test]
        fn a_wrong_place_is_found(lines in 2_usize..100, seed: u64, at: usize, wrong: usize) {
            let mut places = vec![0; lines * LINE];
            lay(&mut places, seed);
            let line = (at % lines) * LINE;
            let other = (wrong % lines) * LINE;
            prop_assume!(places[line] != other);
            places[line] = other;
            prop_assert_eq!(seal(&places), None);
        }

        #[test]
        fn two_places_that_change_are_found(lines in 2_usize..100, seed: u64, one: usize, two: usize) {
            let mut places = vec![0; lines * LINE];
            lay(&mut places, seed);
            let before = seal(&places);
            prop_assert!(before.is_some());
            let (one, two) = (one % lines * LINE, two % lines * LINE);
            prop_assume!(one != two);
            places.swap(one, two);
            prop_assert_ne!(seal(&places), before);
        }
    }
}
