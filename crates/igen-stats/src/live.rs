//! Histograms on the hot path: one thread writes, another may read at any time, nobody waits.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::bucket::{BLOCK_BITS, BUCKETS, index_of};
use crate::histogram::Histogram;

/// Before the buckets: which blocks of them have counts, and the exact sum.
const TOUCHED: usize = 0;
const SUM_NS: usize = 1;
const FIRST_BUCKET: usize = 2;
const CELLS: usize = FIRST_BUCKET + BUCKETS;

/// Several histograms in one piece of memory, whose pages stay unallocated until a value falls into
/// them: those of a scenario with hundreds of steps cost what its users do, and no more.
pub struct LiveHistograms(Box<[[AtomicU64; CELLS]]>);

/// One of them. It only ever grows, so that a reader takes differences. One thread must do all the
/// recording: the update is a plain load and store, not a locked instruction.
#[derive(Clone, Copy)]
pub struct LiveHistogram<'a>(&'a [AtomicU64; CELLS]);

impl LiveHistograms {
    /// So many histograms without values.
    #[must_use]
    pub fn new(number: usize) -> Self {
        Self(bytemuck::zeroed_slice_box(number))
    }

    /// The histogram of that index.
    #[inline]
    #[must_use]
    pub fn at(&self, index: usize) -> LiveHistogram<'_> {
        LiveHistogram(&self.0[index])
    }
}

impl LiveHistogram<'_> {
    /// Adds one value.
    #[inline]
    pub fn record(self, value_ns: u64) {
        let index = index_of(value_ns);
        let block = 1 << (index >> BLOCK_BITS);
        let touched = self.0[TOUCHED].load(Relaxed);
        if touched & block == 0 {
            self.0[TOUCHED].store(touched | block, Relaxed);
        }
        add(&self.0[FIRST_BUCKET + index], 1);
        add(&self.0[SUM_NS], value_ns);
    }

    /// Adds the present state to `total`, in time that grows with the blocks that have counts. A value
    /// that is being recorded at this moment may be in the counts and not yet in the sum; the next
    /// reading has both.
    pub fn add_to(self, total: &mut Histogram) {
        let mut touched = self.0[TOUCHED].load(Relaxed);
        if touched == 0 {
            return;
        }
        let sum_ns = self.0[SUM_NS].load(Relaxed);
        while touched != 0 {
            let block = touched.trailing_zeros() as usize;
            touched &= touched - 1;
            let first = FIRST_BUCKET + (block << BLOCK_BITS);
            let counts = self.0[first..first + (1 << BLOCK_BITS)].iter();
            total.add_block(block, counts.map(|count| count.load(Relaxed)));
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
        let live = LiveHistograms::new(3);
        let mut plain = Histogram::default();
        for value in [0, 1, 127, 128, 255, 256, 1_000_000, 1 << 50] {
            live.at(1).record(value);
            plain.record(value);
        }
        let read = |index| {
            let mut read = Histogram::default();
            live.at(index).add_to(&mut read);
            read
        };
        assert_eq!(read(1), plain);
        assert!(read(0).is_empty() && read(2).is_empty());
    }
}
