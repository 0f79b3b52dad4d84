//! From the text of a source to the values of a reading.

use std::collections::BTreeMap;

/// Named values of a reading; what the source does not have is left out.
pub(crate) fn values<const N: usize>(pairs: [(&str, Option<f64>); N]) -> BTreeMap<String, f64> {
    pairs
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

/// The numbers of a line up to its end or its first word that is none.
pub(crate) fn numbers(line: &str) -> Vec<f64> {
    line.split_ascii_whitespace()
        .map_while(|word| word.parse::<u64>().ok())
        .map(|number| number as f64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_left_out() {
        let values = values([("reads", Some(1.0)), ("flushes", None)]);
        assert_eq!(values, BTreeMap::from([("reads".to_owned(), 1.0)]));
    }

    #[test]
    fn numbers_end_at_the_first_other_word() {
        assert_eq!(numbers(" 1  22 3"), [1.0, 22.0, 3.0]);
        assert_eq!(numbers("1 -2 3"), [1.0]);
        assert!(numbers("").is_empty());
    }
}
