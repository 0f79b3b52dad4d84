//! Processor time that a page costs.

use std::hint::black_box;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use sha2::{Digest, Sha256};

/// Hashed between two looks at the clock: a few microseconds.
const BLOCK: [u8; 4096] = [0x5a; 4096];

/// Uses processor time of this thread, by its own clock.
///
/// A fixed number of rounds would take another time on each machine and beside each neighbour. So it is a
/// known truth: a tier must be found to use this much for each page, on whichever machine. What it does not
/// do is to tell a fast machine from a slow one.
pub fn burn(time: Duration) {
    if time.is_zero() {
        return;
    }
    let end = now() + time;
    while now() < end {
        black_box(Sha256::digest(black_box(BLOCK)));
    }
}

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_much_processor_time_is_used() {
        let before = now();
        burn(Duration::from_millis(20));
        // By the thread's own clock: how long it takes by another one does not matter.
        assert!(now().saturating_sub(before) >= Duration::from_millis(20));
        let before = now();
        burn(Duration::ZERO);
        assert!(now().saturating_sub(before) < Duration::from_millis(20));
    }
}
