//! What was probably meant by a name that nothing has.

/// Most letters that differ between a name and what was meant.
const MOST: usize = 3;
/// Longest name of which it is said: the time to compare two grows with both of their lengths.
const LONGEST_BYTES: usize = 100;

/// A hint: the name that differs least, or else all there are.
pub fn did_you_mean(name: &str, known: &[String]) -> String {
    let short = |name: &str| name.len() <= LONGEST_BYTES;
    let near = known
        .iter()
        .filter(|each| short(name) && short(each))
        .map(|each| (distance(name, each), each))
        .filter(|(distance, each)| *distance <= MOST.min(each.len() / 2))
        .min();
    match near {
        Some((_, each)) => format!("did you mean `{each}`?"),
        None if known.is_empty() => String::new(),
        None => format!("there are: {}", known.join(", ")),
    }
}

/// Letters to insert, remove, replace or swap with a neighbour (optimal string alignment).
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<_>, Vec<_>) = (one.chars().collect(), other.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, against) in other.iter().enumerate() {
            let replaced = last[column] + usize::from(letter != against);
            let mut least = replaced.min(last[column + 1] + 1).min(next[column] + 1);
            if row > 0 && column > 0 && *letter == other[column - 1] && one[row - 1] == *against {
                least = least.min(before[column - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut last, next);
    }
    last[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        for (one, other, letters) in [
            ("", "ab", 2),
            ("csrf", "csfr", 1),
            ("login", "logon", 1),
            ("a", "a", 0),
        ] {
            assert_eq!(distance(one, other), letters, "{one} {other}");
        }
        let known = ["login".to_owned(), "search".to_owned()];
        assert_eq!(did_you_mean("serch", &known), "did you mean `search`?");
        assert_eq!(
            did_you_mean("dashboard", &known),
            "there are: login, search"
        );
    }
}
