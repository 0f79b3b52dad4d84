//! The plan of an open load: when is each arrival due? Pure arithmetic, seeded.

use igen_job::{Arrivals, Share};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Apart from the seed of the gaps.
const DEAL: u64 = 0x6465_616c;

/// An endless, growing sequence of moments in nanoseconds. A copy yields the same moments. The plans of all
/// shares together are the plan of the whole job: constant arrivals go to the agents in turn, random
/// ones to an agent drawn for each, so that those of one agent are random as well (a thinned Poisson
/// process). Each agent therefore plans the arrivals of all.
#[derive(Debug, Clone)]
pub struct Plan {
    begin_ns: u64,
    gap_ns: f64,
    /// Sum of the gaps so far, in gaps.
    gaps: f64,
    share: Share,
    random: Option<Random>,
}

#[derive(Debug, Clone)]
struct Random {
    gap: Xoshiro256PlusPlus,
    agent: Xoshiro256PlusPlus,
}

impl Plan {
    /// The `share` of arrivals from `begin_ns` on, `rate_per_s` of them a second in the mean.
    #[must_use]
    pub fn new(
        begin_ns: u64,
        rate_per_s: f64,
        arrivals: Arrivals,
        seed: u64,
        share: Share,
    ) -> Self {
        let (gaps, random) = match arrivals {
            Arrivals::Constant => (f64::from(share.index), None),
            Arrivals::Poisson => (
                0.0,
                Some(Random {
                    gap: Xoshiro256PlusPlus::seed_from_u64(seed),
                    agent: Xoshiro256PlusPlus::seed_from_u64(seed ^ DEAL),
                }),
            ),
        };
        Self {
            begin_ns,
            gap_ns: 1e9 / rate_per_s,
            gaps,
            share,
            random,
        }
    }
}

impl Iterator for Plan {
    type Item = u64;

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn next(&mut self) -> Option<u64> {
        let agents = self.share.of.get();
        if let Some(random) = &mut self.random {
            loop {
                self.gaps += exponential(&mut random.gap);
                if agents == 1
                    || random.agent.next_u64() % u64::from(agents) == u64::from(self.share.index)
                {
                    break;
                }
            }
        }
        let due_ns = self.begin_ns + (self.gaps * self.gap_ns) as u64;
        if self.random.is_none() {
            self.gaps += f64::from(agents);
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
    use std::num::NonZeroU32;

    #[test]
    fn constant_arrivals_do_not_drift() {
        let plan = Plan::new(5, 3.0, Arrivals::Constant, 1, Share::WHOLE);
        let due: Vec<u64> = plan.take(4).collect();
        assert_eq!(due, [5, 333_333_338, 666_666_671, 1_000_000_005]);
        assert_eq!(
            Plan::new(0, 3.0, Arrivals::Constant, 1, Share::WHOLE).nth(3_000_000),
            Some(1_000_000_000_000_000)
        );
    }

    fn shares(arrivals: Arrivals, agents: u32) -> Vec<Vec<u64>> {
        let of = NonZeroU32::new(agents).unwrap_or(NonZeroU32::MIN);
        (0..agents)
            .map(|index| {
                Plan::new(9, 1000.0, arrivals, 7, Share { index, of })
                    .take_while(|due| *due < 60_000_000_000)
                    .collect()
            })
            .collect()
    }

    #[test]
    fn the_plans_of_all_agents_together_are_the_plan_of_one() {
        for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
            let whole = shares(arrivals, 1).concat();
            for agents in [2, 3, 10] {
                let mut together = shares(arrivals, agents).concat();
                together.sort_unstable();
                assert_eq!(together, whole, "{arrivals:?} by {agents}");
            }
        }
    }

    /// Poisson again, with the agent's part of the rate; independent of the others, so that no agent
    /// takes turns with another.
    #[test]
    fn random_arrivals_of_one_agent_are_random_and_constant_ones_even() {
        for each in shares(Arrivals::Poisson, 3) {
            let gaps: Vec<f64> = each
                .windows(2)
                .map(|w| (w[1] - w[0]) as f64 / 3e6)
                .collect();
            let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
            let variance = gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
            assert!((mean - 1.0).abs() < 0.03, "{mean}");
            assert!((variance.sqrt() - 1.0).abs() < 0.04, "{variance}");
        }
        for each in shares(Arrivals::Constant, 3) {
            assert_eq!(each.len(), 20_000);
            assert!(each.windows(2).all(|w| w[1] - w[0] == 3_000_000));
        }
    }

    #[test]
    fn poisson_arrivals_have_the_mean_and_the_spread_of_poisson() {
        let due: Vec<u64> = Plan::new(0, 1000.0, Arrivals::Poisson, 7, Share::WHOLE)
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
            Plan::new(0, 10.0, Arrivals::Poisson, seed, Share::WHOLE)
                .take(5)
                .collect::<Vec<_>>()
        };
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }
}
