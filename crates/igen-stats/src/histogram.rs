//! A histogram of times as a plain value: merged, subtracted, asked for quantiles.

use crate::bucket::{BLOCK_BITS, highest, index_of};

/// Buckets in a block.
const BLOCK: usize = 1 << BLOCK_BITS;

/// Counts by bucket and the exact sum, in nanoseconds. Only blocks with counts take memory and time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    /// One bit for each block that has counts.
    touched: u64,
    /// Those blocks, in their order.
    blocks: Vec<[u64; BLOCK]>,
    sum_ns: u64,
}

impl Histogram {
    /// Adds one value.
    pub fn record(&mut self, value_ns: u64) {
        self.add_count(index_of(value_ns), 1);
        self.sum_ns += value_ns;
    }

    /// Adds `count` values of bucket `index`, which the sum does not see.
    pub fn add_count(&mut self, index: usize, count: u64) {
        if count > 0 {
            self.block(index >> BLOCK_BITS)[index % BLOCK] += count;
        }
    }

    /// Adds to the exact sum.
    pub fn add_sum(&mut self, sum_ns: u64) {
        self.sum_ns += sum_ns;
    }

    /// Adds `counts` to the buckets of one block, which the sum does not see.
    pub(crate) fn add_block(&mut self, block: usize, counts: impl Iterator<Item = u64>) {
        for (mine, count) in self.block(block).iter_mut().zip(counts) {
            *mine += count;
        }
    }

    /// Adds all that `other` holds.
    pub fn merge(&mut self, other: &Self) {
        for (block, counts) in other.touched_blocks() {
            self.add_block(block, counts.iter().copied());
        }
        self.sum_ns += other.sum_ns;
    }

    /// What came since `earlier`, an earlier state of the same growing histogram.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut since = Self {
            sum_ns: self.sum_ns.saturating_sub(earlier.sum_ns),
            ..Self::default()
        };
        for (block, now) in self.touched_blocks() {
            let mut counts = *now;
            if let Some(then) = earlier.existing(block) {
                for (count, then) in counts.iter_mut().zip(then) {
                    *count = count.saturating_sub(*then);
                }
            }
            if counts.iter().any(|count| *count > 0) {
                since.touched |= 1 << block;
                since.blocks.push(counts);
            }
        }
        since
    }

    /// Counts above 0 by bucket, in the order of the buckets; see `bucket` for the layout.
    pub fn counts(&self) -> impl Iterator<Item = (usize, u64)> {
        self.touched_blocks().flat_map(|(block, counts)| {
            let first = block << BLOCK_BITS;
            let counted = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            counted.map(move |(index, count)| (first + index, *count))
        })
    }

    /// Exact sum of all values.
    #[must_use]
    pub fn sum_ns(&self) -> u64 {
        self.sum_ns
    }

    /// Number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.blocks.iter().flatten().sum()
    }

    /// Returns true if there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.iter().flatten().all(|count| *count == 0)
    }

    /// The upper edge of the bucket in which the quantile `q` (0 to 1) lies; 0 without values.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn quantile(&self, q: f64) -> u64 {
        let rank = ((q * self.count() as f64).ceil() as u64).max(1);
        let mut below = 0;
        for (index, count) in self.counts() {
            below += count;
            if below >= rank {
                return highest(index);
            }
        }
        0
    }

    fn touched_blocks(&self) -> impl Iterator<Item = (usize, &[u64; BLOCK])> {
        let touched = self.touched;
        let numbers = (0..u64::BITS as usize).filter(move |block| touched & (1 << block) != 0);
        numbers.zip(&self.blocks)
    }

    fn existing(&self, block: usize) -> Option<&[u64; BLOCK]> {
        (self.touched & (1 << block) != 0).then(|| &self.blocks[self.rank(block)])
    }

    /// The block of that number, which from now on is there.
    fn block(&mut self, block: usize) -> &mut [u64; BLOCK] {
        let rank = self.rank(block);
        if self.touched & (1 << block) == 0 {
            self.touched |= 1 << block;
            self.blocks.insert(rank, [0; BLOCK]);
        }
        &mut self.blocks[rank]
    }

    /// How many blocks with counts come before that one.
    fn rank(&self, block: usize) -> usize {
        (self.touched & ((1 << block) - 1)).count_ones() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        for value in values {
            histogram.record(*value);
        }
        histogram
    }

    proptest! {
        #[test]
        fn merging_parts_equals_recording_the_whole(
            a in prop::collection::vec(0..1u64 << 40, 0..50),
            b in prop::collection::vec(0..1u64 << 40, 0..50),
        ) {
            let mut merged = of(&a);
            merged.merge(&of(&b));
            let whole = of(&[a.clone(), b.clone()].concat());
            prop_assert_eq!(&merged, &whole);
            prop_assert_eq!(whole.since(&of(&a)), of(&b));
        }

        #[test]
        fn what_is_empty_takes_no_memory(a in prop::collection::vec(0..1u64 << 40, 0..50)) {
            let (all, nothing) = (of(&a), Histogram::default());
            let rest = all.since(&all);
            prop_assert_eq!(&rest, &nothing);
            prop_assert!(rest.counts().next().is_none() && rest.is_empty());
            let mut merged = nothing.clone();
            merged.merge(&all);
            merged.merge(&nothing);
            prop_assert_eq!(&merged, &all);
            prop_assert_eq!(all.since(&nothing), all.clone());
            prop_assert_eq!(all.is_empty(), a.is_empty());
            prop_assert_eq!(all.count(), a.len() as u64);
        }

        #[test]
        fn quantiles_are_within_a_bucket_of_the_truth(
            mut values in prop::collection::vec(1..1u64 << 40, 1..200), q in 0.0..1.0f64,
        ) {
            values.sort_unstable();
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let rank = ((q * values.len() as f64).ceil() as usize).max(1);
            let truth = values[rank - 1];
            let found = of(&values).quantile(q);
            prop_assert!(found >= truth && found as f64 <= truth as f64 * 1.008 + 1.0);
        }
    }
}
