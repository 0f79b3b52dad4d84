//! A weighted choice in constant time: Walker's alias method, built as by M. D. Vose, "A linear algorithm for
//! generating random numbers with a given distribution" (IEEE TSE 17(9), 1991), in whole numbers.

use rand_core::Rng;

use crate::random::below;

/// A weighted choice of one of several.
#[derive(Debug, Clone)]
pub struct Alias {
    /// For each column: below the first number it is chosen itself, else the other one.
    columns: Box<[(u64, usize)]>,
    /// Height of a column: the sum of all weights.
    sum: u64,
}

impl Alias {
    /// A choice by these weights, of which one at least is above 0.
    pub fn new(weights: &[u32]) -> Self {
        let sum = weights.iter().copied().map(u64::from).sum();
        let count = weights.len() as u64;
        let mut columns: Vec<_> = (0..weights.len()).map(|index| (sum, index)).collect();
        let mut left: Vec<_> = weights
            .iter()
            .map(|weight| u64::from(*weight) * count)
            .collect();
        let (mut small, mut large): (Vec<_>, Vec<_>) =
            (0..weights.len()).partition(|index| left[*index] < sum);
        while let (Some(less), Some(more)) = (small.pop(), large.last().copied()) {
            columns[less] = (left[less], more);
            left[more] -= sum - left[less];
            if left[more] < sum {
                large.pop();
                small.push(more);
            }
        }
        Self {
            columns: columns.into(),
            sum,
        }
    }

    /// One of them.
    pub fn draw(&self, random: &mut impl Rng) -> usize {
        let drawn = below(random, self.sum * self.columns.len() as u64);
        let column = usize::try_from(drawn / self.sum).unwrap_or(0);
        let (bound, other) = self.columns[column];
        if drawn % self.sum < bound {
            column
        } else {
            other
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_is_chosen_exactly_by_its_weight(weights in prop::collection::vec(0_u32..50, 1..12)) {
            prop_assume!(weights.iter().any(|weight| *weight > 0));
            let alias = Alias::new(&weights);
            let mut shares = vec![0; weights.len()];
            for (column, (bound, other)) in alias.columns.iter().enumerate() {
                shares[column] += bound;
                shares[*other] += alias.sum - bound;
            }
            let expected: Vec<_> = weights.iter().map(|it| u64::from(*it) * weights.len() as u64).collect();
            prop_assert_eq!(shares, expected);
        }
    }
}
