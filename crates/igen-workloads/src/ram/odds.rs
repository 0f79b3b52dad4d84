//! What chance says that a search must find.

use super::search::Tally;
use super::ticket::{CHOSEN, MEGA_NUMBERS, NUMBERS};

/// Expected numbers of winning tickets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    five_and_mega: f64,
    five: f64,
    four: f64,
    three: f64,
    mega: f64,
}

/// Standard deviations that a right count may lie off: once in 500 million counts by chance.
const DEVIATIONS: f64 = 6.0;
/// Added to it, because small counts have longer tails than the normal distribution.
const SLACK: f64 = 6.0;

impl Expected {
    /// Among `tickets` random tickets. The numbers hit follow the hypergeometric distribution.
    #[must_use]
    pub fn among(tickets: u64) -> Self {
        let tickets = tickets as f64;
        let mega = 1.0 / MEGA_NUMBERS as f64;
        Self {
            five_and_mega: tickets * chance_of(5) * mega,
            five: tickets * chance_of(5),
            four: tickets * chance_of(4),
            three: tickets * chance_of(3),
            mega: tickets * mega,
        }
    }

    /// In `lookups` random look-ups in an array of `tickets` of which a full search found `tally`.
    #[must_use]
    pub fn in_lookups(lookups: u64, tickets: u64, tally: &Tally) -> Self {
        let share = |count: u64| lookups as f64 * count as f64 / tickets as f64;
        Self {
            five_and_mega: share(tally.five_and_mega),
            five: share(tally.five),
            four: share(tally.four),
            three: share(tally.three),
            mega: share(tally.mega),
        }
    }

    /// Returns a text about the first count of `tally` that chance does not explain.
    #[must_use]
    pub fn contradiction(&self, tally: &Tally) -> Option<String> {
        let rows = [
            ("5+1", self.five_and_mega, tally.five_and_mega),
            ("5", self.five, tally.five),
            ("4", self.four, tally.four),
            ("3", self.three, tally.three),
            ("mega", self.mega, tally.mega),
        ];
        let (what, expected, count) = rows.into_iter().find(|&(_, expected, count)| {
            (count as f64 - expected).abs() > DEVIATIONS * expected.sqrt() + SLACK
        })?;
        Some(format!(
            "{count} tickets with {what} instead of about {expected:.1}"
        ))
    }
}

/// Chance that a random ticket has `hits` of the five winning numbers.
fn chance_of(hits: u64) -> f64 {
    let chosen = CHOSEN as u64;
    choose(chosen, hits) * choose(NUMBERS - chosen, chosen - hits) / choose(NUMBERS, chosen)
}

/// Binomial coefficient.
fn choose(n: u64, k: u64) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ram::search::Winner;
    use crate::ram::ticket::Tickets;

    /// The published figures for 512 MiB.
    #[test]
    fn the_odds_are_those_of_superlotto_plus() {
        let expected = Expected::among(22_369_621);
        for (value, published) in [
            (expected.four, 3_062.0),
            (expected.three, 125_561.0),
            (expected.mega, 828_504.0),
        ] {
            assert!((value - published).abs() < 0.6, "{value} {published}");
        }
        let combinations = 1.0 / Expected::among(1).five_and_mega;
        assert!((combinations - 41_416_353.0).abs() < 1e-3, "{combinations}");
    }

    #[test]
    fn tickets_of_any_seed_and_thread_obey_the_odds() {
        for seed in 0..8 {
            let tickets = Tickets::of(seed, 1);
            let array: Vec<_> = (0..100_000).map(|index| tickets.ticket(index)).collect();
            let tally = Winner::new(&Tickets::of(seed, 7).ticket(123_456)).search(&array);
            assert_eq!(
                Expected::among(100_000).contradiction(&tally),
                None,
                "seed {seed}"
            );
        }
    }

    #[test]
    fn a_count_that_chance_does_not_explain_is_named() {
        let expected = Expected::among(22_369_621);
        let right = Tally {
            five_and_mega: 0,
            five: 16,
            four: 3_026,
            three: 125_648,
            mega: 828_310,
        };
        assert_eq!(expected.contradiction(&right), None);
        let biased = Tally {
            mega: right.mega / 100 * 101,
            ..right
        };
        let said = expected.contradiction(&biased);
        assert!(said.is_some_and(|text| text.contains("mega")));
        let stuck = Tally { five: 60, ..right };
        assert!(expected.contradiction(&stuck).is_some());
    }

    #[test]
    fn look_ups_are_judged_by_what_the_array_holds() {
        let tally = Tally {
            three: 500,
            mega: 4_000,
            ..Tally::default()
        };
        let expected = Expected::in_lookups(1_000_000, 100_000, &tally);
        let right = Tally {
            three: 5_080,
            mega: 40_100,
            ..Tally::default()
        };
        assert_eq!(expected.contradiction(&right), None);
        let found_nothing = Tally::default();
        assert!(expected.contradiction(&found_nothing).is_some());
    }
}
