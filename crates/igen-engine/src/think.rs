//! The think times of one user: pure arithmetic, seeded.

use igen_job::{ThinkTime, TimeDistribution};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

use crate::arrivals::{exponential, uniform};
use crate::clock::ns;

/// Apart from the seeds of a workload's own choices, which come from the user's seed as well.
const STREAM: u64 = 0x7468_696e_6b73;

/// Draws the think times of one user.
#[derive(Debug, Clone)]
pub struct Think {
    time: ThinkTime,
    random: SplitMix64,
}

impl Think {
    /// Think times of the user with this seed.
    #[must_use]
    pub fn new(time: ThinkTime, user_seed: u64) -> Self {
        Self {
            time,
            random: SplitMix64::seed_from_u64(user_seed ^ STREAM),
        }
    }

    /// The next think time.
    pub fn draw_ns(&mut self) -> u64 {
        draw_ns(self.time, &mut self.random)
    }

    /// What is left of the think time in which the load meets a user that has been thinking and working
    /// for ever, so that users do not march in step from the begin: the residual life of a renewal
    /// process, a random part of a think time of which longer ones are met more often.
    pub fn first_ns(&mut self) -> u64 {
        let met_s = match self.time {
            ThinkTime::Fixed(time) => time.0,
            // Of density proportional to the time, by inversion.
            ThinkTime::Drawn(TimeDistribution::Uniform([low, high])) => {
                let (low, high) = (low.0 * low.0, high.0 * high.0);
                (low + (high - low) * uniform(&mut self.random)).sqrt()
            }
            // The exponential distribution has no memory.
            ThinkTime::Drawn(TimeDistribution::Exponential(_)) => return self.draw_ns(),
        };
        ns(met_s * uniform(&mut self.random))
    }
}

/// A think time.
pub fn draw_ns(time: ThinkTime, random: &mut impl Rng) -> u64 {
    ns(match time {
        ThinkTime::Fixed(time) => time.0,
        ThinkTime::Drawn(TimeDistribution::Uniform([low, high])) => {
            low.0 + (high.0 - low.0) * uniform(random)
        }
        ThinkTime::Drawn(TimeDistribution::Exponential(mean)) => mean.0 * exponential(random),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use igen_job::Seconds;

    const UNIFORM: ThinkTime =
        ThinkTime::Drawn(TimeDistribution::Uniform([Seconds(1.0), Seconds(3.0)]));
    const EXPONENTIAL: ThinkTime = ThinkTime::Drawn(TimeDistribution::Exponential(Seconds(2.0)));
    const FIXED: ThinkTime = ThinkTime::Fixed(Seconds(2.0));

    fn moments(draws: impl Iterator<Item = u64>) -> (f64, f64) {
        let draws: Vec<f64> = draws.take(100_000).map(|it| it as f64 / 1e9).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        (mean, variance.sqrt())
    }

    fn near(found: (f64, f64), truth: (f64, f64)) {
        assert!(
            (found.0 - truth.0).abs() < 0.02 && (found.1 - truth.1).abs() < 0.02,
            "{found:?} instead of {truth:?}"
        );
    }

    #[test]
    fn think_times_have_the_mean_and_spread_of_their_distribution() {
        for (time, mean, spread) in [
            (FIXED, 2.0, 0.0),
            (UNIFORM, 2.0, 2.0 / 12_f64.sqrt()),
            (EXPONENTIAL, 2.0, 2.0),
        ] {
            let mut think = Think::new(time, 1);
            near(
                moments(std::iter::from_fn(|| Some(think.draw_ns()))),
                (mean, spread),
            );
        }
    }

    /// The mean of a residual life is `E[x²] / 2 E[x]` (renewal theory).
    #[test]
    fn the_first_one_is_what_is_left_of_one_under_way() {
        for (time, mean) in [(FIXED, 1.0), (UNIFORM, 13.0 / 12.0), (EXPONENTIAL, 2.0)] {
            let first = (0..).map(|seed| Think::new(time, seed * 1_000_003).first_ns());
            let found = moments(first).0;
            assert!((found - mean).abs() < 0.02, "{time:?}: {found}, not {mean}");
        }
    }

    #[test]
    fn the_seed_decides() {
        let of = |seed| {
            let mut think = Think::new(EXPONENTIAL, seed);
            [think.draw_ns(), think.draw_ns()]
        };
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }
}
