//! Waking in time: an alarm of the operating system rings late, so it is set early, and an idle thread spins for
//! the rest.

use std::cell::Cell;
use std::sync::Arc;

use crate::clock::Clock;
use crate::thread_statistics::ThreadStatistics;

/// Longest time by which an alarm is set early. Later wake-ups mean a busy machine, and spinning does not help there.
const MOST_LEAD_NS: u64 = 1_000_000;
/// Each wake-up reduces the lead by this fraction (1 / 128): by half after 89 wake-ups.
const LEAD_PARTS: u64 = 128;

/// The lead of one thread's alarm, and the time that the thread has spun.
pub(crate) struct Punctual {
    statistics: Arc<ThreadStatistics>,
    lead: Lead,
    rounds: Rounds,
}

impl Punctual {
    /// Adds the time that it spins to the statistics of this thread.
    pub(crate) fn new(statistics: Arc<ThreadStatistics>) -> Self {
        Self {
            statistics,
            lead: Lead::default(),
            rounds: Rounds::default(),
        }
    }

    /// Time by which the alarm is set early.
    pub(crate) fn lead_ns(&self) -> u64 {
        self.lead.0.get()
    }

    /// The thread woke `late_ns` after its alarm was to ring.
    pub(crate) fn woke(&self, late_ns: u64) {
        self.lead.woke(late_ns);
    }

    /// Sleepers were woken.
    pub(crate) fn served(&self) {
        self.lead.fades();
    }

    /// Lets whatever else is ready on this thread run, and answers be read.
    pub(crate) async fn spin_once(&self, clock: &Clock) {
        let start_ns = clock.now_ns();
        tokio::task::yield_now().await;
        let round_ns = clock.now_ns().saturating_sub(start_ns);
        self.statistics.spun(self.rounds.idle_ns(round_ns));
    }
}

/// The largest latency of a wake-up so far, slowly forgotten.
#[derive(Default)]
struct Lead(Cell<u64>);

impl Lead {
    fn woke(&self, late_ns: u64) {
        self.0.set(self.0.get().max(late_ns).min(MOST_LEAD_NS));
    }

    fn fades(&self) {
        let lead_ns = self.0.get();
        self.0.set(lead_ns - lead_ns.div_ceil(LEAD_PARTS));
    }
}

/// The rounds of a spinning thread. A round in which nothing was to be done takes the shortest time of all; what
/// a longer round took beyond that may have been work.
struct Rounds(Cell<u64>);

impl Default for Rounds {
    fn default() -> Self {
        Self(Cell::new(u64::MAX))
    }
}

impl Rounds {
    /// Time of a round that was certainly spent spinning.
    fn idle_ns(&self, round_ns: u64) -> u64 {
        self.0.set(self.0.get().min(round_ns));
        self.0.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lead_is_the_largest_latency_and_bounded() {
        let lead = Lead::default();
        for (late_ns, lead_ns) in [
            (60_000, 60_000),
            (20_000, 60_000),
            (269_000, 269_000),
            (20_000_000, MOST_LEAD_NS),
        ] {
            lead.woke(late_ns);
            assert_eq!(lead.0.get(), lead_ns);
        }
    }

    #[test]
    fn a_latency_that_does_not_come_again_is_forgotten() {
        let lead = Lead::default();
        lead.woke(MOST_LEAD_NS);
        let after = |wakes| {
            (0..wakes).for_each(|_| lead.fades());
            lead.0.get()
        };
        assert!((MOST_LEAD_NS / 10 * 9..MOST_LEAD_NS).contains(&after(10)));
        assert!(after(10_000) == 0);
    }

    #[test]
    fn work_that_was_done_while_spinning_is_not_counted() {
        let rounds = Rounds::default();
        let idle: Vec<u64> = [900, 50_000, 700, 1_000_000, 800]
            .map(|round_ns| rounds.idle_ns(round_ns))
            .to_vec();
        assert_eq!(idle, [900, 900, 700, 700, 700]);
    }
}
