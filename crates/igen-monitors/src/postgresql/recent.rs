//! Mean of the counters over the last second.
//!
//! A session reports what it did once a second at most. Sessions that began together report together, so the
//! counters grow in steps of a second, and whether a reading comes before or after a step is chance. The mean
//! over a second lies half a step behind, always.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::server::Totals;

const WINDOW: Duration = Duration::from_secs(1);

/// Counters of the last second.
#[derive(Debug, Default)]
pub(super) struct Recent {
    totals: VecDeque<(Instant, Totals)>,
}

impl Recent {
    /// Adds what was read at `now`, and forgets what is older than the window.
    pub(super) fn add(&mut self, now: Instant, totals: Totals) {
        self.totals.push_back((now, totals));
        while let Some((first, _)) = self.totals.front()
            && now.duration_since(*first) > WINDOW
        {
            self.totals.pop_front();
        }
    }

    /// Counters: the mean of those at the begin and at the end of each step of time, weighted by its
    /// length. Gauges: the last.
    pub(super) fn mean(&self) -> Totals {
        let Some((end, last)) = self.totals.back() else {
            return Totals::default();
        };
        let mut mean = last.clone();
        let Some((begin, first)) = self.totals.front().filter(|(begin, _)| begin < end) else {
            return mean;
        };
        let span_s = end.duration_since(*begin).as_secs_f64();
        for (name, value) in &mut mean.counters {
            let Some(base) = first.counters.get(name) else {
                continue;
            };
            // Growth since the first: a counter that stands still keeps its value to the last bit.
            let grown = |totals: &Totals| totals.counters.get(name).map(|value| value - base);
            let steps = self.totals.iter().zip(self.totals.iter().skip(1));
            let area: Option<f64> = steps
                .map(|((from, before), (to, after))| {
                    let length_s = to.duration_since(*from).as_secs_f64();
                    Some(length_s * (grown(before)? + grown(after)?) / 2.0)
                })
                .sum();
            if let Some(area) = area {
                *value = base + area / span_s;
            }
        }
        mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commits(value: f64) -> Totals {
        let mut totals = Totals::default();
        totals.count("commits", value);
        totals
    }

    #[test]
    fn steps_of_a_second_become_a_steady_growth() {
        // 100 a second, reported at whole seconds, looked at every 0.1 s from 0 s to 12 s.
        let start = Instant::now();
        for phase_ms in [0, 40, 90, 530] {
            let mut recent = Recent::default();
            let mut means = Vec::new();
            for tenth in 0..120_u32 {
                let at = Duration::from_millis(u64::from(tenth) * 100 + phase_ms);
                recent.add(start + at, commits(100.0 * at.as_secs() as f64));
                means.push(recent.mean().counters["commits"]);
            }
            for first in 15..20 {
                let grown = means[first + 100] - means[first];
                assert!((grown - 1000.0).abs() < 1e-6, "{phase_ms} ms: {grown}");
                let grown = means[first + 55] - means[first];
                assert!((grown - 550.0).abs() <= 6.0, "{phase_ms} ms: {grown}");
            }
        }
    }

    #[test]
    fn a_counter_that_stands_still_keeps_its_value() {
        let (start, mut recent) = (Instant::now(), Recent::default());
        for tenth in 0..10 {
            recent.add(start + Duration::from_millis(97 * tenth), commits(44_877.1));
        }
        assert_eq!(recent.mean(), commits(44_877.1));
    }

    #[test]
    fn one_value_is_its_own_mean() {
        let mut recent = Recent::default();
        assert_eq!(recent.mean(), Totals::default());
        recent.add(Instant::now(), commits(7.0));
        assert_eq!(recent.mean(), commits(7.0));
    }
}
