//! Which customers a transaction is about.

use igen_engine::arrivals::uniform;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::generate::{amount, quantity};
use super::params::{KeyDistribution, Params};
use crate::random::below;
use crate::zipf::Zipf;

/// What one transaction is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keys {
    pub(super) customer: i64,
    /// Never the same customer.
    pub(super) other: i64,
    pub(super) quantity: i64,
    pub(super) amount: i64,
}

/// Chooses the keys of one user's transactions.
#[derive(Debug, Clone)]
pub(super) struct Chooser {
    random: Xoshiro256PlusPlus,
    /// Key of the shard's first customer.
    first: i64,
    customers: u64,
    choice: Choice,
}

#[derive(Debug, Clone)]
enum Choice {
    Uniform,
    Zipf(Zipf),
    Hot { customers: u64, choices: f64 },
}

impl Chooser {
    /// Keys of customers from `first` on.
    pub(super) fn new(params: &Params, first: i64, seed: u64) -> Self {
        let customers = u64::from(params.customers);
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            first,
            customers,
            choice: match params.distribution {
                KeyDistribution::Uniform => Choice::Uniform,
                KeyDistribution::Zipf => Choice::Zipf(Zipf::new(
                    params.customers,
                    params.zipf_theta.unwrap_or(0.99),
                )),
                KeyDistribution::Hot => Choice::Hot {
                    customers: share(customers, params.hot_customers_fraction.unwrap_or(0.1)),
                    choices: params.hot_choices_fraction.unwrap_or(0.9),
                },
            },
        }
    }

    /// Keys of the next transaction.
    pub(super) fn next(&mut self) -> Keys {
        let customer = self.customer();
        let other = self.customer();
        let quantity = quantity(&mut self.random);
        Keys {
            customer: self.first + customer.cast_signed(),
            other: self.first
                + if other == customer {
                    (other + 1) % self.customers
                } else {
                    other
                }
                .cast_signed(),
            quantity,
            amount: amount(&mut self.random, quantity),
        }
    }

    /// A customer, counted from 0.
    fn customer(&mut self) -> u64 {
        let random = &mut self.random;
        match self.choice {
            Choice::Uniform => below(random, self.customers),
            Choice::Zipf(zipf) => zipf.place(random),
            Choice::Hot { customers, choices } => {
                if uniform(random) < choices {
                    below(random, customers)
                } else {
                    customers + below(random, self.customers - customers)
                }
            }
        }
    }
}

/// At least one of `customers`, and not all.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn share(customers: u64, fraction: f64) -> u64 {
    ((customers as f64 * fraction).round() as u64).clamp(1, customers - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(customers: u32, distribution: KeyDistribution) -> Params {
        Params {
            customers,
            distribution,
            ..Params::default()
        }
    }

    fn counts(params: &Params, transactions: u32) -> Vec<u32> {
        let mut chooser = Chooser::new(params, 1, 11);
        let mut counts = vec![0; params.customers as usize];
        for _ in 0..transactions {
            let keys = chooser.next();
            assert_ne!(keys.customer, keys.other);
            for key in [keys.customer, keys.other] {
                counts[usize::try_from(key - 1).unwrap_or(usize::MAX)] += 1;
            }
        }
        counts
    }

    #[test]
    fn uniform_choices_reach_all_alike() {
        let counts = counts(&params(100, KeyDistribution::Uniform), 50_000);
        let expected = 1_000.0;
        let chi_square: f64 = counts
            .iter()
            .map(|&n| (f64::from(n) - expected).powi(2) / expected)
            .sum();
        // 99.9 % point of 99 degrees of freedom is 148.2.
        assert!(chi_square < 148.2, "{chi_square}");
    }

    #[test]
    fn hot_customers_take_their_share() {
        let counts = counts(&params(1_000, KeyDistribution::Hot), 20_000);
        let hot: u32 = counts[..100].iter().sum();
        let all: u32 = counts.iter().sum();
        assert!(
            (f64::from(hot) / f64::from(all) - 0.9).abs() < 0.01,
            "{hot} of {all}"
        );
        assert!(counts[100..].iter().any(|&n| n > 0));
    }

    #[test]
    fn popular_customers_of_zipf_lie_apart() {
        let counts = counts(&params(1_000, KeyDistribution::Zipf), 20_000);
        let mut ranked: Vec<usize> = (0..counts.len()).collect();
        ranked.sort_by_key(|&customer| std::cmp::Reverse(counts[customer]));
        assert_eq!(ranked[0], 0);
        assert!(
            ranked[1].abs_diff(0) > 10 && ranked[2].abs_diff(ranked[1]) > 10,
            "{ranked:?}"
        );
        assert!(counts[ranked[0]] > 20 * counts[ranked[100]].max(1));
    }

    #[test]
    fn two_customers_are_enough() {
        for distribution in [
            KeyDistribution::Uniform,
            KeyDistribution::Zipf,
            KeyDistribution::Hot,
        ] {
            let counts = counts(&params(2, distribution), 100);
            assert_eq!(counts.iter().sum::<u32>(), 200);
        }
    }

    #[test]
    fn a_seed_gives_the_same_choices_again() {
        let params = params(1_000, KeyDistribution::Uniform);
        let draw = |seed| {
            let mut chooser = Chooser::new(&params, 1, seed);
            [(); 20].map(|()| chooser.next())
        };
        assert_eq!(draw(5), draw(5));
        assert_ne!(draw(5), draw(6));
    }
}
