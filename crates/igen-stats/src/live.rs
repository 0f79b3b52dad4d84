//! The histogram on the hot path: one thread writes, another may read at any time, nobody waits.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::bucket::{BUCKETS, index_of};
use crate::histogram::Histogram;

/// Only ever grows, so that a reader takes differences. One thread must do all the recording: the
/// update is a plain load and store, not a locked instruction. Pages that no value falls into stay
/// unallocated.
pub struct LiveHistogram {
    counts: Box<[AtomicU64]>,
    sum_ns: AtomicU64,
}

impl Default for LiveHistogram {
    fn default() -> Self {
        Self {
            counts: bytemuck::zeroed_slice_box(BUCKETS),
            sum_ns: AtomicU64::new(0),
        }
    }
}

impl LiveHistogram {
    /// Adds one value.
    #[inline]
    pub fn record(&self, value_ns: u64) {
        add(&self.counts[index_of(value_ns)], 1);
        add(&self.sum_ns, value_ns);
    }

    /// Adds the present state to `total`. A value that is being recorded at this moment may be in
    /// the counts and not yet in the sum; the next reading has both.
    pub fn add_to(&self, total: &mut Histogram) {
        let sum_ns = self.sum_ns.load(Relaxed);
        if sum_ns == 0 && self.counts[0].load(Relaxed) == 0 {
            return; // without values; most late and failed ones are, in a run that goes well
        }
        for (index, count) in self.counts.iter().enumerate() {
            let count = count.load(Relaxed);
            if count > 0 {
                total.add_count(index, count);
            }
        }
        total.add_sum(sum_ns);
    }
}

/// Single-writer addition: no locked instruction.
#[inline]
pub fn add(cell: &AtomicU64, n: u64) {
    cell.store(cell.load(Relaxed).wrapping_add(n), Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_sees_every_value_once() {
        let live = LiveHistogram::default();
        let mut plain = Histogram::default();
        for value in [0, 1, 127, 128, 255, 256, 1_000_000, u64::from(u32::MAX)] {
            live.record(value);
            plain.record(value);
        }
        let mut read = Histogram::default();
        live.add_to(&mut read);
        assert_eq!(read, plain);
    }
}
