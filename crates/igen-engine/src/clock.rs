//! The engine's clock: nanoseconds since the agent's start.
//!
//! Reading it is the largest cost of a transaction that does nothing, so it is the processor's time
//! stamp counter where that is invariant (through `quanta`, which calibrates it in under a
//! millisecond) and checked against the operating system's clock; else the system's clock.

use std::time::Instant;

use crate::alarm::Alarm;

/// Most by which the time stamp counter may differ from the system's clock.
const MAX_DRIFT_PPM: f64 = 500.0;
/// The two clocks must have run for so long before they can be compared.
const COMPARABLE_NS: u64 = 2_000_000;

/// A monotonic clock; copies read the same time.
#[derive(Clone)]
pub struct Clock {
    source: Source,
    system_origin: Instant,
}

#[derive(Clone)]
enum Source {
    Tsc {
        counter: quanta::Clock,
        origin: u64,
    },
    System,
    #[cfg(feature = "paused-clock")]
    Paused {
        origin: tokio::time::Instant,
    },
}

impl Clock {
    /// Starts at 0 now.
    #[must_use]
    pub fn start() -> Self {
        let counter = tsc_is_invariant().then(quanta::Clock::new);
        let system_origin = Instant::now();
        let source = counter.map_or(Source::System, |counter| Source::Tsc {
            origin: counter.raw(),
            counter,
        });
        Self {
            source,
            system_origin,
        }
    }

    /// The clock of a paused tokio runtime, for tests of the engine.
    #[cfg(feature = "paused-clock")]
    #[must_use]
    pub fn paused() -> Self {
        Self {
            source: Source::Paused {
                origin: tokio::time::Instant::now(),
            },
            system_origin: Instant::now(),
        }
    }

    /// Nanoseconds since the start.
    #[inline]
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        match &self.source {
            Source::Tsc { counter, origin } => counter.delta_as_nanos(*origin, counter.raw()),
            Source::System => nanoseconds(self.system_origin.elapsed()),
            #[cfg(feature = "paused-clock")]
            Source::Paused { origin } => nanoseconds(origin.elapsed()),
        }
    }

    /// Seconds since the start.
    #[must_use]
    pub fn now_s(&self) -> f64 {
        seconds(self.now_ns())
    }

    /// An alarm that rings by this clock.
    pub(crate) fn alarm(&self) -> std::io::Result<Alarm> {
        match self.source {
            Source::Tsc { .. } | Source::System => Alarm::timerfd(),
            #[cfg(feature = "paused-clock")]
            Source::Paused { .. } => Ok(Alarm::Paused(tokio::sync::watch::Sender::new(None))),
        }
    }

    /// `tsc`, `system` or `paused`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.source {
            Source::Tsc { .. } => "tsc",
            Source::System => "system",
            #[cfg(feature = "paused-clock")]
            Source::Paused { .. } => "paused",
        }
    }

    /// How much faster this clock runs than the operating system's, in millionths, since the start.
    #[must_use]
    pub fn drift_ppm(&self) -> f64 {
        let Source::Tsc { .. } = self.source else {
            return 0.0;
        };
        let before_ns = nanoseconds(self.system_origin.elapsed());
        let now_ns = self.now_ns();
        let after_ns = nanoseconds(self.system_origin.elapsed());
        // Between the two readings of the system's clock there is no telling, however long that is.
        let system_ns = now_ns.clamp(before_ns, after_ns);
        (now_ns as f64 - system_ns as f64) / system_ns as f64 * 1e6
    }

    /// Falls back to the system's clock when the time stamp counter disagrees with it. Call before
    /// anything is timed; spins until the clocks are 2 ms old.
    #[must_use]
    pub fn checked(self) -> Self {
        while nanoseconds(self.system_origin.elapsed()) < COMPARABLE_NS {
            std::hint::spin_loop();
        }
        if self.drift_ppm().abs() <= MAX_DRIFT_PPM {
            return self;
        }
        Self {
            source: Source::System,
            ..self
        }
    }
}

/// Seconds of a time in nanoseconds.
#[must_use]
pub fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Nanoseconds of a time in seconds; negative times are 0.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn ns(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

fn nanoseconds(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Linux itself times by the counter exactly where it found it invariant and stable.
fn tsc_is_invariant() -> bool {
    cfg!(target_arch = "x86_64")
        && std::fs::read_to_string(
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
        )
        .is_ok_and(|source| source.trim() == "tsc")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_never_runs_backwards() {
        let clock = Clock::start().checked();
        let mut last = 0;
        for _ in 0..100_000 {
            let now = clock.now_ns();
            assert!(now >= last);
            last = now;
        }
    }

    #[test]
    fn a_clock_that_disagrees_with_the_system_is_replaced() {
        let mut clock = Clock::start();
        if let Source::Tsc { origin, .. } = &mut clock.source {
            *origin -= 1_000_000_000; // ticks
        }
        assert_eq!(clock.checked().name(), "system");
    }
}
