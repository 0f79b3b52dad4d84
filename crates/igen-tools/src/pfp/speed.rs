//! What nobody knows without counters of the processor: how fast each piece of code executes its instructions.
//!
//! A window begins at some point in time. So code whose instructions are slow, such as divisions, or loads that miss the caches, is
//! met more often than it is executed. That changes the share where code with many floating-point instructions and code with
//! few are apart from each other; within a short loop that has both it does not matter.

use std::collections::HashMap;

use super::share::{Estimate, Met};
use super::window::Counts;

/// By how much one piece of code may be faster than another: from a fifth of an instruction in a cycle, as where divisions wait
/// for one another, to eight. A loop of each was 24 times apart on a Xeon of 2023, and 29 times on another machine.
pub(super) const SPEEDS: f64 = 40.0;

/// The share with its interval as wide as it is when code with fewer floating-point instructions is up to so many times as fast as
/// the rest, or as slow. `code` has the addresses of the instructions of each window, in ascending order.
pub(super) fn at_any_speed(share: Estimate, windows: &[Counts], code: &[Vec<u64>]) -> Estimate {
    let pieces = pieces(windows, code);
    let all: Met = pieces.iter().copied().sum();
    if all.part <= 0.0 {
        return share;
    }
    // Were a part of it executed so many times as often as it was met.
    let were = |part: Met, times: f64| (all + part * (times - 1.0)).percent();
    let as_met = all.percent();
    let (mut lowest, mut highest) = (as_met, as_met);
    let mut fewer = Met::default();
    for piece in pieces {
        fewer = fewer + piece;
        lowest = lowest.min(were(fewer, SPEEDS));
        highest = highest.max(were(fewer, 1.0 / SPEEDS));
    }
    Estimate {
        low: share.low * lowest / as_met,
        high: (share.high * highest / as_met).min(100.0),
        ..share
    }
}

/// The windows by what they executed, those with the fewest floating-point instructions first.
///
/// How many of them a window has is chance where its loop is long, or where it goes from one piece of code to another. So it goes by
/// how many those windows have that met the same instructions; windows of the same code are one piece.
fn pieces(windows: &[Counts], code: &[Vec<u64>]) -> Vec<Met> {
    let floating = |window: &Counts| Met::of(window, Counts::floating);
    let mut around: HashMap<u64, Met> = HashMap::new();
    for (window, code) in windows.iter().zip(code) {
        for address in code {
            let met = around.entry(*address).or_default();
            *met = *met + floating(window);
        }
    }
    let share = |code: &Vec<u64>| {
        let shares = code.iter().map(|address| around[address].percent());
        shares.sum::<f64>() / code.len().max(1) as f64
    };
    let mut ordered: Vec<_> = code.iter().map(share).zip(windows).collect();
    ordered.sort_by(|one, other| one.0.total_cmp(&other.0));
    let alike = ordered.chunk_by(|one, other| one.0.total_cmp(&other.0).is_eq());
    alike
        .map(|of_piece| of_piece.iter().map(|(_, window)| floating(window)).sum())
        .collect()
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

    /// So many windows of a loop with its share of floating-point instructions, at addresses of its own.
    fn of_loop(number: usize, floating: u64, addresses: &[u64]) -> (Vec<Counts>, Vec<Vec<u64>>) {
        (
            vec![window(floating); number],
            vec![addresses.to_vec(); number],
        )
    }

    fn together(loops: &[(Vec<Counts>, Vec<Vec<u64>>)]) -> (Vec<Counts>, Vec<Vec<u64>>) {
        loops
            .iter()
            .cloned()
            .fold(Default::default(), |mut all, one| {
                all.0.extend(one.0);
                all.1.extend(one.1);
                all
            })
    }

    #[test]
    fn slow_divisions_beside_fast_code_decide_nothing() {
        // 0.6 % of all instructions are divisions, and their loop takes 31 or 42 % of the time: it is met so often.
        for (slow, fast) in [(310, 690), (420, 580), (40, 55)] {
            let (windows, code) =
                together(&[of_loop(slow, 50, &[1, 2]), of_loop(fast, 0, &[8, 9])]);
            let (by_chance, wide, share) = told(&windows, &code);
            assert_eq!(
                (by_chance, wide),
                (Advice::NotRecommended, Advice::CannotTell)
            );
            assert!(share.low < 0.6 && share.high > 20.0, "{share:?}");
        }
    }

    #[test]
    fn a_window_that_goes_from_one_loop_to_the_other_does_not_make_them_one() {
        let loops = [
            of_loop(40, 50, &[1, 2]),
            of_loop(54, 0, &[8, 9]),
            of_loop(1, 20, &[1, 2, 8, 9]),
        ];
        let (windows, code) = together(&loops);
        let (by_chance, wide, share) = told(&windows, &code);
        assert_eq!(
            (by_chance, wide),
            (Advice::NotRecommended, Advice::CannotTell)
        );
        assert!(share.low < 0.6, "{share:?}");
    }

    #[test]
    fn code_with_a_few_may_be_as_much_faster_as_code_with_none() {
        // 10 % of a slow loop, and 0.5 % of one that executes 24 times as many instructions in a second: 0.75 % of all.
        let (windows, code) = together(&[of_loop(40, 20, &[1, 2]), of_loop(60, 1, &[8, 9])]);
        let (by_chance, wide, share) = told(&windows, &code);
        assert_eq!(
            (by_chance, wide),
            (Advice::NotRecommended, Advice::CannotTell)
        );
        assert!(share.low < 0.75, "{share:?}");
    }

    #[test]
    fn a_loop_that_has_both_has_one_speed() {
        let (windows, code) = of_loop(100, 20, &[1, 2]);
        let by_chance = share(&windows, Counts::floating);
        assert_eq!(at_any_speed(by_chance, &windows, &code), by_chance);
    }

    #[test]
    fn a_long_loop_that_has_both_everywhere_has_about_one_speed() {
        // A window sees a fifth of it, and 6 or 14 floating-point instructions of 200 by chance.
        let (mut windows, mut code) = (Vec::new(), Vec::new());
        for begin in 0..100_u64 {
            windows.push(window(if begin * 7 % 10 < 5 { 6 } else { 14 }));
            let mut addresses: Vec<u64> =
                (begin..begin + 20).map(|address| address % 100).collect();
            addresses.sort_unstable();
            code.push(addresses);
        }
        let (_, wide, share) = told(&windows, &code);
        assert_eq!(wide, Advice::NotRecommended, "{share:?}");
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
