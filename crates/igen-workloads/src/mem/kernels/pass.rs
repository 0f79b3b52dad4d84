//! What a pass is, in whichever width.

use super::super::params::Kernel;

/// What `scale` and `triad` multiply with.
pub(super) const FACTOR: f64 = 3.0;
/// What `write` stores in each byte, so that routines that fill bytes do the same work.
pub(super) const WRITTEN_BYTE: u8 = 0x40;
/// The number that `write` stores.
pub(super) const WRITTEN: f64 = f64::from_ne_bytes([WRITTEN_BYTE; 8]);

/// The arrays of a pass: `a` is written from `b` and `c`, `b` is what `read` reads.
pub(in super::super) struct Arrays<'memory> {
    pub(in super::super) a: &'memory mut [f64],
    pub(in super::super) b: &'memory [f64],
    pub(in super::super) c: &'memory [f64],
}

/// One pass; returns the sum of what `read` has read, else 0. Panics where `b` or `c` that it needs
/// is not as long as `a`.
pub(in super::super) type Pass = fn(&mut Arrays<'_>) -> f64;

/// What a storing kernel leaves in `a`.
pub(in super::super) fn value(kernel: Kernel, b: f64, c: f64) -> f64 {
    match kernel {
        Kernel::Write => WRITTEN,
        Kernel::Scale => FACTOR * b,
        Kernel::Add => b + c,
        Kernel::Triad => b + FACTOR * c,
        Kernel::Read | Kernel::Copy | Kernel::Chase => b,
    }
}
