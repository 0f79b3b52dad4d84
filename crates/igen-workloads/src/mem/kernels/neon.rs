//! NEON: 16 bytes an instruction, on 64-bit ARM, where it is always there.

#![allow(unsafe_code)]

use std::arch::aarch64::{
    float64x2_t, vaddq_f64, vaddvq_f64, vdupq_n_f64, vld1q_f64, vmulq_f64, vst1q_f64,
};
use std::arch::asm;

use super::vectors::kernels;

type Vector = float64x2_t;
const LANES: usize = 2;
const STREAMS: bool = true;

/// # Safety
/// There is a vector to read.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn load(from: *const f64) -> Vector {
    // SAFETY: the caller's; any alignment will do.
    unsafe { vld1q_f64(from) }
}

/// # Safety
/// There is room for a cache line.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn store(to: *mut f64, vectors: [Vector; VECTORS]) {
    for (index, vector) in vectors.into_iter().enumerate() {
        // SAFETY: the caller's; any alignment will do.
        unsafe { vst1q_f64(to.add(index * LANES), vector) };
    }
}

/// Pairs of vectors with the hint that they will not be read soon.
///
/// # Safety
/// There is room for a cache line.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn stream(to: *mut f64, [v0, v1, v2, v3]: [Vector; VECTORS]) {
    // SAFETY: the caller's; the instructions write these 64 bytes and nothing else.
    unsafe {
        asm!(
            "stnp {v0:q}, {v1:q}, [{to}]",
            "stnp {v2:q}, {v3:q}, [{to}, #32]",
            to = in(reg) to,
            v0 = in(vreg) v0,
            v1 = in(vreg) v1,
            v2 = in(vreg) v2,
            v3 = in(vreg) v3,
            options(nostack, preserves_flags),
        );
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn splat(number: f64) -> Vector {
    vdupq_n_f64(number)
}

#[inline]
#[target_feature(enable = "neon")]
fn plus(one: Vector, other: Vector) -> Vector {
    vaddq_f64(one, other)
}

#[inline]
#[target_feature(enable = "neon")]
fn times(one: Vector, other: Vector) -> Vector {
    vmulq_f64(one, other)
}

#[inline]
#[target_feature(enable = "neon")]
fn sum(vector: Vector) -> f64 {
    vaddvq_f64(vector)
}

#[inline]
#[target_feature(enable = "neon")]
fn announce(line: *const f64) {
    // SAFETY: a hint, which accesses nothing.
    unsafe {
        asm!("prfm pstl1keep, [{line}]", line = in(reg) line, options(nostack, preserves_flags));
    }
}

/// The stores are ordered for their own thread, which is the only one that reads them.
fn fence() {}

kernels!(#[target_feature(enable = "neon")]);
