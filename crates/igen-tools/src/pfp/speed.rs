//! What nobody knows without counters of the processor: how fast each piece of code executes its instructions.
//!
//! A window begins at some point in time. So code whose instructions are slow, such as divisions, or loads that miss the caches, is
//! met more often than it is executed. That changes the share where code with floating-point instructions and code without
//! any are apart from each other; within a loop that has both it does not matter.

use std::collections::HashSet;

use super::share::Estimate;
use super::window::Counts;

/// By how much one piece of code may be faster than another: from half an instruction in a cycle, as where memory is waited
/// for, to three.
pub(super) const SPEEDS: f64 = 6.0;

/// The share with its interval as wide as it is when code without floating-point instructions is so many times faster than the
/// rest, or slower. `code` has the addresses of the instructions of each window.
pub(super) fn at_any_speed(share: Estimate, windows: &[Counts], code: &[Vec<u64>]) -> Estimate {
    let looked = windows.iter().zip(code);
    let with: HashSet<u64> = looked
        .clone()
        .filter(|(counts, _)| counts.floating() > 0)
        .flat_map(|(_, code)| code.iter().copied())
        .collect();
    // A short window may see a part of a loop without its floating-point instructions.
    let apart = looked.filter(|(_, code)| code.iter().all(|address| !with.contains(address)));
    let apart: f64 = apart.map(|(counts, _)| counts.weight()).sum();
    let all: f64 = windows.iter().map(Counts::weight).sum();
    // That share by this one, were the code apart executed so many times as often as it was met.
    let factor = |times: f64| all / f64::max(all - apart + times * apart, 1.0);
    Estimate {
        low: share.low * factor(SPEEDS),
        high: (share.high * factor(1.0 / SPEEDS)).min(100.0),
        ..share
    }
}

#[cfg(test)]
mod tests {
    use super::super::share::{Advice, share};
    use super::*;

    fn window(floating: u64) -> Counts {
        Counts {
            all: 200,
            scalar: floating,
            ..Counts::default()
        }
    }

    fn told(windows: &[Counts], code: &[Vec<u64>]) -> (Advice, Advice, Estimate) {
        let by_chance = share(windows, Counts::floating);
        let wide = at_any_speed(by_chance, windows, code);
        let advice = |share: Estimate| share.advice(windows.len(), 1.0, 2.0);
        (advice(by_chance), advice(wide), wide)
    }

    #[test]
    fn slow_divisions_beside_fast_code_decide_nothing() {
        // 0.6 % of all instructions are divisions, and their loop takes 31 % of the time: it is met so often.
        let windows = [vec![window(50); 310], vec![window(0); 690]].concat();
        let code = [vec![vec![1, 2]; 310], vec![vec![8, 9]; 690]].concat();
        let (by_chance, wide, share) = told(&windows, &code);
        assert_eq!(
            (by_chance, wide),
            (Advice::NotRecommended, Advice::CannotTell)
        );
        assert!((7.0..8.5).contains(&share.percent));
        assert!(
            (1.3..2.0).contains(&share.low) && share.high > 15.0,
            "{share:?}"
        );
    }

    #[test]
    fn code_that_has_both_has_one_speed() {
        // Half of the windows are too short to meet the addition of their loop.
        let windows = [vec![window(20); 50], vec![window(0); 50]].concat();
        let code = [vec![vec![1, 2]; 50], vec![vec![2, 3]; 50]].concat();
        let by_chance = share(&windows, Counts::floating);
        assert_eq!(at_any_speed(by_chance, &windows, &code), by_chance);
    }

    #[test]
    fn nothing_stays_nothing_and_all_stays_all() {
        let code = vec![vec![1]; 40];
        let (_, none, share) = told(&vec![window(0); 40], &code);
        assert_eq!((none, share.high), (Advice::Recommended, 0.0));
        let (_, every, share) = told(&vec![window(200); 40], &code);
        assert_eq!(
            (every, share.low, share.high),
            (Advice::NotRecommended, 100.0, 100.0)
        );
    }
}
