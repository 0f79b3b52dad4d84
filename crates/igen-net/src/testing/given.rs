//! Work on connections whose bytes are here already.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

#[cfg(feature = "testing")]
use crate::Stream;

/// Returns what a future over `Stream::given` returns. Panics if it waits.
pub fn now<T>(work: impl Future<Output = T>) -> T {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => unreachable!("every byte is here already"),
    }
}

/// Requests that a fuzz target sends at most for one input.
pub const MOST_REQUESTS: usize = 64;

/// Returns the low `bits` of the first byte, by which a fuzz target chooses its requests, and a connection to a server
/// that sends the other bytes. The rest of the first byte is the number of bytes for each read; 0 is all at once. `None`
/// without a first byte.
#[cfg(feature = "testing")]
#[must_use]
pub fn chosen(input: &[u8], bits: u32) -> Option<(u8, Stream)> {
    let (first, bytes) = input.split_first()?;
    let piece = match first >> bits {
        0 => usize::MAX,
        piece => piece.into(),
    };
    Some((first & !(u8::MAX << bits), Stream::given(bytes, piece)))
}
