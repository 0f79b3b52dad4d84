//! What is asked of a table, in SQL that all engines understand, and what the answer must be.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::generate::{COUNTED_LETTER, Counts};
use super::table::Name;

/// Farthest from 0 that rounding takes the complex answer: a value's error is some units in the last
/// place, 2e-16 each.
const ROUNDING: f64 = 1e-12;

/// What is asked of each record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Predicate {
    /// Counts the records where a = 0.
    #[default]
    Trivial,
    /// Standard deviation of sqrt(sin(a·π)² + cos(a·π)²) - 1, written with multiplications: 0, at
    /// the price of a sine, a cosine and more for each record.
    Complex,
    /// Counts the records whose payload ends in a certain letter: engines that keep columns apart
    /// skip the payload otherwise.
    Payload,
}

impl Predicate {
    /// The select.
    pub(super) fn sql(self, name: Name) -> String {
        let table = name.table().name;
        match self {
            Self::Trivial => format!("SELECT COUNT(*) FROM {table} WHERE a = 0"),
            Self::Complex => format!(
                "SELECT stddev_samp(sqrt(sin(a*pi())*sin(a*pi()) + cos(a*pi())*cos(a*pi())) - 1) \
                 FROM {table}"
            ),
            Self::Payload => format!(
                "SELECT COUNT(*) FROM {table} WHERE substr(payload, {}, 1) = '{}'",
                name.payload_bytes(),
                char::from(COUNTED_LETTER)
            ),
        }
    }

    /// Returns true if `answer` is right for a table in which these are counted.
    pub(super) fn accepts(self, answer: &str, counts: Counts) -> bool {
        let is = |count: u64| answer.parse() == Ok(count);
        match self {
            Self::Trivial => is(counts.zeros),
            Self::Payload => is(counts.letters),
            Self::Complex => answer
                .parse()
                .is_ok_and(|deviation: f64| deviation.abs() <= ROUNDING),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_answer_is_accepted() {
        let counts = Counts {
            zeros: 3,
            letters: 7,
        };
        for (predicate, answer, right) in [
            (Predicate::Trivial, "3", true),
            (Predicate::Trivial, "7", false),
            (Predicate::Payload, "7", true),
            (Predicate::Payload, "", false),
            (Predicate::Complex, "0", true),
            (Predicate::Complex, "7.5e-17", true),
            (Predicate::Complex, "0.0001", false),
            (Predicate::Complex, "NaN", false),
        ] {
            assert_eq!(
                predicate.accepts(answer, counts),
                right,
                "{predicate:?} {answer}"
            );
        }
    }
}
