//! Form fields and `meta` elements of a page. Nothing else of its HTML is understood.

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};

/// Elements with a name and a value.
const KINDS: [&str; 3] = ["input", "meta", "button"];

/// The value of the form field, or the content of the `meta` element, of that name; as it stands in HTML, which
/// has the name `first` there. An element names itself before any other `<`: so no byte is looked at again for each
/// name that a page repeats.
pub fn input<'a>(html: &'a [u8], name: &Finder<'_>, first: usize) -> Option<&'a [u8]> {
    let (mut from, mut at) = (0, first);
    loop {
        let behind = at + name.needle().len();
        let open = memrchr(b'<', &html[from..at]).map(|open| from + open);
        let next = memchr(b'<', &html[behind..]).map_or(html.len(), |next| behind + next);
        if let Some(open) = open
            && attributes(&html[open..next]).and_then(own_name) == Some(name.needle())
        {
            return value(&html[open..]);
        }
        from = next;
        at = from + name.find(&html[from..])?;
    }
}

/// The value or content of an element, if that is there up to its `>`.
fn value(element: &[u8]) -> Option<&[u8]> {
    let mut attributes = attributes(element)?;
    let (mut value, mut content) = (None, None);
    for (name, own) in attributes.by_ref() {
        if name.eq_ignore_ascii_case(b"value") {
            value.get_or_insert(own);
        } else if name.eq_ignore_ascii_case(b"content") {
            content.get_or_insert(own);
        }
    }
    let found = value.or(content);
    found.filter(|_| attributes.0.first() == Some(&b'>'))
}

/// The attributes of an element that may have a name and a value.
fn attributes(element: &[u8]) -> Option<Attributes<'_>> {
    let inside = element.get(1..)?;
    KINDS.iter().find_map(|kind| {
        let (own, rest) = inside.split_at_checked(kind.len())?;
        let is_one =
            own.eq_ignore_ascii_case(kind.as_bytes()) && rest.first()?.is_ascii_whitespace();
        is_one.then_some(Attributes(rest))
    })
}

/// What an element with these attributes calls itself.
fn own_name(mut attributes: Attributes<'_>) -> Option<&[u8]> {
    attributes.find_map(|(name, value)| name.eq_ignore_ascii_case(b"name").then_some(value))
}

/// Names and values up to the `>` that ends an element, which then is what is left.
struct Attributes<'a>(&'a [u8]);

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.0 = trimmed(self.0);
        if self.0.first()? == &b'>' {
            return None;
        }
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"=/>".contains(byte);
        let end = self.0.iter().position(is_end).unwrap_or(self.0.len());
        let (name, rest) = self.0.split_at(end);
        let Some(behind) = rest.trim_ascii_start().strip_prefix(b"=") else {
            self.0 = rest;
            return Some((name, b""));
        };
        let behind = behind.trim_ascii_start();
        // A value that does not end is none.
        self.0 = &[];
        let (value, rest) = if let Some((quote @ (b'"' | b'\''), behind)) = behind.split_first() {
            let close = memchr(*quote, behind)?;
            (&behind[..close], &behind[close + 1..])
        } else {
            let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
            behind.split_at(behind.iter().position(is_end)?)
        };
        self.0 = rest;
        Some((name, value))
    }
}

/// Without what may stand between attributes.
fn trimmed(text: &[u8]) -> &[u8] {
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'/';
    let begin = text.iter().position(|byte| !is_between(byte));
    &text[begin.unwrap_or(text.len())..]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fmt::Write;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::web::body::KEPT_BYTES;

    fn found<'a>(html: &'a str, name: &str) -> Option<&'a [u8]> {
        let name = Finder::new(name);
        input(html.as_bytes(), &name, name.find(html.as_bytes())?)
    }

    #[test]
    fn the_value_of_a_field_is_found() {
        for (html, value) in [
            (
                "<p>csrf</p><input type=\"hidden\" name=\"csrf\" value=\"a b\">",
                Some("a b"),
            ),
            ("<INPUT VALUE='x' NAME=csrf >", Some("x")),
            ("<input name='csrf' value=x>", Some("x")),
            ("<input name='csrf' value=it's>", Some("it's")),
            ("<input name='csrf' value='a<b'>", Some("a<b")),
            ("<meta name=\"csrf\" content=\"y\"/>", Some("y")),
            (
                "<input name=\"csrf2\" value=\"n\"><input title=\"a>b\" name=\"csrf\" value=\"z\">",
                Some("z"),
            ),
            (
                "<script>'<input ' + csrf</script><input name=csrf value=z>",
                Some("z"),
            ),
            ("<input name=\"csrf\" value=\"\">", Some("")),
            ("<input name=\"csrf\">", None),
            ("<input name=other name=csrf value=n>", None),
            ("<a name=\"csrf\" value=\"n\">", None),
            ("csrf", None),
            ("<input name=\"csrf\" value=\"n", None),
            ("<input name=\"csrf\" value=n", None),
            ("<input value=n name=\"csrf\"", None),
        ] {
            assert_eq!(found(html, "csrf"), value.map(str::as_bytes), "{html}");
        }
    }

    #[test]
    fn no_page_is_read_for_each_name_in_it() {
        for piece in [
            "a ",
            "<input a ",
            "<input 'a\" ",
            "<input name=a' ",
            "<input b='<a' ",
        ] {
            for before in ["", "<input "] {
                let page = before.to_owned() + &piece.repeat(2 * KEPT_BYTES / piece.len());
                let (sender, receiver) = channel();
                std::thread::spawn(move || sender.send(found(&page, "a").is_some()));
                // A thousand times what it takes: hours, where each name costs a look at all of the page.
                let found = receiver.recv_timeout(Duration::from_mins(1));
                assert!(!found.unwrap(), "{before}{piece}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_searched_to_their_end(html in "[<>=\"' /abinputme]{0,60}") {
            let _ = found(&html, "a");
        }

        #[test]
        fn the_first_field_of_that_name_is_found(
            page in prop::collection::vec(("(input|META|p)", "['\"]?", "[ab]{1,2}", "[abc<]{1,3}", "[ab<]{0,4}"), 0..8)
        ) {
            let mut html = String::new();
            for (kind, quote, name, value, text) in &page {
                let _ = write!(html, "<{kind} id=a name={quote}{name}{quote} value={quote}{value}{quote}>{text}");
            }
            let is_it = |kind: &str, name: &str| kind != "p" && name == "a";
            let field = page.iter().find(|(kind, _, name, ..)| is_it(kind, name));
            prop_assert_eq!(found(&html, "a"), field.map(|it| it.3.as_bytes()), "{}", html);
        }
    }
}
