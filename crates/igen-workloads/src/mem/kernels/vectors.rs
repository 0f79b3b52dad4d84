//! The loops over whole vectors, for sets of instructions that say how to load, store and compute.

/// Both loops and the choice among them. Where it stands there must be: a type `Vector` of `LANES`
/// numbers; `load`, `store` and `stream` (a whole cache line of vectors, at an address that is a multiple
/// of 64) through pointers; `announce`, which says that a line will be written; `splat`, `plus`, `times`,
/// `sum`; `fence` after non-temporal stores; and `STREAMS`, whether there are such stores.
macro_rules! kernels {
    ($(#[$features:meta])*) => {
        use super::super::params::Kernel;
        use super::pass::{Arrays, FACTOR, Pass, WRITTEN, value};

        /// Numbers of one step: a cache line.
        const STEP: usize = 8;
        /// Vectors of one step.
        const VECTORS: usize = STEP / LANES;
        /// Arrays from so many numbers on (1 MiB) are not written from the fastest caches.
        const FAR: usize = 1 << 17;
        /// So many numbers before it is written (1 KiB) a line of such an array is announced: from memory
        /// that is a fifth to a half more of a copy's or a write's bandwidth, and it costs time in caches.
        const AHEAD: usize = 128;
        /// Vectors that are summed independently of each other.
        const SUMS: usize = 8;

        $(#[$features])*
        fn read(numbers: &[f64]) -> f64 {
            let mut sums = [splat(0.0); SUMS];
            let mut steps = numbers.chunks_exact(SUMS * LANES);
            for step in &mut steps {
                for (lane, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: a step is eight vectors long.
                    *sum = plus(*sum, unsafe { load(step.as_ptr().add(lane * LANES)) });
                }
            }
            let [s0, s1, s2, s3, s4, s5, s6, s7] = sums;
            let total = plus(
                plus(plus(s0, s1), plus(s2, s3)),
                plus(plus(s4, s5), plus(s6, s7)),
            );
            sum(total) + steps.remainder().iter().sum::<f64>()
        }

        /// The vector that belongs at `b` and `c`.
        ///
        /// # Safety
        /// Those of `b` and `c` that the kernel needs have a vector to read.
        #[inline]
        $(#[$features])*
        unsafe fn vector<const KERNEL: u8>(b: *const f64, c: *const f64) -> Vector {
            const WRITE: u8 = Kernel::Write as u8;
            const SCALE: u8 = Kernel::Scale as u8;
            const ADD: u8 = Kernel::Add as u8;
            const TRIAD: u8 = Kernel::Triad as u8;
            // SAFETY: the caller's.
            unsafe {
                match KERNEL {
                    WRITE => splat(WRITTEN),
                    SCALE => times(splat(FACTOR), load(b)),
                    ADD => plus(load(b), load(c)),
                    TRIAD => plus(load(b), times(splat(FACTOR), load(c))),
                    _ => load(b),
                }
            }
        }

        $(#[$features])*
        fn write<const KERNEL: u8, const NT: bool, const FROM_FAR: bool>(kernel: Kernel, arrays: &mut Arrays<'_>) {
            let Arrays { a, b, c } = arrays;
            let len = a.len();
            let needs = (kernel != Kernel::Write, kernel.moved() == 3);
            assert!(
                (!needs.0 || b.len() == len) && (!needs.1 || c.len() == len),
                "b and c must be as long as a"
            );
            let of = |i: usize| {
                let at = |array: &[f64], needed: bool| if needed { array[i] } else { 0.0 };
                value(kernel, at(b, needs.0), at(c, needs.1))
            };
            // Numbers before the first whole cache line.
            let lead = a.as_ptr().align_offset(64).min(len);
            let steps_end = lead + (len - lead) / STEP * STEP;
            for i in 0..lead {
                a[i] = of(i);
            }
            let (to, b, c) = (a.as_mut_ptr(), b.as_ptr(), c.as_ptr());
            let mut i = lead;
            while i < steps_end {
                // SAFETY: a line of vectors from `i` on is inside of `a`, and of those of `b` and `c` that
                // are as long, as was asserted; `to + i` is a multiple of 64 bytes because `lead` made
                // it one and a step is one. What is announced may be beyond the end: it is not accessed.
                unsafe {
                    if FROM_FAR && !NT {
                        announce(to.wrapping_add(i + AHEAD));
                    }
                    let mut line = [splat(0.0); VECTORS];
                    for (index, part) in line.iter_mut().enumerate() {
                        let at = i + index * LANES;
                        *part = vector::<KERNEL>(b.wrapping_add(at), c.wrapping_add(at));
                    }
                    if NT {
                        stream(to.add(i), line);
                    } else {
                        store(to.add(i), line);
                    }
                }
                i += STEP;
            }
            if NT {
                fence();
            }
            for i in steps_end..len {
                a[i] = of(i);
            }
        }

        #[allow(unused_unsafe, reason = "where the features are always there")]
        fn read_pass(arrays: &mut Arrays<'_>) -> f64 {
            // SAFETY: `find` gives it out only where the processor has the features.
            unsafe {
                read(arrays.b)
            }
        }

        macro_rules! storing {
            ($kernel:ident, $nt:expr) => {
                |arrays| {
                    // SAFETY: `find` gives it out only where the processor has the features.
                    unsafe {
                        if arrays.a.len() < FAR {
                            write::<{ Kernel::$kernel as u8 }, $nt, false>(Kernel::$kernel, arrays);
                        } else {
                            write::<{ Kernel::$kernel as u8 }, $nt, true>(Kernel::$kernel, arrays);
                        }
                    }
                    0.0
                }
            };
        }

        /// The pass of a kernel. The caller has found that the processor has the features.
        #[allow(unused_unsafe, reason = "where the features are always there")]
        pub(super) fn find(kernel: Kernel, nt: bool) -> Option<Pass> {
            if nt && !STREAMS {
                return None;
            }
            Some(match (kernel, nt) {
                (Kernel::Read, false) => read_pass,
                (Kernel::Write, false) => storing!(Write, false),
                (Kernel::Write, true) => storing!(Write, true),
                (Kernel::Copy, false) => storing!(Copy, false),
                (Kernel::Copy, true) => storing!(Copy, true),
                (Kernel::Scale, false) => storing!(Scale, false),
                (Kernel::Scale, true) => storing!(Scale, true),
                (Kernel::Add, false) => storing!(Add, false),
                (Kernel::Add, true) => storing!(Add, true),
                (Kernel::Triad, false) => storing!(Triad, false),
                (Kernel::Triad, true) => storing!(Triad, true),
                (Kernel::Read, true) | (Kernel::Chase, _) => return None,
            })
        }
    };
}
pub(super) use kernels;
