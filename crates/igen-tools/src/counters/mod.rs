//! The kernel's perf events, for the tools that count.

mod counter;
mod event;

pub(crate) use counter::{Counter, Of, Reading, Within};
pub(crate) use event::{Event, Source};

/// Counts of one event by several counters together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sum {
    /// Scaled up where events shared counters.
    pub(crate) count: f64,
    /// The least share of the time in which one of the counters counted, 0 to 1; 1 where nothing was to be counted.
    pub(crate) counted: f64,
}

impl Sum {
    /// What all of them have read. One that was never wanted, such as that of a thread that slept, says nothing.
    pub(crate) fn of(readings: impl IntoIterator<Item = Reading>) -> Self {
        let none = Self {
            count: 0.0,
            counted: 1.0,
        };
        readings.into_iter().fold(none, |sum, reading| Self {
            count: sum.count + reading.count,
            counted: if reading.counted > 0.0 {
                sum.counted.min(reading.counted)
            } else {
                sum.counted
            },
        })
    }
}

/// What is to be said of events that shared the counters of the processor; nothing where they did not.
pub(crate) fn turns(counted: f64) -> Option<String> {
    (counted < 0.99).then(|| {
        format!(
            "events took turns: the rarest was counted {} % of the time, and scaled up",
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
        let reading = |count, counted| Reading { count, counted };
        let sum = Sum::of([reading(10.0, 1.0), reading(5.0, 0.25), Reading::default()]);
        assert_eq!((sum.count, sum.counted), (15.0, 0.25));
        assert_eq!(
            turns(sum.counted).as_deref(),
            Some("events took turns: the rarest was counted 25 % of the time, and scaled up")
        );
        assert_eq!(Sum::of([]).counted, 1.0);
        assert_eq!(turns(1.0), None);
    }
}
