//! Where in an answer values are.

use igen_job::JobError;
use memchr::memmem;
use regex::bytes::Regex;

use super::pointer::Pointer;
use crate::web::scenario;

/// Where in an answer a value is.
#[derive(Debug)]
pub enum Extract {
    /// The value of a form field or of a `meta` element of that name.
    Input(Box<str>),
    /// In JSON.
    Json(Pointer),
    /// A header.
    Header(Box<str>),
    /// A cookie that the user has then.
    Cookie(Box<str>),
    /// The first match of an expression, or any one of them.
    Regex { expression: Regex, random: bool },
}

impl Extract {
    /// What the scenario says at `path`.
    pub fn new(extract: &scenario::Extract, path: &str) -> Result<Self, JobError> {
        let scenario::Extract {
            input,
            json,
            header,
            cookie,
            regex,
            random,
        } = extract;
        let found = match (input, json, header, cookie, regex) {
            (Some(name), None, None, None, None) => Self::Input(name.as_str().into()),
            (None, Some(pointer), None, None, None) => Self::Json(
                Pointer::new(pointer).map_err(|text| JobError::at(format!("{path}.json"), text))?,
            ),
            (None, None, Some(name), None, None) => Self::Header(name.as_str().into()),
            (None, None, None, Some(name), None) => Self::Cookie(name.as_str().into()),
            (None, None, None, None, Some(text)) => {
                let expression = Regex::new(text).map_err(|error| {
                    JobError::at(
                        format!("{path}.regex"),
                        error.to_string().replace('\n', " "),
                    )
                })?;
                return Ok(Self::Regex {
                    expression,
                    random: *random,
                });
            }
            _ => {
                return Err(JobError::at(path, "exactly one place is needed")
                    .hint("use one of input, json, header, cookie, regex"));
            }
        };
        if *random {
            return Err(JobError::at(
                format!("{path}.random"),
                "it goes with regex only",
            ));
        }
        Ok(found)
    }

    /// Whether it looks into the body.
    pub fn reads_body(&self) -> bool {
        matches!(self, Self::Input(_) | Self::Json(_) | Self::Regex { .. })
    }
}

/// The value of the form field, or the content of the `meta` element, of that name; as it stands in HTML.
pub fn input<'a>(html: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let mut from = 0;
    while let Some(at) = memmem::find(&html[from..], name.as_bytes()) {
        let at = from + at;
        from = at + name.len();
        let Some(open) = html[..at].iter().rposition(|byte| *byte == b'<') else {
            continue;
        };
        let element = &html[open..];
        let (Some(end), Some(kind)) = (end_of(element), element.get(1..)) else {
            continue;
        };
        if open + end < at
            || ![b"input".as_slice(), b"meta", b"button"]
                .iter()
                .any(|it| starts(kind, it))
        {
            continue;
        }
        let element = &element[..end];
        if attribute(element, b"name") == Some(name.as_bytes()) {
            return attribute(element, b"value").or_else(|| attribute(element, b"content"));
        }
    }
    None
}

fn starts(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(word))
        && text.get(word.len()).is_some_and(u8::is_ascii_whitespace)
}

/// Where an element ends, whose attributes may have `>` within quotes.
fn end_of(element: &[u8]) -> Option<usize> {
    let mut quote = None;
    element.iter().position(|byte| match (quote, byte) {
        (None, b'>') => true,
        (None, b'"' | b'\'') => {
            quote = Some(*byte);
            false
        }
        (Some(open), byte) if open == *byte => {
            quote = None;
            false
        }
        _ => false,
    })
}

fn attribute<'a>(element: &'a [u8], wanted: &[u8]) -> Option<&'a [u8]> {
    let mut rest = element.get(element.iter().position(u8::is_ascii_whitespace)?..)?;
    loop {
        rest = rest.trim_ascii_start();
        let end = rest
            .iter()
            .position(|byte| byte.is_ascii_whitespace() || b"=/>".contains(byte))
            .unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let behind = behind.trim_ascii_start();
        let (value, after) = match behind.strip_prefix(b"=") {
            None => (&b""[..], behind),
            Some(behind) => {
                let behind = behind.trim_ascii_start();
                if let Some(quote @ (b'"' | b'\'')) = behind.first() {
                    let close = behind[1..].iter().position(|byte| byte == quote)?;
                    (&behind[1..=close], &behind[close + 2..])
                } else {
                    let end = behind
                        .iter()
                        .position(|byte| byte.is_ascii_whitespace() || *byte == b'>');
                    behind.split_at(end.unwrap_or(behind.len()))
                }
            }
        };
        if !name.is_empty() && name.eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        let after = after.strip_prefix(b"/").unwrap_or(after);
        if after.is_empty() || after.len() == rest.len() {
            return None;
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_value_of_a_field_is_found() {
        for (html, value) in [
            (
                "<p>csrf</p><input type=\"hidden\" name=\"csrf\" value=\"a b\">",
                Some("a b"),
            ),
            ("<INPUT VALUE='x' NAME=csrf >", Some("x")),
            ("<input name='csrf' value=x>", Some("x")),
            ("<meta name=\"csrf\" content=\"y\"/>", Some("y")),
            (
                "<input name=\"csrf2\" value=\"n\"><input title=\"a>b\" name=\"csrf\" value=\"z\">",
                Some("z"),
            ),
            ("<input name=\"csrf\" value=\"\">", Some("")),
            ("<input name=\"csrf\">", None),
            ("<a name=\"csrf\" value=\"n\">", None),
            ("csrf", None),
            ("<input name=\"csrf\" value=\"n", None),
        ] {
            assert_eq!(
                input(html.as_bytes(), "csrf"),
                value.map(str::as_bytes),
                "{html}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_searched_to_their_end(html in "[<>=\"' /abinputme]{0,60}") {
            let _ = input(html.as_bytes(), "a");
        }
    }
}
