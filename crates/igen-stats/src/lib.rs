//! Pure values: the histogram of times, its single-writer live form and its encoding.

#![forbid(unsafe_code)]

pub mod bucket;
pub mod hdr;
pub mod histogram;
pub mod live;

pub use histogram::Histogram;
pub use live::{LiveHistogram, LiveHistograms};
