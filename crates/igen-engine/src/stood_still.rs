//! Whether the load process itself stood still: stopped by a signal, frozen with its control group, or paused
//! with its virtual machine.
//!
//! The leader wakes many times a second. If it wakes late and was not waiting for a processor meanwhile, no
//! thread of the process ran: users had answers to read and transactions to start, and nobody did.

use igen_kernel::run_delay;

/// The leader wakes at least this often.
pub(crate) const BEAT_NS: u64 = 50_000_000;

/// Adds up the time in which the process stood still.
#[derive(Debug, Default)]
pub(crate) struct StoodStill {
    total_ns: u64,
    /// Time that the leader has waited for a processor, at the start of the beat.
    delay_ns: Option<u64>,
}

impl StoodStill {
    /// Forgets what was added up.
    pub(crate) fn reset(&mut self) {
        self.total_ns = 0;
    }

    /// Time stood still since the last reset.
    pub(crate) fn total_ns(&self) -> u64 {
        self.total_ns
    }

    /// The leader starts to wait.
    pub(crate) fn sleeps(&mut self) {
        self.delay_ns = run_delay::of_this_thread_ns();
    }

    /// The leader woke `late_ns` after it was to wake.
    pub(crate) fn wakes(&mut self, late_ns: u64) {
        if late_ns >= BEAT_NS {
            self.add(late_ns, self.delay_ns, run_delay::of_this_thread_ns());
        }
    }

    /// Adds a late wake-up, unless the kernel does not report delays or the leader waited for a processor.
    fn add(&mut self, late_ns: u64, before_ns: Option<u64>, after_ns: Option<u64>) {
        if let (Some(before_ns), Some(after_ns)) = (before_ns, after_ns) {
            let stood_ns = late_ns.saturating_sub(after_ns.saturating_sub(before_ns));
            self.total_ns += if stood_ns >= BEAT_NS { stood_ns } else { 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    #[test]
    fn who_waits_for_a_processor_does_not_stand_still() {
        for (late_ns, delay_ns, stood_ns) in [
            (SECOND_NS, Some(0), SECOND_NS),
            (SECOND_NS, Some(SECOND_NS), 0),
            (SECOND_NS, Some(SECOND_NS / 4), SECOND_NS / 4 * 3),
            (SECOND_NS, Some(SECOND_NS - BEAT_NS / 2), 0),
            (SECOND_NS, None, 0),
        ] {
            let mut stood_still = StoodStill::default();
            stood_still.add(late_ns, Some(7), delay_ns.map(|delay_ns| 7 + delay_ns));
            assert_eq!(stood_still.total_ns(), stood_ns, "{late_ns} {delay_ns:?}");
        }
    }

    #[test]
    fn a_wake_up_in_time_is_none() {
        let mut stood_still = StoodStill::default();
        stood_still.sleeps();
        stood_still.wakes(BEAT_NS - 1);
        assert_eq!(stood_still.total_ns(), 0);
    }
}
