//! How the bodies begin that answer a request, on each thread: as far as the next one begins with the same bytes, what
//! was found there, or was not, is known without a look. Pages of one kind begin alike, often up to the first value
//! that is the user's own.

use std::cell::RefCell;

use memchr::memmem::Finder;
use regex::bytes::{CaptureLocations, Regex};

use super::program::Request;
use super::program::extract::Extract;

/// So much of a body is kept by each thread for each request.
const MOST_BYTES: usize = 32 * 1024;
/// One of so many bodies is kept as a whole, up to that; the ones behind it leave of it what they begin with too. So
/// where all differ early, hardly any is copied, and one odd page is soon forgotten.
const LEARN_EVERY: u32 = 8;
/// Bodies are compared in pieces of so many bytes, the longest first.
const PIECES_BYTES: [usize; 4] = [512, 64, 8, 1];

thread_local! {
    /// By the request's identity.
    static LAST: RefCell<Vec<Option<Box<LastBody>>>> = const { RefCell::new(Vec::new()) };
}

/// What a thread knows of the last bodies.
#[derive(Default)]
pub struct LastBody {
    /// With what the last one began, and those before it up to the one that was kept.
    bytes: Vec<u8>,
    /// How many there were.
    count: u32,
    /// By the place of the value that a text leads to.
    seen: Vec<Seen>,
}

/// How far the last body was searched for a text, and what an expression needs.
#[derive(Default)]
struct Seen {
    /// The text ends nowhere in the first so many bytes but where it was `found` first.
    until: usize,
    found: Option<usize>,
    /// A copy of the expression, since threads that share one wait for each other, and memory for its groups.
    expression: Option<(Regex, CaptureLocations)>,
}

/// A body, beside the last one.
pub struct Look<'a, 'b> {
    pub body: &'b [u8],
    last: &'a mut LastBody,
}

/// Looks into the body of an answer to `request`.
pub fn look<T>(request: &Request, body: &[u8], then: impl FnOnce(&mut Look<'_, '_>) -> T) -> T {
    LAST.with_borrow_mut(|all| {
        if all.len() <= request.identity {
            all.resize_with(request.identity + 1, || None);
        }
        let last = all[request.identity].get_or_insert_default();
        then(&mut Look::new(last, &request.extracts, body))
    })
}

impl<'a, 'b> Look<'a, 'b> {
    /// At a body in which these values are, beside the last one, whose place it takes.
    pub fn new(last: &'a mut LastBody, values: &[(usize, Extract)], body: &'b [u8]) -> Self {
        last.seen.resize_with(values.len(), Seen::default);
        let is_of_use = values.iter().any(|(_, value)| value.text().is_some());
        let most = if is_of_use { MOST_BYTES } else { 0 };
        let kept = &body[..body.len().min(most)];
        if !kept.starts_with(&last.bytes) {
            let same = same_bytes(&last.bytes, kept);
            last.bytes.truncate(same);
            for seen in &mut last.seen {
                seen.until = seen.until.min(same);
            }
        }
        if last.count.is_multiple_of(LEARN_EVERY) {
            last.bytes.extend_from_slice(&kept[last.bytes.len()..]);
        }
        last.count = last.count.wrapping_add(1);
        Self { body, last }
    }

    /// Where the body has the text first, which leads to the value of that number.
    pub fn first(&mut self, value: usize, text: &Finder<'_>) -> Option<usize> {
        let (seen, length) = (&mut self.last.seen[value], text.needle().len());
        if let Some(at) = seen.found
            && at + length <= seen.until
        {
            return Some(at);
        }
        let from = (seen.until + 1).saturating_sub(length);
        let found = text.find(self.body.get(from..)?).map(|at| from + at);
        (seen.until, seen.found) = (self.last.bytes.len(), found);
        found
    }

    /// The first group of the first match that begins at `from` or behind it, or all of the match where there is no
    /// group; for the value of that number.
    pub fn matched(&mut self, value: usize, expression: &Regex, from: usize) -> Option<&'b [u8]> {
        let (own, places) = self.last.seen[value]
            .expression
            .get_or_insert_with(|| (expression.clone(), expression.capture_locations()));
        let whole = own.captures_read_at(places, self.body, from)?;
        let (begin, end) = places.get(1).unwrap_or((whole.start(), whole.end()));
        Some(&self.body[begin..end])
    }
}

