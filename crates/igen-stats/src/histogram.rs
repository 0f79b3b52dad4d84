//! A histogram of times as a plain value: merged, subtracted, asked for quantiles.

use crate::bucket::{BUCKETS, highest, index_of};

/// Counts by bucket and the exact sum, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: Box<[u64]>,
    sum_ns: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counts: bytemuck::zeroed_slice_box(BUCKETS),
            sum_ns: 0,
        }
    }
}

impl Histogram {
    /// Adds one value.
    pub fn record(&mut self, value_ns: u64) {
        self.counts[index_of(value_ns)] += 1;
        self.sum_ns += value_ns;
    }

    /// Adds `count` values of bucket `index`, which the sum does not see.
    pub fn add_count(&mut self, index: usize, count: u64) {
        self.counts[index] += count;
    }

    /// Adds to the exact sum.
    pub fn add_sum(&mut self, sum_ns: u64) {
        self.sum_ns += sum_ns;
    }

    /// Adds all that `other` holds.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.sum_ns += other.sum_ns;
    }

    /// What came since `earlier`, an earlier state of the same growing histogram.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let counts = self.counts.iter().zip(&earlier.counts);
        Self {
            counts: counts
                .map(|(now, then)| now.saturating_sub(*then))
                .collect(),
            sum_ns: self.sum_ns.saturating_sub(earlier.sum_ns),
        }
    }

    /// Counts by bucket; see `bucket` for the layout.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Exact sum of all values.
    #[must_use]
    pub fn sum_ns(&self) -> u64 {
        self.sum_ns
    }

    /// Number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.iter().all(|count| *count == 0)
    }

    /// The upper edge of the bucket in which the quantile `q` (0 to 1) lies; 0 without values.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn quantile(&self, q: f64) -> u64 {
        let rank = ((q * self.count() as f64).ceil() as u64).max(1);
        let mut below = 0;
        for (index, count) in self.counts.iter().enumerate() {
            below += count;
            if below >= rank {
                return highest(index);
            }
        }
        0
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
