//! What the users found, and whether it can be right.

use std::collections::BTreeMap;

use super::odds::Expected;
use super::search::Tally;
use crate::pages::Found as Pages;

/// Result of one transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Result of the sequential search.
    pub sequential: Tally,
    /// Result of the random search.
    pub random: Tally,
}

/// Sizes that determine the result of every transaction of a user.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Seed of the job.
    pub seed: u64,
    /// Tickets of a user.
    pub tickets: u64,
    /// Random look-ups of a transaction.
    pub random_lookups: u64,
}

/// The exact finding of user 0 in version 1, with the default seed and the published size; a C
/// program of another design finds the same. Chance gives 0.5 · 14.6 · 3,062 · 125,561 · 828,504. The
/// prototype's counts (0 · 16 · 3,026 · 125,648 · 828,310) are those of a generator that was not
/// published.
const GOLDEN_SEED: u64 = 42;
const GOLDEN_TICKETS: u64 = 512 * 1024 * 1024 / 24;
const GOLDEN: Tally = Tally {
    five_and_mega: 0,
    five: 10,
    four: 2_911,
    three: 124_810,
    mega: 827_103,
};

/// The findings of all users of a level.
#[derive(Debug, Default)]
pub struct Findings {
    /// The first of each user.
    first: BTreeMap<u32, Found>,
    /// Pages that the first array of each user got.
    pub(super) pages: Vec<Pages>,
    /// Transactions that found something else than their user's first.
    changed: u64,
}

impl Findings {
    /// Adds what a transaction of `user` found.
    pub fn add(&mut self, user: u32, found: Found) {
        let first = *self.first.entry(user).or_insert(found);
        self.changed += u64::from(first != found);
    }

    /// Returns an error if a search found a wrong result.
    pub fn check(&self, size: &Size) -> Result<(), String> {
        if self.changed > 0 {
            let changed = self.changed;
            return Err(format!(
                "{changed} searches found another result than the first search of the same user"
            ));
        }
        for (&user, found) in &self.first {
            let golden = user == 0 && size.seed == GOLDEN_SEED && size.tickets == GOLDEN_TICKETS;
            if golden && found.sequential != GOLDEN {
                return Err(format!(
                    "user 0 found {:?}, not {GOLDEN:?}",
                    found.sequential
                ));
            }
            let chance = Expected::among(size.tickets);
            let share = Expected::in_lookups(size.random_lookups, size.tickets, &found.sequential);
            for (search, expected, tally) in [
                ("sequential", chance, found.sequential),
                ("random", share, found.random),
            ] {
                if let Some(why) = expected.contradiction(&tally) {
                    return Err(format!("the {search} search of user {user} found {why}"));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const SIZE: Size = Size {
        seed: GOLDEN_SEED,
        tickets: GOLDEN_TICKETS,
        random_lookups: GOLDEN_TICKETS,
    };
    const RIGHT: Found = Found {
        sequential: GOLDEN,
        random: GOLDEN,
    };

    fn checked(found: &[(u32, Found)], size: &Size) -> Result<(), String> {
        let mut findings = Findings::default();
        for (user, found) in found {
            findings.add(*user, *found);
        }
        findings.check(size)
    }

    fn off_by_one() -> Found {
        let sequential = Tally {
            three: GOLDEN.three + 1,
            ..GOLDEN
        };
        Found {
            sequential,
            ..RIGHT
        }
    }

    #[test]
    fn right_findings_pass() {
        checked(&[], &SIZE).unwrap();
        checked(&[(0, RIGHT), (1, RIGHT), (0, RIGHT)], &SIZE).unwrap();
        // Only user 0 under the golden seed must find exactly the golden counts.
        checked(&[(1, off_by_one())], &SIZE).unwrap();
        checked(&[(0, off_by_one())], &Size { seed: 1, ..SIZE }).unwrap();
    }

    #[test]
    fn a_single_ticket_that_is_wrong_is_found() {
        let golden = checked(&[(0, off_by_one())], &SIZE).unwrap_err();
        assert!(golden.contains("user 0"), "{golden}");
        let changed = checked(&[(3, RIGHT), (3, off_by_one()), (3, RIGHT)], &SIZE).unwrap_err();
        assert!(changed.starts_with("1 searches"), "{changed}");
    }

    #[test]
    fn findings_against_all_odds_are_named() {
        let unlucky = Found {
            sequential: Tally::default(),
            random: Tally::default(),
        };
        let error = checked(&[(5, unlucky)], &SIZE).unwrap_err();
        assert!(
            error.starts_with("the sequential search of user 5"),
            "{error}"
        );
        let blind = Found {
            random: Tally::default(),
            ..RIGHT
        };
        let error = checked(&[(5, blind)], &SIZE).unwrap_err();
        assert!(error.starts_with("the random search of user 5"), "{error}");
    }
}