/// How many bytes at their begins are the same.
fn same_bytes(one: &[u8], other: &[u8]) -> usize {
    let most = one.len().min(other.len());
    PIECES_BYTES.into_iter().fold(0, |mut same, piece| {
        while same + piece <= most && one[same..same + piece] == other[same..same + piece] {
            same += piece;
        }
        same
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use memchr::memmem;
    use proptest::prelude::*;
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::web::cookies::Cookies;
    use crate::web::judge;
    use crate::web::scenario;

    /// Expressions whose matches begin with a text, or with none.
    const EXPRESSIONS: [&str; 8] = [
        "a(b+)",
        "ab",
        r"\bab(c?)",
        "(?s)a.*b$",
        "(ab|ac)x*",
        "b?a",
        "^ab",
        "(?i)ab",
    ];

    /// A body that begins as the one before as far as the cut, anywhere or near its end, and goes on with a filling and
    /// letters; which texts are looked for then.
    type Change = ((prop::sample::Index, bool), usize, String, [bool; 2]);

    fn changes() -> impl Strategy<Value = Vec<Change>> {
        let filling =
            prop_oneof![8 => Just(0), 8 => 0..700_usize, 1 => MOST_BYTES - 20..MOST_BYTES + 20];
        let asked = any::<[bool; 2]>();
        let change = (
            any::<(prop::sample::Index, bool)>(),
            filling,
            "[abc \n]{0,30}",
            asked,
        );
        prop::collection::vec(change, 1..30)
    }

    /// The body before, changed.
    fn change(body: &mut String, ((cut, is_near), filling, letters, _): &Change) {
        let most = if *is_near {
            4.min(body.len())
        } else {
            body.len()
        };
        body.truncate(body.len() - cut.index(most + 1));
        body.extend(std::iter::repeat_n('x', *filling));
        body.push_str(letters);
    }

    /// Values by these.
    fn values<const N: usize>(
        said: [&str; N],
        say: fn(&mut scenario::Extract) -> &mut Option<String>,
    ) -> [(usize, Extract); N] {
        said.map(|text| {
            let mut extract = scenario::Extract::default();
            *say(&mut extract) = Some(text.to_owned());
            (0, Extract::new(&extract, "extract").unwrap())
        })
    }

    /// The value of that number.
    fn value(
        number: usize,
        values: &[(usize, Extract)],
        body: &str,
        last: &mut LastBody,
    ) -> Option<Vec<u8>> {
        let (cookies, mut random) = (Cookies::default(), Xoshiro256PlusPlus::seed_from_u64(1));
        let mut look = Look::new(last, values, body.as_bytes());
        let which = (number, &values[number].1);
        let value = judge::extract(which, b"", &mut look, &cookies, &mut random);
        value.map(std::borrow::Cow::into_owned)
    }

    proptest! {
        #[test]
        fn a_text_is_first_where_a_search_from_the_begin_finds_it(
            texts in prop::array::uniform2("[abc]{1,4}"), changes in changes()
        ) {
            let values = values(texts.each_ref().map(String::as_str), |said| &mut said.input);
            let (mut last, mut body) = (LastBody::default(), String::new());
            for each in changes {
                change(&mut body, &each);
                let mut look = Look::new(&mut last, &values, body.as_bytes());
                for (number, text) in texts.iter().enumerate().filter(|(number, _)| each.3[*number]) {
                    let plain = memmem::find(body.as_bytes(), text.as_bytes());
                    prop_assert_eq!(look.first(number, &Finder::new(text)), plain);
                }
            }
        }

        #[test]
        fn an_expression_finds_what_it_finds_alone(
            expressions in prop::array::uniform2(prop::sample::select(&EXPRESSIONS)), changes in changes()
        ) {
            let values = values(expressions, |said| &mut said.regex);
            let (mut last, mut body) = (LastBody::default(), String::new());
            for each in changes {
                change(&mut body, &each);
                for (number, text) in expressions.into_iter().enumerate().filter(|(number, _)| each.3[*number]) {
                    let alone = Regex::new(text).unwrap();
                    let alone = alone.captures(body.as_bytes());
                    let alone = alone.map(|it| it.get(1).or(it.get(0)).unwrap().as_bytes().to_vec());
                    let found = value(number, &values, &body, &mut last);
                    prop_assert_eq!(found, alone, "{} in {:?}", text, body);
                }
            }
        }

        #[test]
        fn a_field_is_found_whatever_came_before(
            pages in prop::collection::vec(("[<>a ]{0,4}", "(<(input|p) name='?[ab]'? value=[a-c]{1,3}>|[ab]{0,3}){0,6}"), 1..12)
        ) {
            let field = values(["a"], |said| &mut said.input);
            let (mut last, mut begin) = (LastBody::default(), String::new());
            for (more, page) in pages {
                begin.push_str(&more);
                let page = format!("{begin}{page}");
                let first = value(0, &field, &page, &mut LastBody::default());
                prop_assert_eq!(value(0, &field, &page, &mut last), first);
            }
        }
    }
}
