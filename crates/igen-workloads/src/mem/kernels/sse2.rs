//! SSE2: 16 bytes an instruction.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128d, _MM_HINT_ET0, _mm_add_pd, _mm_add_sd, _mm_cvtsd_f64, _mm_loadu_pd, _mm_mul_pd,
    _mm_prefetch, _mm_set1_pd, _mm_sfence, _mm_storeu_pd, _mm_stream_pd, _mm_unpackhi_pd,
};

use super::vectors::kernels;

type Vector = __m128d;
const LANES: usize = 2;
const STREAMS: bool = true;

/// # Safety
/// There is a vector to read.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn load(from: *const f64) -> Vector {
    // SAFETY: the caller's; any alignment will do.
    unsafe { _mm_loadu_pd(from) }
}

/// # Safety
/// There is room for a cache line.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn store(to: *mut f64, vectors: [Vector; VECTORS]) {
    for (index, vector) in vectors.into_iter().enumerate() {
        // SAFETY: the caller's; any alignment will do.
        unsafe { _mm_storeu_pd(to.add(index * LANES), vector) };
    }
}

/// # Safety
/// There is room for a cache line, at a multiple of 64 bytes.
#[inline]
#[target_feature(enable = "sse2")]
unsafe fn stream(to: *mut f64, vectors: [Vector; VECTORS]) {
    for (index, vector) in vectors.into_iter().enumerate() {
        // SAFETY: the caller's; a vector's length divides 64 bytes, so each is aligned.
        unsafe { _mm_stream_pd(to.add(index * LANES), vector) };
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn splat(number: f64) -> Vector {
    _mm_set1_pd(number)
}

#[inline]
#[target_feature(enable = "sse2")]
fn plus(one: Vector, other: Vector) -> Vector {
    _mm_add_pd(one, other)
}

#[inline]
#[target_feature(enable = "sse2")]
fn times(one: Vector, other: Vector) -> Vector {
    _mm_mul_pd(one, other)
}

#[inline]
#[target_feature(enable = "sse2")]
fn sum(vector: Vector) -> f64 {
    _mm_cvtsd_f64(_mm_add_sd(vector, _mm_unpackhi_pd(vector, vector)))
}

#[inline]
#[target_feature(enable = "sse2")]
fn announce(line: *const f64) {
    _mm_prefetch::<_MM_HINT_ET0>(line.cast());
}

#[inline]
#[target_feature(enable = "sse2")]
fn fence() {
    _mm_sfence();
}

kernels!(#[target_feature(enable = "sse2")]);
