//! Sessions that this process has opened on servers, to distinguish them from other clients' sessions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use igen_job::{Fact, facts};
use serde_json::{Map, Value};

/// Numbers of sessions by server. Ended ones stay: a server may list them for a moment longer.
static OPENED: Mutex<BTreeMap<String, BTreeSet<u32>>> = Mutex::new(BTreeMap::new());

/// Notes a session of this process on the server at `place`.
pub(super) fn note(place: String, number: u32) {
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.entry(place).or_default().insert(number);
}

/// Returns true if this process has opened the session of that number on the server at `place`.
#[must_use]
pub fn is_own(place: &str, number: u32) -> bool {
    let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened
        .get(place)
        .is_some_and(|numbers| numbers.contains(&number))
}

/// Returns the sessions of this process as a fact; `None` if there are none. The numbers of a server are one text,
/// because agents of a fleet must not add them up.
#[must_use]
pub fn own_sessions() -> Option<Fact> {
    let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    let by_server: Map<String, Value> = opened
        .iter()
        .map(|(place, numbers)| (place.clone(), ranges(numbers).into()))
        .collect();
    (!by_server.is_empty()).then(|| facts::SESSIONS_OWN.is(by_server))
}

/// Returns numbers as a text, neighbours as a range: `7 9-12`.
#[must_use]
pub fn ranges(numbers: &BTreeSet<u32>) -> String {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match found.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*number) => *last = *number,
            _ => found.push((*number, *number)),
        }
    }
    let texts: Vec<String> = found
        .iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            _ => format!("{first}-{last}"),
        })
        .collect();
    texts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_neighbours_are_a_range() {
        for (numbers, expected) in [
            (&[][..], ""),
            (&[7], "7"),
            (&[9, 7, 10, 12, 11], "7 9-12"),
            (&[u32::MAX, u32::MAX - 1, 0], "0 4294967294-4294967295"),
        ] {
            assert_eq!(ranges(&numbers.iter().copied().collect()), expected);
        }
    }

    #[test]
    fn a_session_is_own_on_its_server_only() {
        note("own.test:1".to_owned(), 7);
        assert!(is_own("own.test:1", 7));
        assert!(!is_own("own.test:1", 8) && !is_own("own.test:2", 7));
    }
}
