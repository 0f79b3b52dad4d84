//! The rows: a pure function of seed, table and number, so that every answer is known.

use igen_sql::content::RowSource;
use igen_sql::value::Value;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

use super::table::Name;

/// Column a is drawn evenly from -512 to 511: every block holds values on both sides of 0, so that
/// no engine can answer from the least and the greatest value of a block, and one record in 1,024
/// is counted by the trivial predicate.
const RANGE: u64 = 1_024;
/// Letters of the payload; their number is a power of two.
const LETTERS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
/// The payload predicate counts payloads that end in this: one record in 64.
pub(super) const COUNTED_LETTER: u8 = LETTERS[0];

/// Makes the rows of one table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Generator {
    seed: u64,
    name: Name,
}

/// What the predicates count in a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) zeros: u64,
    pub(super) letters: u64,
}

impl Generator {
    pub(super) fn new(seed: u64, name: Name) -> Self {
        Self { seed, name }
    }

    /// What the predicates count in the first `rows` rows: some nanoseconds a row.
    pub(super) fn counts(self, rows: u64) -> Counts {
        let mut counts = Counts::default();
        for index in 0..rows {
            let (a, last_letter, _) = self.start(index);
            counts.zeros += u64::from(a == 0);
            counts.letters += u64::from(last_letter == COUNTED_LETTER);
        }
        counts
    }

    /// Column a, the last letter of the payload, and the random numbers of the letters before it.
    fn start(self, index: u64) -> (i64, u8, SplitMix64) {
        let table = u64::from(self.name.payload_bytes()).rotate_right(8);
        let row = index.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let mut random = SplitMix64::seed_from_u64(self.seed ^ table ^ row);
        // One step spreads neighbouring rows over the whole period.
        let mut random = SplitMix64::seed_from_u64(random.next_u64());
        let first = random.next_u64();
        let a = (first % RANGE).cast_signed() - (RANGE / 2).cast_signed();
        (a, letter(first >> 32), random)
    }
}

fn letter(bits: u64) -> u8 {
    LETTERS[usize::try_from(bits % 64).unwrap_or_default()]
}

/// The rows of a table, one after another, in one buffer.
pub(super) struct Rows {
    generator: Generator,
    payload: Vec<u8>,
}

impl Rows {
    pub(super) fn new(generator: Generator) -> Self {
        Self {
            generator,
            payload: vec![0; generator.name.payload_bytes().into()],
        }
    }
}

impl RowSource for Rows {
    fn row(&mut self, index: u64, write: &mut dyn FnMut(&[Value<'_>])) {
        let (a, last_letter, mut random) = self.generator.start(index);
        for letters in self.payload.chunks_mut(8) {
            let bits = random.next_u64();
            for (letter_, shift) in letters.iter_mut().zip((0..64).step_by(8)) {
                *letter_ = letter(bits >> shift);
            }
        }
        if let Some(last) = self.payload.last_mut() {
            *last = last_letter;
        }
        let payload = str::from_utf8(&self.payload).unwrap_or_default();
        write(&[Value::Integer(a), Value::Text(payload)]);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn rows(seed: u64, name: Name, count: u64) -> Vec<(i64, String)> {
        let mut source = Rows::new(Generator::new(seed, name));
        let mut rows = Vec::new();
        for index in 0..count {
            source.row(index, &mut |values| match values {
                [Value::Integer(a), Value::Text(payload)] => rows.push((*a, (*payload).to_owned())),
                other => panic!("{other:?}"),
            });
        }
        rows
    }

    #[test]
    fn counts_are_those_of_the_rows() {
        for name in Name::ALL {
            let rows = rows(42, name, 5_000);
            let counts = Generator::new(42, name).counts(5_000);
            let zeros = rows.iter().filter(|(a, _)| *a == 0).count();
            let letters = rows.iter().filter(|(_, payload)| payload.ends_with('0'));
            assert_eq!(counts.zeros, zeros as u64, "{name:?}");
            assert_eq!(counts.letters, letters.count() as u64, "{name:?}");
            // 4.9 and 78 are expected; 99.99 % lie within these.
            assert!((0..=16).contains(&counts.zeros), "{name:?}: {counts:?}");
            assert!((45..=115).contains(&counts.letters), "{name:?}: {counts:?}");
            assert!(
                rows.iter()
                    .all(|(_, payload)| payload.len() == usize::from(name.payload_bytes()))
            );
        }
    }

    #[test]
    fn every_block_has_values_on_both_sides_of_zero() {
        for block in rows(7, Name::Ten, 20_000).chunks(100) {
            assert!(block.iter().any(|(a, _)| *a < 0) && block.iter().any(|(a, _)| *a > 0));
            assert!(block.iter().all(|(a, _)| (-512..512).contains(a)));
        }
    }

    #[test]
    fn tables_and_seeds_do_not_repeat_each_other() {
        let of = |seed, name| rows(seed, name, 100);
        let column = |rows: &[(i64, String)]| rows.iter().map(|(a, _)| *a).collect::<Vec<_>>();
        assert_eq!(of(1, Name::Ten), of(1, Name::Ten));
        assert_ne!(column(&of(1, Name::Ten)), column(&of(2, Name::Ten)));
        assert_ne!(column(&of(1, Name::Ten)), column(&of(1, Name::Hundred)));
    }
}
