//! The plan of an open load: when is each arrival due? Pure arithmetic, seeded.

use igen_job::Arrivals;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// An endless, growing sequence of moments in nanoseconds. A copy yields the same moments.
#[derive(Debug, Clone)]
pub struct Plan {
    begin_ns: u64,
    gap_ns: f64,
    /// Sum of the gaps so far, in gaps.
    gaps: f64,
    random: Option<Xoshiro256PlusPlus>,
}

impl Plan {
    /// Arrivals from `begin_ns` on, `rate_per_s` of them a second in the mean.
    #[must_use]
    pub fn new(begin_ns: u64, rate_per_s: f64, arrivals: Arrivals, seed: u64) -> Self {
        let random = match arrivals {
            Arrivals::Constant => None,
            Arrivals::Poisson => Some(Xoshiro256PlusPlus::seed_from_u64(seed)),
        };
        Self {
            begin_ns,
            gap_ns: 1e9 / rate_per_s,
            gaps: 0.0,
            random,
        }
    }
}

impl Iterator for Plan {
    type Item = u64;

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn next(&mut self) -> Option<u64> {
        if let Some(random) = &mut self.random {
            self.gaps += exponential(random);
        }
        let due_ns = self.begin_ns + (self.gaps * self.gap_ns) as u64;
        if self.random.is_none() {
            self.gaps += 1.0;
        }
        Some(due_ns)
    }
}

/// An exponentially distributed number with mean 1, by inversion.
pub fn exponential(random: &mut impl Rng) -> f64 {
    -(1.0 - uniform(random)).ln()
}

/// A number in [0, 1) with 53 random bits.
pub fn uniform(random: &mut impl Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_arrivals_do_not_drift() {
        let plan = Plan::new(5, 3.0, Arrivals::Constant, 1);
        let due: Vec<u64> = plan.take(4).collect();
        assert_eq!(due, [5, 333_333_338, 666_666_671, 1_000_000_005]);
        assert_eq!(
            Plan::new(0, 3.0, Arrivals::Constant, 1).nth(3_000_000),
            Some(1_000_000_000_000_000)
        );
    }

    #[test]
    fn poisson_arrivals_have_the_mean_and_the_spread_of_poisson() {
        let due: Vec<u64> = Plan::new(0, 1000.0, Arrivals::Poisson, 7)
            .take(100_000)
            .collect();
        let gaps: Vec<f64> = due.windows(2).map(|w| (w[1] - w[0]) as f64 / 1e6).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean - 1.0).abs() < 0.015, "{mean}");
        assert!((variance.sqrt() - 1.0).abs() < 0.02, "{variance}");
    }

    #[test]
    fn the_seed_decides() {
        let of = |seed| {
            Plan::new(0, 10.0, Arrivals::Poisson, seed)
                .take(5)
                .collect::<Vec<_>>()
        };
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }
}
