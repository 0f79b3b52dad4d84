//! The kernel's perf events, for the tools that count.

mod counter;
mod event;

pub(crate) use counter::{Counter, Of, Reading, Within};
pub(crate) use event::{Event, Source};

/// Share of the time that may be unknown at most: beyond it the sum is not known.
const MUCH_UNSEEN: f64 = 0.01;

/// Counts of one event by several counters together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sum {
    /// Scaled up where events shared counters; None where it is not known, as counters were to count and never did.
    pub(crate) count: Option<f64>,
    /// The least share of the time in which one of the counters counted, 0 to 1; 1 where nothing was to be counted.
    pub(crate) counted: f64,
}

impl Sum {
    /// What all of them have read. One that was never wanted, such as that of a thread that slept, says nothing.
    pub(crate) fn of(readings: impl IntoIterator<Item = Reading>) -> Self {
        let (mut count, mut counted) = (0.0, 1.0_f64);
        let (mut wanted_ns, mut unseen_ns) = (0.0, 0.0);
        for reading in readings {
            count += reading.count;
            wanted_ns += reading.wanted_ns as f64;
            if reading.counted_ns == 0 {
                unseen_ns += reading.wanted_ns as f64;
            } else {
                counted = counted.min(reading.counted_ns as f64 / reading.wanted_ns.max(1) as f64);
            }
        }
        Self {
            count: (unseen_ns <= MUCH_UNSEEN * wanted_ns).then_some(count),
            counted,
        }
    }
}

/// What is to be said of events that shared the counters of the processor; nothing where they did not.
pub(crate) fn turns(counted: f64) -> Option<String> {
    (counted < 0.99).then(|| {
        format!(
            "the counters were shared between events: one was counted only {} % of the time and scaled up",
            crate::show::short(100.0 * counted)
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]

    use super::*;

    #[test]
    fn a_sum_tells_the_rarest_counter_that_was_wanted() {
        let reading = |count, wanted_ns, counted_ns| Reading {
            count,
            wanted_ns,
            counted_ns,
        };
        let sum = Sum::of([
            reading(10.0, 100, 100),
            reading(5.0, 100, 25),
            Reading::default(),
        ]);
        assert_eq!((sum.count, sum.counted), (Some(15.0), 0.25));
        assert_eq!(
            turns(sum.counted).as_deref(),
            Some(
                "the counters were shared between events: one was counted only 25 % of the time and scaled up"
            )
        );
        let none = Sum::of([]);
        assert_eq!((none.count, none.counted), (Some(0.0), 1.0));
        // What was to be counted and never was is not 0; of a short thread it does not matter.
        assert_eq!(Sum::of([reading(0.0, 100, 0)]).count, None);
        assert_eq!(
            Sum::of([reading(10.0, 90, 90), reading(0.0, 10, 0)]).count,
            None
        );
        let short = Sum::of([reading(10.0, 1000, 1000), reading(0.0, 5, 0)]);
        assert_eq!((short.count, short.counted), (Some(10.0), 1.0));
        assert_eq!(turns(1.0), None);
    }
}
