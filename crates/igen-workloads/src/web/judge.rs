//! Is an answer the right one, and what is in it?

use std::borrow::Cow;
use std::io::Read;

use flate2::read::MultiGzDecoder;
use rand_xoshiro::Xoshiro256PlusPlus;
use regex::bytes::Regex;

use super::cookies::Cookies;
use super::fetch::{Reason, header, lines, value_of};
use super::last_body::Look;
use super::program::extract::Extract;
use super::program::field::input;
use super::program::{KEPT_BYTES, Request};
use crate::random::below;

/// Checks an answer with this status, head and body.
pub fn check(request: &Request, status: u16, head: &[u8], body: &[u8]) -> Result<(), Reason> {
    let checks = &request.checks;
    if !checks.takes(status) {
        return Err(format!("status {status}").into());
    }
    for (name, text) in &checks.header {
        if !header(head, name).any(|value| text.find(value).is_some()) {
            return Err(format!("a header {name} without the text that is expected").into());
        }
    }
    let fault = |what: &str| {
        let read = if body.len() < KEPT_BYTES {
            "a body"
        } else {
            "a body whose first MiB is"
        };
        Err(format!("{read} without the {what} that is expected").into())
    };
    if !checks.contains.iter().all(|text| text.is_in(body)) {
        return fault("text");
    }
    for (pointer, value) in &checks.json {
        if pointer.find(body).as_ref() != Some(value) {
            return fault("JSON");
        }
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
        Extract::Json(pointer) => pointer.find(look.body).map(|value| match value {
            serde_json::Value::String(text) => Cow::Owned(text.into_bytes()),
            other => Cow::Owned(other.to_string().into_bytes()),
        }),
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

/// A body that something looks into, without its compression; `inflated` is memory to use.
pub fn inflate<'a>(
    head: &[u8],
    body: &'a [u8],
    inflated: &'a mut Vec<u8>,
) -> Result<&'a [u8], Reason> {
    let mut codings = header(head, "content-encoding");
    match codings.next() {
        None => Ok(body),
        Some(coding) if coding.eq_ignore_ascii_case(b"identity") => Ok(body),
        Some(coding) if coding.eq_ignore_ascii_case(b"gzip") => {
            inflated.clear();
            let most = KEPT_BYTES as u64;
            let read = MultiGzDecoder::new(body).take(most).read_to_end(inflated);
            match read {
                Ok(_) => Ok(inflated),
                // Only its begin was kept.
                Err(_) if body.len() == KEPT_BYTES => Ok(inflated),
                Err(_) => Err("a body that is no gzip".into()),
            }
        }
        Some(_) => Err("a compression that was not offered".into()),
    }
}

/// A text of HTML as it is meant.
fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    const MEANT: [(&[u8], u8); 6] = [
        (b"&amp;", b'&'),
        (b"&lt;", b'<'),
        (b"&gt;", b'>'),
        (b"&quot;", b'"'),
        (b"&#39;", b'\''),
        (b"&#x27;", b'\''),
    ];
    if !text.contains(&b'&') {
        return text.into();
    }
    let (mut meant, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some((first, after)) = rest.split_first() {
        if let Some((escape, letter)) = MEANT.iter().find(|(escape, _)| rest.starts_with(escape)) {
            meant.push(*letter);
            rest = &rest[escape.len()..];
        } else {
            meant.push(*first);
            rest = after;
        }
    }
    meant.into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use rand_core::SeedableRng;

    use super::*;

    const GZIP: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";

    #[test]
    fn compressed_bodies_are_inflated_within_bounds() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&vec![b'a'; 3 * KEPT_BYTES]).unwrap();
        let body = encoder.finish().unwrap();
        let mut memory = Vec::new();
        assert_eq!(inflate(GZIP, &body, &mut memory).unwrap().len(), KEPT_BYTES);
        assert!(inflate(GZIP, b"text", &mut memory).is_err());
        assert_eq!(
            inflate(b"HTTP/1.1 200 OK\r\n\r\n", b"text", &mut memory).unwrap(),
            b"text"
        );
        assert!(
            inflate(
                b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n",
                b"",
                &mut memory
            )
            .is_err()
        );
    }

    #[test]
    fn any_match_may_be_meant() {
        let expression = Regex::new(r"id=(\d)").unwrap();
        let (body, mut random) = (b"id=1 id=2 id=3", Xoshiro256PlusPlus::seed_from_u64(1));
        let found: std::collections::BTreeSet<_> = (0..50)
            .filter_map(|_| any_match(&expression, body, &mut random))
            .collect();
        assert_eq!(found.len(), 3);
        assert_eq!(any_match(&expression, b"", &mut random), None);
        assert_eq!(
            unescaped(b"a&amp;&quot;&b"),
            Cow::Borrowed(b"a&\"&b".as_slice())
        );
    }
}
