//! Where the arrays of a user lie in its memory.

use super::kernels::{Arrays, value};
use super::params::Kernel;
use super::variant::Variant;
use igen_kernel::region::HUGE_BYTES;

/// Each array begins on a page of its own.
const PAGE_BYTES: u64 = 4096;
const NUMBER_BYTES: u64 = 8;

/// Which arrays there are, and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// Numbers in each array.
    pub(super) len: usize,
    /// Numbers from the begin of one array to that of the next.
    stride: usize,
    /// Which of `a`, `b`, `c` there are, in this order of the memory: `read` alone needs but `b`.
    has: [bool; 3],
    /// A chase has memory of its own.
    chase: bool,
}

impl Layout {
    /// The layout of arrays of `size_bytes` for these variants; `None` where they are beyond all memory.
    pub(super) fn of<'a>(
        size_bytes: u64,
        variants: impl IntoIterator<Item = &'a Variant>,
    ) -> Option<Self> {
        let mut has = [false; 3];
        let mut chase = false;
        for variant in variants {
            match variant.kernel {
                Kernel::Read => has[1] = true,
                Kernel::Write => has[0] = true,
                Kernel::Copy | Kernel::Scale => has[..2].fill(true),
                Kernel::Add | Kernel::Triad => has.fill(true),
                Kernel::Chase => chase = true,
            }
        }
        // Above this the sum of all arrays of all users might not be a number.
        let size_bytes = Some(size_bytes).filter(|&bytes| bytes < 1 << 50)?;
        let stride = size_bytes.next_multiple_of(PAGE_BYTES) / NUMBER_BYTES;
        Some(Self {
            len: usize::try_from(size_bytes / NUMBER_BYTES).ok()?,
            stride: usize::try_from(stride).ok()?,
            has,
            chase,
        })
    }

    /// How many arrays lie before the chase's.
    fn count(&self) -> usize {
        self.has.into_iter().filter(|&has| has).count()
    }

    /// Memory that a user takes.
    pub(super) fn bytes(&self) -> u64 {
        let arrays = self.count() + usize::from(self.chase);
        let bytes = arrays as u64 * self.stride as u64 * NUMBER_BYTES;
        bytes.next_multiple_of(HUGE_BYTES)
    }

    /// `a`, `b` and `c`, empty where there is none.
    fn parts<'memory>(&self, mut memory: &'memory mut [f64]) -> [&'memory mut [f64]; 3] {
        self.has.map(|has| {
            let (stride, len) = if has { (self.stride, self.len) } else { (0, 0) };
            let (array, rest) = std::mem::take(&mut memory).split_at_mut(stride);
            memory = rest;
            &mut array[..len]
        })
    }

    /// The arrays of a pass.
    pub(super) fn arrays<'memory>(&self, memory: &'memory mut [f64]) -> Arrays<'memory> {
        let [a, b, c] = self.parts(memory);
        Arrays { a, b, c }
    }

    /// The last numbers of the arrays of a pass, at most so many and from a page on, with the place of the
    /// first of them.
    pub(super) fn last<'memory>(
        &self,
        numbers: usize,
        memory: &'memory mut [f64],
    ) -> (usize, Arrays<'memory>) {
        const PAGE: usize = (PAGE_BYTES / NUMBER_BYTES) as usize;
        let begin = self.len.saturating_sub(numbers).next_multiple_of(PAGE);
        let [a, b, c] = self.parts(memory).map(|array| {
            let begin = begin.min(array.len());
            &mut array[begin..]
        });
        (begin, Arrays { a, b, c })
    }

    /// The places of a chase, which are numbers of as many bytes.
    pub(super) fn places<'memory>(&self, memory: &'memory mut [f64]) -> &'memory mut [usize] {
        let before = self.count() * self.stride;
        let len = if self.chase { self.len } else { 0 };
        bytemuck::cast_slice_mut(&mut memory[before..before + len])
    }

    /// Puts the numbers into `b` and `c` that passes read, and touches `a`.
    pub(super) fn fill(&self, memory: &mut [f64]) {
        let [a, b, c] = self.parts(memory);
        a.fill(UNWRITTEN);
        for (b, number) in b.iter_mut().zip(numbers(B, 0)) {
            *b = number;
        }
        for (c, number) in c.iter_mut().zip(numbers(C, 0)) {
            *c = number;
        }
    }
}

