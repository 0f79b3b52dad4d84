//! Is an answer the right one, and what is in it?

use igen_engine::Reason;
use std::borrow::Cow;

use rand_xoshiro::Xoshiro256PlusPlus;
use regex::bytes::Regex;
use serde_json::Value;

use super::body::{text_of, unescaped};
use super::cookies::Cookies;
use super::fetch::{header, lines, value_of};
use super::last_body::Look;
use super::program::extract::Extract;
use super::program::field::input;
use super::program::long_body::Found;
use super::program::{Pointer, Request, Text};
use crate::random::below;

/// A body without its compression.
pub enum Body<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// What was found in one that is longer than what is kept.
    Long(Found),
}

impl Body<'_> {
    /// All of it, or as much as expressions look into.
    pub fn begin(&self) -> &[u8] {
        match self {
            Self::Whole(body) => body,
            Self::Long(found) => found.begin(),
        }
    }

    /// Returns true if it has the text of that number.
    fn has(&self, (number, text): (usize, &Text)) -> bool {
        match self {
            Self::Whole(body) => text.is_in(body),
            Self::Long(found) => found.has_text(number),
        }
    }

    /// Returns true if it has that value where the pointer of that number points to.
    fn has_json(&self, (number, (pointer, value)): (usize, &(Pointer, Value))) -> bool {
        match self {
            Self::Whole(body) => pointer.find(body).as_ref() == Some(value),
            Self::Long(found) => found.json(number) == Some(value),
        }
    }
}

/// Checks an answer with this status, head and body.
pub fn check(request: &Request, status: u16, head: &[u8], body: &Body<'_>) -> Result<(), Reason> {
    let checks = &request.checks;
    if !checks.takes(status) {
        return Err(Reason::wrong(format!("status {status}")));
    }
    for (name, text) in &checks.header {
        if !header(head, name).any(|value| text.find(value).is_some()) {
            return Err(Reason::wrong(format!(
                "a header {name} without the expected text"
            )));
        }
    }
    if !checks.contains.iter().enumerate().all(|it| body.has(it)) {
        return Err(Reason::wrong("a body without the expected text"));
    }
    if !checks.json.iter().enumerate().all(|it| body.has_json(it)) {
        return Err(Reason::wrong("a body without the expected JSON"));
    }
    Ok(())
}

/// The value that an answer has at that place, which is of that number among those of its request; if there is one.
pub fn extract<'a, 'b: 'a>(
    (number, extract): (usize, &Extract),
    head: &'a [u8],
    look: &mut Look<'_, 'b>,
    cookies: &'a Cookies,
    random: &mut Xoshiro256PlusPlus,
) -> Option<Cow<'a, [u8]>> {
    match extract {
        Extract::Input(name) => {
            let first = look.first(number, name)?;
            input(look.body, name, first).map(unescaped)
        }
        Extract::Json(pointer) => {
            let value = pointer.find(look.body);
            value.map(|value| Cow::Owned(text_of(value)))
        }
        Extract::Header(name) => {
            // The head is not borrowed for as long as the name.
            let found = lines(head).find_map(|line| value_of(line, name));
            found.map(Cow::Borrowed)
        }
        Extract::Cookie(name) => cookies.value(name.as_bytes()).map(Cow::Borrowed),
        Extract::Regex {
            expression,
            random: true,
            ..
        } => any_match(expression, look.body, random).map(Cow::Borrowed),
        Extract::Regex {
            expression, begin, ..
        } => {
            let from = match begin {
                Some(text) => look.first(number, text)?,
                None => 0,
            };
            look.matched(number, expression, from).map(Cow::Borrowed)
        }
    }
}

/// Any one of the matches: its first group, or all of it where it has none.
fn any_match<'a>(
    expression: &Regex,
    body: &'a [u8],
    random: &mut Xoshiro256PlusPlus,
) -> Option<&'a [u8]> {
    let count = expression.find_iter(body).count();
    let nth = usize::try_from(below(random, count as u64)).unwrap_or(0);
    let captures = expression.captures_iter(body).nth(nth)?;
    let found = captures.get(1).or_else(|| captures.get(0))?;
    Some(found.as_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use rand_core::SeedableRng;

    use super::*;

    #[test]
    fn any_match_may_be_meant() {
        let expression = Regex::new(r"id=(\d)").unwrap();
        let (body, mut random) = (b"id=1 id=2 id=3", Xoshiro256PlusPlus::seed_from_u64(1));
        let found: std::collections::BTreeSet<_> = (0..50)
            .filter_map(|_| any_match(&expression, body, &mut random))
            .collect();
        assert_eq!(found.len(), 3);
        assert_eq!(any_match(&expression, b"", &mut random), None);
    }
}
