//! The rows that the loader writes: a pure function of seed and key. All balances begin at 0.

use igen_sql::content::RowSource;
use igen_sql::value::Value;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

/// Tellers of each branch.
pub(super) const TELLERS_PER_BRANCH: u32 = 10;
/// Accounts of each branch.
pub(super) const ACCOUNTS_PER_BRANCH: u32 = 10_000;
/// Characters that fill rows: six bits each, so that pages compress as little as real ones.
const ALPHABET: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";

/// Makes the rows of one bank.
#[derive(Debug, Clone, Copy)]
pub(super) struct Generator {
    seed: u64,
    branches: u32,
}

/// Tables of the generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    Branches,
    Tellers,
    Accounts,
}

impl Generator {
    pub(super) fn new(seed: u64, branches: u32) -> Self {
        Self { seed, branches }
    }

    pub(super) fn seed(self) -> u64 {
        self.seed
    }

    /// Number of branches, whose keys begin at 1, as all keys.
    pub(super) fn branches(self) -> i64 {
        self.branches.into()
    }

    pub(super) fn tellers(self) -> i64 {
        self.branches() * i64::from(TELLERS_PER_BRANCH)
    }

    pub(super) fn accounts(self) -> i64 {
        self.branches() * i64::from(ACCOUNTS_PER_BRANCH)
    }

    /// How many rows a table has.
    pub(super) fn count(self, rows: Rows) -> i64 {
        match rows {
            Rows::Branches => self.branches(),
            Rows::Tellers => self.tellers(),
            Rows::Accounts => self.accounts(),
        }
    }

    /// The rows of one table, for the loader.
    pub(super) fn source(self, rows: Rows) -> Box<dyn RowSource> {
        Box::new(Source {
            generator: self,
            rows,
            filler: String::new(),
        })
    }

    /// Fills the rest of the row with key `id`.
    pub(super) fn fill(self, rows: Rows, id: i64, filler: &mut String) {
        let table = rows as u64 + 1;
        let row = id.cast_unsigned().wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let mut random = SplitMix64::seed_from_u64(self.seed ^ table.rotate_right(8) ^ row);
        filler.clear();
        while filler.len() < filler_length(rows) {
            let mut bits = random.next_u64();
            for _ in 0..10.min(filler_length(rows) - filler.len()) {
                filler.push(char::from(ALPHABET[(bits % 64) as usize]));
                bits >>= 6;
            }
        }
    }
}

/// Characters that fill a row up to 100 bytes.
pub(super) const fn filler_length(rows: Rows) -> usize {
    match rows {
        Rows::Branches => 88,
        Rows::Tellers | Rows::Accounts => 84,
    }
}

/// The branch of an account or teller with key `id`.
pub(super) fn branch_of(id: i64, per_branch: u32) -> i64 {
    (id - 1) / i64::from(per_branch) + 1
}

/// Rows of one table.
struct Source {
    generator: Generator,
    rows: Rows,
    filler: String,
}

impl RowSource for Source {
    fn row(&mut self, index: u64, write: &mut dyn FnMut(&[Value<'_>])) {
        let id = index.cast_signed() + 1;
        self.generator.fill(self.rows, id, &mut self.filler);
        let (key, balance) = (Value::Integer(id), Value::Integer(0));
        let filler = Value::Text(&self.filler);
        let of_branch = |per_branch| Value::Integer(branch_of(id, per_branch));
        match self.rows {
            Rows::Branches => write(&[key, balance, filler]),
            Rows::Tellers => write(&[key, of_branch(TELLERS_PER_BRANCH), balance, filler]),
            Rows::Accounts => write(&[key, of_branch(ACCOUNTS_PER_BRANCH), balance, filler]),
        }
    }
}

/// The history, which begins empty.
pub(super) struct Empty;

impl RowSource for Empty {
    fn row(&mut self, _: u64, _: &mut dyn FnMut(&[Value<'_>])) {}
}

#[cfg(test)]
mod tests {
    use igen_sql::value::Checksum;

    use super::*;

    const GENERATOR: Generator = Generator {
        seed: 42,
        branches: 2,
    };

    #[test]
    fn rows_are_the_same_for_ever() {
        let mut checksum = Checksum::default();
        for rows in [Rows::Branches, Rows::Tellers, Rows::Accounts] {
            let mut source = GENERATOR.source(rows);
            for index in 0..GENERATOR.count(rows).cast_unsigned() {
                source.row(index, &mut |values| checksum.row(values));
            }
        }
        assert_eq!(format!("{checksum:?}"), "Checksum(2835990661667151577)");
    }

    #[test]
    fn rows_differ_by_seed_table_and_key_and_are_full() {
        let other = Generator {
            seed: 43,
            ..GENERATOR
        };
        let mut seen = std::collections::BTreeSet::new();
        for generator in [GENERATOR, other] {
            for rows in [Rows::Branches, Rows::Tellers, Rows::Accounts] {
                for id in 1..=generator.count(rows).min(500) {
                    let mut filler = String::new();
                    generator.fill(rows, id, &mut filler);
                    assert_eq!(filler.len(), filler_length(rows));
                    assert!(seen.insert(filler), "{rows:?} {id}");
                }
            }
        }
    }

    #[test]
    fn every_branch_has_as_many_tellers_and_accounts() {
        for (per_branch, count) in [
            (TELLERS_PER_BRANCH, GENERATOR.tellers()),
            (ACCOUNTS_PER_BRANCH, GENERATOR.accounts()),
        ] {
            let of = |branch| {
                (1..=count)
                    .filter(|id| branch_of(*id, per_branch) == branch)
                    .count()
            };
            assert_eq!(of(1), of(2));
            assert_eq!(of(1) + of(2), usize::try_from(count).unwrap_or(0));
        }
    }
}
