//! Steps of a transaction, which its failures name.

use igen_engine::Failure;
use igen_ldap::SearchResult;

/// The same failure, with the step that failed before its reason.
pub(super) fn at(step: &'static str) -> impl Fn(Failure) -> Failure {
    move |failure| Failure {
        reason: format!("{step}: {}", failure.reason).into(),
        ..failure
    }
}

/// What a search found, which must be one entry.
#[inline]
pub(super) fn one(found: SearchResult) -> Result<SearchResult, Failure> {
    match found.entries {
        1 => Ok(found),
        0 => Err(Failure::new("no entry instead of 1")),
        2 => Err(Failure::new("2 entries instead of 1")),
        _ => Err(Failure::new("more than 2 entries instead of 1")),
    }
}

/// One entry was found; whether it is the one that was asked for.
#[inline]
pub(super) fn right(found: SearchResult, is_right: bool) -> Result<SearchResult, Failure> {
    if is_right {
        return Ok(found);
    }
    Err(Failure::new("another entry than the one asked for"))
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
            (0, "search 3: no entry instead of 1"),
            (2, "search 3: 2 entries instead of 1"),
            (9, "search 3: more than 2 entries instead of 1"),
        ] {
            let failure = one(found(entries)).map_err(at("search 3"));
            assert_eq!(failure, Err(Failure::new(reason)));
        }
    }
}
