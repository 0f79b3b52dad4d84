//! Numbers, words and signatures that follow from a seed.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// What everything follows from.
#[derive(Debug, Clone, Copy)]
pub struct Seed(pub u64);

impl Seed {
    /// Numbers for one purpose, the same each time.
    pub fn numbers(self, purpose: &str) -> Numbers {
        let mut state = self.0;
        for byte in purpose.bytes() {
            state = mixed(state ^ u64::from(byte));
        }
        Numbers(state)
    }

    /// A signature under the seed: 32 hexadecimal digits that nobody guesses who does not know it.
    pub fn signature(self, purpose: &str, signed: &str) -> String {
        let mut hash = Sha256::new();
        // The key has a fixed length, and its end is cut off: nothing can be appended to what was signed.
        hash.update(self.0.to_le_bytes());
        hash.update(purpose);
        hash.update([0]);
        hash.update(signed);
        hexadecimal(&hash.finalize()[..16])
    }
}

/// Bytes in hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // A text takes whatever is written.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A sequence of numbers (`SplitMix64`: Steele, Lea, Flood 2014).
pub struct Numbers(u64);

impl Numbers {
    /// The next one.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// The next one below `end`, which is small.
    pub fn below(&mut self, end: u64) -> u64 {
        // The upper half, multiplied: no division, and no visible bias below 2^20.
        ((self.next() >> 32) * end) >> 32
    }

    /// One of some.
    pub fn one_of<'a, T>(&mut self, some: &'a [T]) -> &'a T {
        let last = some.len() - 1;
        &some[usize::try_from(self.below(some.len() as u64)).unwrap_or(last)]
    }
}

/// Spreads a change of one bit over all of them.
fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_follows_from_seed_and_purpose() {
        let some = |seed: u64, purpose: &str| {
            let mut numbers = Seed(seed).numbers(purpose);
            [numbers.next(), numbers.next(), numbers.below(10)]
        };
        assert_eq!(some(1, "prices"), some(1, "prices"));
        assert_ne!(some(1, "prices"), some(2, "prices"));
        assert_ne!(some(1, "prices"), some(1, "names"));
        assert_eq!(Seed(1).signature("a", "b"), Seed(1).signature("a", "b"));
        assert_ne!(Seed(1).signature("a", "b"), Seed(1).signature("ab", ""));
        assert_eq!(Seed(1).signature("a", "b").len(), 32);
    }

    #[test]
    fn numbers_below_an_end_are_spread_evenly() {
        let mut numbers = Seed(7).numbers("test");
        let mut counts = [0_u32; 10];
        for _ in 0..10_000 {
            counts[usize::try_from(numbers.below(10)).unwrap_or(10)] += 1;
        }
        // Four standard deviations of a binomial of 10,000 and 0.1 are 120.
        assert!(
            counts.iter().all(|&count| count.abs_diff(1000) < 120),
            "{counts:?}"
        );
    }
}