/// What no kernel writes.
pub(super) const UNWRITTEN: f64 = -1.0;
const B: u64 = 0x9E37_79B9_7F4A_7C15;
const C: u64 = 0xC2B2_AE3D_27D4_EB4F;

/// Whole numbers below 2^20, other ones in each place: sums and products of them are exact, and a line
/// that is missing or misplaced shows. Those from the place `begin` on.
fn numbers(factor: u64, begin: usize) -> impl Iterator<Item = f64> {
    (begin as u64..).map(move |i| (i.wrapping_mul(factor) >> 44) as f64)
}

/// The first place, of those from `begin` on that `a` has, whose number is not what the storing `kernel`
/// leaves there.
pub(super) fn first_wrong(kernel: Kernel, begin: usize, a: &[f64]) -> Option<usize> {
    let right = numbers(B, begin)
        .zip(numbers(C, begin))
        .map(|(b, c)| value(kernel, b, c).to_bits());
    let mut pairs = a.iter().map(|found| found.to_bits()).zip(right);
    let index = pairs.position(|(found, right)| found != right)?;
    Some(begin + index)
}

/// The sum of `b`, exact up to 2^33 numbers.
pub(super) fn sum_of_b(len: usize) -> f64 {
    numbers(B, 0).take(len).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::float_cmp)]

    use proptest::prelude::*;

    use super::super::variant::all;
    use super::*;

    fn layout(bytes: u64, names: &[&str]) -> Layout {
        let variants = all().map(|(_, variant)| variant);
        Layout::of(bytes, variants.filter(|each| names.contains(&each.name))).unwrap()
    }

    #[test]
    fn there_are_the_arrays_that_kernels_need() {
        for (names, arrays) in [
            (&["read_scalar"][..], [0, 1, 0]),
            (&["write_rep"], [1, 0, 0]),
            (&["copy_scalar", "read_scalar"], [1, 1, 0]),
            (&["triad_scalar"], [1, 1, 1]),
            (&["chase"], [0, 0, 0]),
        ] {
            let layout = layout(8192, names);
            let mut memory = vec![0.0; 5 * 1024];
            let found = layout.arrays(&mut memory);
            let lengths = [found.a.len(), found.b.len(), found.c.len()];
            assert_eq!(lengths, arrays.map(|has| has * 1024), "{names:?}");
            let chase = if names == ["chase"] { 1024 } else { 0 };
            assert_eq!(layout.places(&mut memory).len(), chase);
        }
    }

    #[test]
    fn memory_is_whole_huge_pages() {
        assert_eq!(layout(1 << 20, &["triad_scalar", "chase"]).bytes(), 4 << 20);
        assert_eq!(layout(4096, &["chase"]).bytes(), 2 << 20);
        assert!(Layout::of(u64::MAX, []).is_none());
    }

    proptest! {
        #[test]
        fn a_wrong_number_is_found(len in 1_usize..3000, at: usize, bit in 0_u32..64) {
            let layout = layout(len as u64 * 8, &["copy_scalar"]);
            let mut memory = vec![0.0; 2 * layout.stride];
            layout.fill(&mut memory);
            let Arrays { a, b, .. } = layout.arrays(&mut memory);
            prop_assert_eq!(b.iter().sum::<f64>(), sum_of_b(len));
            prop_assert_eq!(first_wrong(Kernel::Copy, 0, a), Some(0));
            a.copy_from_slice(b);
            prop_assert_eq!(first_wrong(Kernel::Copy, 0, a), None);
            let at = at % len;
            a[at] = f64::from_bits(a[at].to_bits() ^ (1 << bit));
            prop_assert_eq!(first_wrong(Kernel::Copy, 0, a), Some(at));
        }

        #[test]
        fn the_last_numbers_begin_on_a_page_and_are_known(
            len in 1_usize..3000,
            most in 512_usize..3000,
        ) {
            let layout = layout(len as u64 * 8, &["copy_scalar"]);
            let mut memory = vec![0.0; 2 * layout.stride];
            layout.fill(&mut memory);
            let (begin, Arrays { a, b, c }) = layout.last(most, &mut memory);
            prop_assert_eq!((begin % 512, begin + a.len(), c.len()), (0, len, 0));
            prop_assert!(!a.is_empty() && a.len() <= most);
            prop_assert!(begin == 0 || a.len() + 512 > most);
            prop_assert_eq!(first_wrong(Kernel::Copy, begin, a), Some(begin));
            a.copy_from_slice(b);
            prop_assert_eq!(first_wrong(Kernel::Copy, begin, a), None);
        }
    }
}
