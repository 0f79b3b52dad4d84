//! 8 bytes an instruction, on any processor. Volatile, so that the compiler makes no vectors of them.

#![allow(unsafe_code)]

use super::vectors::kernels;

type Vector = f64;
const LANES: usize = 1;
/// True if there is a non-temporal store of 8 bytes.
const STREAMS: bool = cfg!(target_arch = "x86_64");

/// # Safety
/// There is a number to read.
#[inline]
unsafe fn load(from: *const f64) -> Vector {
    // SAFETY: the caller's.
    unsafe { from.read_volatile() }
}

/// # Safety
/// There is room for a cache line.
#[inline]
unsafe fn store(to: *mut f64, numbers: [Vector; VECTORS]) {
    for (lane, number) in numbers.into_iter().enumerate() {
        // SAFETY: the caller's.
        unsafe { to.add(lane).write_volatile(number) }
    }
}

/// # Safety
/// There is room for a cache line.
#[inline]
unsafe fn stream(to: *mut f64, numbers: [Vector; VECTORS]) {
    #[cfg(target_arch = "x86_64")]
    for (lane, number) in numbers.into_iter().enumerate() {
        // SAFETY: the caller's.
        unsafe {
            std::arch::x86_64::_mm_stream_si64(to.add(lane).cast(), number.to_bits().cast_signed());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: the caller's.
    unsafe {
        store(to, numbers);
    }
}

fn splat(number: f64) -> Vector {
    number
}

fn plus(one: Vector, other: Vector) -> Vector {
    one + other
}

fn times(one: Vector, other: Vector) -> Vector {
    one * other
}

fn sum(numbers: Vector) -> f64 {
    numbers
}

fn announce(line: *const f64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, which accesses nothing.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_ET0>(line.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this architecture has it.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

kernels!();
