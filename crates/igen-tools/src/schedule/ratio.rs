//! How much longer or shorter one way takes than another, by pairs of executions.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

const LEVEL: f64 = 0.95;

/// A ratio, with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ratio {
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// True if it is not 1, with 95 % for all comparisons together (Bonferroni): of many, one differs by chance.
    pub(super) differs: bool,
}

/// The geometric mean of the ratios, and Student's interval of their logarithms, of one of so many `comparisons`. None with
/// less than two pairs, or where a value is not above 0.
pub(super) fn ratio(pairs: &[(f64, f64)], comparisons: usize) -> Option<Ratio> {
    if pairs.len() < 2
        || pairs
            .iter()
            .any(|(one, other)| *one <= 0.0 || *other <= 0.0)
    {
        return None;
    }
    let logs: Vec<f64> = pairs
        .iter()
        .map(|(one, other)| (one / other).ln())
        .collect();
    let n = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / n;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = |level| student(level, logs.len() - 1) * (variance / n).sqrt();
    let of_all = 1.0 - (1.0 - LEVEL) / comparisons.max(1) as f64;
    Some(Ratio {
        mean: mean.exp(),
        low: (mean - half(LEVEL)).exp(),
        high: (mean + half(LEVEL)).exp(),
        differs: mean.abs() > half(of_all),
    })
}

/// Student's t that holds so much of the distribution between -t and t, for whole degrees of freedom.
fn student(level: f64, freedom: usize) -> f64 {
    let (mut low, mut high) = (0.0, FRAC_PI_2);
    for _ in 0..60 {
        let angle = f64::midpoint(low, high);
        if within(angle, freedom) < level {
            low = angle;
        } else {
            high = angle;
        }
    }
    low.tan() * (freedom as f64).sqrt()
}

/// The share of the distribution within t = tan(angle) √freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).
fn within(angle: f64, freedom: usize) -> f64 {
    let (sine, cosine) = angle.sin_cos();
    let odd = freedom % 2;
    let (mut term, mut sum) = (if odd == 1 { cosine } else { 1.0 }, 0.0);
    for power in (odd..freedom.saturating_sub(1)).step_by(2) {
        sum += term;
        term *= cosine * cosine * (power + 1) as f64 / (power + 2) as f64;
    }
    if odd == 1 {
        FRAC_2_PI * (angle + sine * sum)
    } else {
        sine * sum
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn pairs_decide_and_not_what_moves_both() {
        let told = ratio(&[(1.1, 1.0), (2.2, 2.0), (3.3, 3.0)], 1).unwrap();
        assert!((told.mean - 1.1).abs() < 1e-9 && told.high - told.low < 1e-9);
        let told = ratio(&[(1.0, 1.0), (2.0, 1.0), (1.0, 2.0)], 1).unwrap();
        assert!((told.mean - 1.0).abs() < 1e-9 && told.low < 0.5 && told.high > 2.0);
    }

    #[test]
    fn one_pair_says_nothing() {
        assert_eq!(ratio(&[(1.0, 2.0)], 1), None);
        assert_eq!(ratio(&[(1.0, 0.0), (1.0, 1.0)], 1), None);
    }

    #[test]
    fn students_t_is_that_of_the_tables() {
        for (level, freedom, expected) in [
            (0.95, 1, 12.706),
            (0.95, 2, 4.303),
            (0.95, 3, 3.182),
            (0.95, 4, 2.776),
            (0.99, 4, 4.604),
            (0.95, 20, 2.086),
            (0.999, 9, 4.781),
            (0.95, 200, 1.972),
        ] {
            let found = student(level, freedom);
            assert!(
                (found - expected).abs() < 1e-3,
                "{level}, {freedom}: {found}"
            );
        }
    }

    #[test]
    fn of_many_comparisons_one_must_differ_more() {
        let pairs = [
            (1.0, 1.1),
            (1.0, 1.06),
            (1.0, 1.2),
            (1.0, 1.02),
            (1.0, 1.09),
        ];
        let told = |comparisons| ratio(&pairs, comparisons).unwrap();
        assert!(told(1).high < 1.0 && told(1).differs);
        assert!(told(7).high < 1.0 && !told(7).differs);
    }
}
