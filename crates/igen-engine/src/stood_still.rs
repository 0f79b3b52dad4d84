//! Time in which the load process itself stood still: stopped by a signal, frozen with its control group, or
//! paused with its virtual machine.
//!
//! A separate thread does nothing but sleep, many times a second. Time that it neither slept as planned, nor ran,
//! nor waited for a processor is time in which no thread of the process ran: users had answers to read and
//! transactions to start, and nobody did. Any other thread may also wait for a disk, a pipe or a device.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use igen_kernel::run_delay::{self, ThreadTimes};

const BEAT: Duration = Duration::from_millis(50);

/// The thread that watches.
pub(crate) struct Watch {
    /// Ends the thread when dropped.
    end: Sender<()>,
    thread: JoinHandle<Duration>,
}

impl Watch {
    /// Starts to watch; none if the thread cannot be started.
    pub(crate) fn start() -> Option<Self> {
        let (end, ended) = channel();
        let thread = std::thread::Builder::new()
            .name("igen-watch".to_owned())
            .spawn(move || watch(&ended))
            .ok()?;
        Some(Self { end, thread })
    }

    /// Ends it; returns the time in which the process stood still.
    pub(crate) fn end(self) -> Duration {
        drop(self.end);
        self.thread.join().unwrap_or_default()
    }
}

/// Adds up the time in which the process stood still, until `end` is called.
fn watch(ended: &Receiver<()>) -> Duration {
    let mut total = Duration::ZERO;
    let mut last = (Instant::now(), run_delay::of_this_thread());
    loop {
        let is_over = ended.recv_timeout(BEAT) != Err(RecvTimeoutError::Timeout);
        let now = (Instant::now(), run_delay::of_this_thread());
        if let (Some(before), Some(after)) = (last.1, now.1) {
            total += stood_still(now.0.duration_since(last.0), before, after);
        }
        if is_over {
            return total;
        }
        last = now;
    }
}

/// Returns the time of a beat that neither its sleep nor the thread's own times explain; 0 if that is less than a beat.
fn stood_still(took: Duration, before: ThreadTimes, after: ThreadTimes) -> Duration {
    let ran_ns = after.ran_ns.saturating_sub(before.ran_ns);
    let delay_ns = after.delay_ns.saturating_sub(before.delay_ns);
    let explained = BEAT + Duration::from_nanos(ran_ns + delay_ns);
    let stood = took.saturating_sub(explained);
    if stood >= BEAT { stood } else { Duration::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;
    const BEAT_NS: u64 = 50_000_000;

    #[test]
    fn who_waits_for_a_processor_does_not_stand_still() {
        let before = ThreadTimes {
            ran_ns: 5,
            delay_ns: 7,
        };
        for (late_ns, ran_ns, delay_ns, stood_ns) in [
            (SECOND_NS, 0, 0, SECOND_NS),
            (SECOND_NS, 0, SECOND_NS, 0),
            (SECOND_NS, 0, SECOND_NS / 4, SECOND_NS / 4 * 3),
            (SECOND_NS, SECOND_NS / 4, SECOND_NS / 4, SECOND_NS / 2),
            (SECOND_NS, 0, SECOND_NS - BEAT_NS / 2, 0),
            (BEAT_NS / 2, 0, 0, 0),
        ] {
            let after = ThreadTimes {
                ran_ns: before.ran_ns + ran_ns,
                delay_ns: before.delay_ns + delay_ns,
            };
            let stood = stood_still(BEAT + Duration::from_nanos(late_ns), before, after);
            assert_eq!(
                stood,
                Duration::from_nanos(stood_ns),
                "{late_ns} {ran_ns} {delay_ns}"
            );
        }
    }

    #[test]
    fn a_watch_ends_at_once_when_told() {
        assert_eq!(Watch::start().map(Watch::end), Some(Duration::ZERO));
    }
}
