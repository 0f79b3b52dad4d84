//! The processor's string instructions.

#![allow(unsafe_code)]

use std::arch::asm;

use super::super::params::Kernel;
use super::pass::{Pass, WRITTEN_BYTE};

pub(super) fn find(kernel: Kernel) -> Option<Pass> {
    match kernel {
        Kernel::Write => Some(|arrays| {
            // SAFETY: writes the bytes of `a`; the direction flag is clear by the ABI.
            unsafe {
                asm!(
                    "rep stosb",
                    inout("rcx") size_of_val(arrays.a) => _,
                    inout("rdi") arrays.a.as_mut_ptr() => _,
                    in("al") WRITTEN_BYTE,
                    options(nostack, preserves_flags),
                );
            }
            0.0
        }),
        Kernel::Copy => Some(|arrays| {
            assert_eq!(arrays.a.len(), arrays.b.len(), "b must be as long as a");
            // SAFETY: reads the bytes of `b` and writes as many of `a`, which is another slice; the
            // direction flag is clear by the ABI.
            unsafe {
                asm!(
                    "rep movsb",
                    inout("rcx") size_of_val(arrays.a) => _,
                    inout("rdi") arrays.a.as_mut_ptr() => _,
                    inout("rsi") arrays.b.as_ptr() => _,
                    options(nostack, preserves_flags),
                );
            }
            0.0
        }),
        _ => None,
    }
}
