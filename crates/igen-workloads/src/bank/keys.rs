//! What a transaction is about.

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::generate::{ACCOUNTS_PER_BRANCH, TELLERS_PER_BRANCH};
use crate::random::below;

/// So many of 100 accounts belong to another branch than the teller's, if there is another.
const FOREIGN_PERCENT: u64 = 15;
/// Amounts are -999,999 to 999,999.
const MOST_AMOUNT: i64 = 999_999;

/// What one transaction is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keys {
    pub(super) account: i64,
    pub(super) teller: i64,
    /// The teller's.
    pub(super) branch: i64,
    pub(super) amount: i64,
}

/// Chooses the keys of one user's transactions.
///
/// The teller is drawn anew for each transaction, not the user's own: a user here stands for a stream
/// of work, not for a person at a terminal, and with tellers of their own a few users would never
/// touch most of the tellers and branches.
#[derive(Debug, Clone)]
pub(super) struct Chooser {
    random: Xoshiro256PlusPlus,
    branches: u64,
}

impl Chooser {
    pub(super) fn new(branches: u32, seed: u64) -> Self {
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            branches: branches.into(),
        }
    }

    /// Keys of the next transaction.
    pub(super) fn next(&mut self) -> Keys {
        let random = &mut self.random;
        let (tellers, accounts) = (
            u64::from(TELLERS_PER_BRANCH),
            u64::from(ACCOUNTS_PER_BRANCH),
        );
        let teller = below(random, self.branches * tellers);
        let branch = teller / tellers;
        let foreign = below(random, 100) < FOREIGN_PERCENT;
        let home = if foreign && self.branches > 1 {
            (branch + 1 + below(random, self.branches - 1)) % self.branches
        } else {
            branch
        };
        let account = home * accounts + below(random, accounts);
        let amount = below(random, 2 * MOST_AMOUNT.cast_unsigned() + 1);
        Keys {
            account: account.cast_signed() + 1,
            teller: teller.cast_signed() + 1,
            branch: branch.cast_signed() + 1,
            amount: amount.cast_signed() - MOST_AMOUNT,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::bank::generate::branch_of;

    const DRAWS: u32 = 200_000;

    #[test]
    fn tellers_are_uniform_and_15_percent_of_the_accounts_foreign() {
        let mut chooser = Chooser::new(5, 1);
        let mut foreign = 0;
        let mut tellers = [0_u32; 50];
        let mut foreign_branches = BTreeSet::new();
        for _ in 0..DRAWS {
            let keys = chooser.next();
            assert_eq!(keys.branch, branch_of(keys.teller, TELLERS_PER_BRANCH));
            assert!((-MOST_AMOUNT..=MOST_AMOUNT).contains(&keys.amount));
            let home = branch_of(keys.account, ACCOUNTS_PER_BRANCH);
            assert!((1..=5).contains(&home));
            if home != keys.branch {
                foreign += 1;
                foreign_branches.insert((keys.branch, home));
            }
            tellers[usize::try_from(keys.teller - 1).unwrap_or(usize::MAX)] += 1;
        }
        // Five standard deviations of a binomial distribution are 0.4 %.
        let percent = 100.0 * f64::from(foreign) / f64::from(DRAWS);
        assert!((percent - 15.0).abs() < 0.4, "{percent}");
        assert_eq!(foreign_branches.len(), 20, "every other branch");
        let expected = f64::from(DRAWS) / 50.0;
        for (teller, count) in tellers.into_iter().enumerate() {
            let deviation = (f64::from(count) - expected) / expected.sqrt();
            assert!(deviation.abs() < 5.0, "teller {teller}: {count}");
        }
    }

    #[test]
    fn with_one_branch_no_account_is_foreign() {
        let mut chooser = Chooser::new(1, 1);
        for _ in 0..1_000 {
            let keys = chooser.next();
            assert_eq!(keys.branch, 1);
            assert!((1..=10_000).contains(&keys.account));
        }
    }
}
