//! An I/O that has ended.

use std::io::Result;

/// An I/O that has ended: whose, and how many bytes it moved.
pub struct Completion {
    /// As it was started.
    pub slot: usize,
    /// Bytes.
    pub result: Result<usize>,
}
