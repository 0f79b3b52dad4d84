//! A fixed piece of integer work, timed before and after the load: if the machine itself got slower
//! (frequency, a noisy neighbour), the canary shows it and the statistics cannot.

use std::hint::black_box;

use igen_job::event::Canary;

use crate::clock::{Clock, ns};

/// Multiplications in one unit of work, each waiting for the last.
const CHAIN: u64 = 10_000;

/// Spins for `length_s` on this thread.
pub(crate) fn spin(clock: &Clock, length_s: f64, after: bool) -> Canary {
    let begin_ns = clock.now_ns();
    let length_ns = ns(length_s);
    let mut spins = 0_u64;
    let mut state = 1_u64;
    loop {
        for _ in 0..CHAIN {
            state = black_box(state.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 1);
        }
        spins += 1;
        let spent_ns = clock.now_ns() - begin_ns;
        if spent_ns >= length_ns {
            let at_s = clock.now_s();
            return Canary {
                after,
                at_s,
                spins_per_s: spins as f64 / (spent_ns as f64 / 1e9),
            };
        }
    }
}
