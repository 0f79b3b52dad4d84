//! Zipf's law without tables: rank k of n in proportion to k^-theta.

use igen_engine::arrivals::uniform;
use rand_core::Rng;

/// A prime: what is popular lies apart, and each place has one rank.
const SCATTER: u64 = 2_654_435_761;

/// Draws ranks by rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate
/// variates from monotone discrete distributions", ACM TOMACS 6(3), 1996): constant memory and
/// about one logarithm and one exponential a draw, whatever n.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Zipf {
    theta: f64,
    ranks: f64,
    /// The integral below the first rank, whose hat is its own probability.
    low: f64,
    high: f64,
    /// Draws this close to a rank are accepted without evaluating anything.
    squeeze: f64,
}

impl Zipf {
    /// Ranks 1 to `ranks`; `theta` above 0.
    pub(crate) fn new(ranks: u32, theta: f64) -> Self {
        let mut zipf = Self {
            theta,
            ranks: f64::from(ranks),
            low: 0.0,
            high: 0.0,
            squeeze: 0.0,
        };
        zipf.low = zipf.integral(1.5) - 1.0;
        zipf.high = zipf.integral(zipf.ranks + 0.5);
        zipf.squeeze = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.weight(2.0));
        zipf
    }

    /// A rank.
    pub(crate) fn draw(&self, random: &mut impl Rng) -> f64 {
        loop {
            let area = self.low + uniform(random) * (self.high - self.low);
            let point = self.inverse(area);
            let rank = point.round().clamp(1.0, self.ranks);
            if rank - point <= self.squeeze || area >= self.integral(rank + 0.5) - self.weight(rank)
            {
                return rank;
            }
        }
    }

    /// A place, from 0 to `ranks` - 1, of which popular ones lie apart.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(crate) fn place(&self, random: &mut impl Rng) -> u64 {
        (self.draw(random) as u64 - 1) * SCATTER % self.ranks as u64
    }

    fn weight(&self, x: f64) -> f64 {
        x.powf(-self.theta)
    }

    /// Integral of the weight from 1 to x.
    fn integral(&self, x: f64) -> f64 {
        let exponent = 1.0 - self.theta;
        if exponent.abs() < 1e-9 {
            x.ln()
        } else {
            (exponent * x.ln()).exp_m1() / exponent
        }
    }

    /// Inverse of `integral`.
    fn inverse(&self, area: f64) -> f64 {
        let exponent = 1.0 - self.theta;
        if exponent.abs() < 1e-9 {
            area.exp()
        } else {
            ((exponent * area).ln_1p() / exponent).exp()
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// Pearson's chi-square over all ranks against the exact probabilities.
    #[test]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn ranks_have_their_probabilities() {
        const DRAWS: u32 = 200_000;
        for theta in [0.2, 0.8, 0.99, 1.0, 1.5] {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
            let zipf = Zipf::new(50, theta);
            let mut seen = [0_u32; 51];
            for _ in 0..DRAWS {
                seen[zipf.draw(&mut random) as usize] += 1;
            }
            let weight = |rank: usize| (rank as f64).powf(-theta);
            let total: f64 = (1..=50).map(weight).sum();
            let chi_square: f64 = (1..=50)
                .map(|rank| {
                    let expected = f64::from(DRAWS) * weight(rank) / total;
                    (f64::from(seen[rank]) - expected).powi(2) / expected
                })
                .sum();
            // 99.9 % point of 49 degrees of freedom is 85.4.
            assert!(chi_square < 85.4, "theta {theta}: {chi_square}");
        }
    }

    #[test]
    fn one_rank_and_very_many_are_within_range() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for (ranks, theta) in [(1, 0.99), (2, 5.0), (100_000_000, 0.5), (100_000_000, 1.0)] {
            let zipf = Zipf::new(ranks, theta);
            for _ in 0..1_000 {
                let rank = zipf.draw(&mut random);
                assert!((1.0..=f64::from(ranks)).contains(&rank) && rank.fract() == 0.0);
            }
        }
    }
}
