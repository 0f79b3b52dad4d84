//! How much longer or shorter one way takes than another, by pairs of executions.

/// A ratio, with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ratio {
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Student's t for 95 %, two-sided, for 1 and more degrees of freedom (Fisher and Yates 1938).
const STUDENT: [f64; 20] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
];

/// The geometric mean of the ratios, and Student's interval of their logarithms. None with less than two pairs, or where
/// a value is not above 0.
pub(super) fn ratio(pairs: &[(f64, f64)]) -> Option<Ratio> {
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
    let student = STUDENT[(logs.len() - 2).min(STUDENT.len() - 1)];
    let half = student * (variance / n).sqrt();
    Some(Ratio {
        mean: mean.exp(),
        low: (mean - half).exp(),
        high: (mean + half).exp(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn pairs_decide_and_not_what_moves_both() {
        let told = ratio(&[(1.1, 1.0), (2.2, 2.0), (3.3, 3.0)]).unwrap();
        assert!((told.mean - 1.1).abs() < 1e-9 && told.high - told.low < 1e-9);
        let told = ratio(&[(1.0, 1.0), (2.0, 1.0), (1.0, 2.0)]).unwrap();
        assert!((told.mean - 1.0).abs() < 1e-9 && told.low < 0.5 && told.high > 2.0);
    }

    #[test]
    fn one_pair_says_nothing() {
        assert_eq!(ratio(&[(1.0, 2.0)]), None);
        assert_eq!(ratio(&[(1.0, 0.0), (1.0, 1.0)]), None);
    }
}
