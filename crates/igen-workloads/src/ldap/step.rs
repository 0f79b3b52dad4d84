//! Steps of a transaction, which its failures name.

use igen_engine::{Failure, FailureKind};
use igen_ldap::SearchResult;

/// The same failure, in the step that failed.
pub(super) fn at(step: &'static str) -> impl Fn(Failure) -> Failure {
    move |failure| failure.in_step(step)
}

/// What a search found, which must be one entry.
#[inline]
pub(super) fn one(found: SearchResult) -> Result<SearchResult, Failure> {
    match found.entries {
        1 => Ok(found),
        0 => Err(Failure::new(FailureKind::Check, "no entry instead of 1")),
        2 => Err(Failure::new(FailureKind::Check, "2 entries instead of 1")),
        _ => Err(Failure::new(
            FailureKind::Check,
            "more than 2 entries instead of 1",
        )),
    }
}

/// One entry was found; whether it is the one that was asked for.
#[inline]
pub(super) fn right(found: SearchResult, is_right: bool) -> Result<SearchResult, Failure> {
    if is_right {
        return Ok(found);
    }
    Err(Failure::new(
        FailureKind::Check,
        "a different entry than requested",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_entry_is_right() {
        let found = |entries| SearchResult {
            entries,
            bytes: 7,
            referrals: 0,
        };
        assert_eq!(one(found(1)), Ok(found(1)));
        for (entries, reason) in [
            (0, "no entry instead of 1"),
            (2, "2 entries instead of 1"),
            (9, "more than 2 entries instead of 1"),
        ] {
            let failure = one(found(entries)).map_err(at("search 3"));
            let expected = Failure::new(FailureKind::Check, reason).in_step("search 3");
            assert_eq!(failure, Err(expected));
        }
    }
}
