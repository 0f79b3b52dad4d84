//! The bucket layout: log-linear, 128 buckets in each power of two, so a bucket is at most 0.8 % wide
//! and its middle at most 0.4 % off. It is the layout of an HDR histogram with two significant figures,
//! lowest value 1 and highest `MAX_VALUE`, so that counts can be exported without conversion.

/// Power of two of the buckets in each doubling.
const HALF_BITS: u32 = 7;
/// Power of two of the buckets in each block: a doubling, or twice the one below.
pub const BLOCK_BITS: u32 = HALF_BITS;
/// Largest value told apart, in nanoseconds: 73 minutes. Larger ones are counted as this.
pub const MAX_VALUE: u64 = (1 << 42) - 1;
/// Number of buckets.
pub const BUCKETS: usize = index_of(MAX_VALUE) + 1;

/// The bucket that counts `value`.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the index is below 4608")]
pub const fn index_of(value: u64) -> usize {
    let value = if value > MAX_VALUE { MAX_VALUE } else { value };
    let shift = 64 - HALF_BITS - 1 - (value | ((2 << HALF_BITS) - 1)).leading_zeros();
    ((shift as usize) << HALF_BITS) + (value >> shift) as usize
}

/// Smallest value that `index` counts.
#[must_use]
pub const fn lowest(index: usize) -> u64 {
    let half = 1 << HALF_BITS;
    if index < 2 * half {
        return index as u64;
    }
    let shift = (index >> HALF_BITS) - 1;
    ((index - (shift << HALF_BITS)) as u64) << shift
}

/// Largest value that `index` counts.
#[must_use]
pub const fn highest(index: usize) -> u64 {
    lowest(index + 1) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn buckets_follow_each_other_without_gap() {
        for index in 0..BUCKETS {
            assert_eq!(index_of(lowest(index)), index);
            assert_eq!(index_of(highest(index)), index);
        }
        assert_eq!(BUCKETS, 4608);
        assert_eq!(index_of(u64::MAX), BUCKETS - 1);
    }

    proptest! {
        #[test]
        fn the_middle_of_a_bucket_is_at_most_0_4_percent_off(value in 1..MAX_VALUE) {
            let index = index_of(value);
            let middle = f64::midpoint(lowest(index) as f64, highest(index) as f64);
            prop_assert!((middle / value as f64 - 1.0).abs() <= 0.004);
        }
    }
}
