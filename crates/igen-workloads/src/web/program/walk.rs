//! A value in JSON that comes piece by piece, by its pointer; nothing of it is kept but that value.

use memchr::memchr2;
use serde_json::Value;

use super::pointer::{Pointer, place_in_list};

/// What lies deeper is taken for no JSON.
const MOST_DEPTH: usize = 1_000;
/// A name of so many bytes for each of its own is not read on: an escape takes six.
const ESCAPED_BYTES: usize = 6;

/// The way to a value, as far as the JSON has come.
#[derive(Debug)]
pub struct Walk {
    pointer: Pointer,
    /// Longest value.
    most_bytes: usize,
    at: At,
    /// What is open, the outermost first: `true` for an object.
    open: Vec<bool>,
    /// The place where each one is that lies on the way to the value: the first ones of what is open.
    places: Vec<usize>,
    /// A name comes next, or the end of an object.
    expects_name: bool,
    /// The value that comes next is on the way, or the one.
    is_led: bool,
    /// The name that is being read in the innermost one on the way.
    name: Vec<u8>,
    /// The value as it was written.
    value: Option<Vec<u8>>,
    /// It is being read, and lies so deep.
    depth: Option<usize>,
    has_ended: bool,
}

/// Where in the JSON the next byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Between words and texts.
    Between,
    /// In a number, or in a word such as `true`.
    Word,
    /// In a text, which may be the name of a member.
    Text { is_name: bool, is_escaped: bool },
    /// Behind something that is no JSON.
    Nowhere,
}

/// What comes is no JSON.
struct NoJson;

impl Walk {
    /// The way to the value at `pointer`, if that has at most so many bytes.
    pub fn new(pointer: &Pointer, most_bytes: usize) -> Self {
        Self {
            pointer: pointer.clone(),
            most_bytes,
            at: At::Between,
            open: Vec::new(),
            places: Vec::new(),
            expects_name: false,
            is_led: true,
            name: Vec::new(),
            value: None,
            depth: None,
            has_ended: false,
        }
    }

    /// The next piece.
    pub fn pass(&mut self, mut piece: &[u8]) {
        while let Some(first) = piece.first() {
            let read = match self.at {
                At::Nowhere => return,
                At::Text { .. } => Ok(self.text(piece)),
                At::Between | At::Word => self.byte(*first).map(|()| 1),
            };
            match read {
                Ok(read) => piece = &piece[read..],
                Err(NoJson) => self.at = At::Nowhere,
            }
        }
    }

    /// The value, where all has come; `None` where there is none, or where that is no JSON.
    pub fn end(mut self) -> Option<Value> {
        if self.at == At::Word {
            self.value_ends();
            self.at = At::Between;
        }
        let is_whole = self.has_ended && self.at == At::Between;
        serde_json::from_slice(&self.value.filter(|_| is_whole)?).ok()
    }

    /// Reads a text up to its end or the piece's; how many bytes that takes.
    fn text(&mut self, piece: &[u8]) -> usize {
        let At::Text {
            is_name,
            is_escaped,
        } = self.at
        else {
            return 0;
        };
        let end = if is_escaped {
            Some(0)
        } else {
            memchr2(b'"', b'\\', piece)
        };
        let read = end.map_or(piece.len(), |end| end + 1);
        self.keep(&piece[..read], is_name);
        let last = end.map(|end| piece[end]).filter(|_| !is_escaped);
        self.at = At::Text {
            is_name,
            is_escaped: last == Some(b'\\'),
        };
        if last == Some(b'"') {
            self.at = At::Between;
            if is_name {
                self.name_ends();
            } else {
                self.value_ends();
            }
        }
        read
    }

    /// A byte outside of texts.
    fn byte(&mut self, byte: u8) -> Result<(), NoJson> {
        let is_space = byte.is_ascii_whitespace();
        if self.at == At::Word && (is_space || b",:{}[]\"".contains(&byte)) {
            self.at = At::Between;
            self.value_ends();
        }
        if self.has_ended && !is_space {
            return Err(NoJson);
        }
        match byte {
            b'"' if self.expects_name => {
                self.expects_name = false;
                self.name.clear();
                self.keep(b"\"", true);
                self.at = At::Text {
                    is_name: true,
                    is_escaped: false,
                };
            }
            b'"' => {
                self.value_begins();
                self.keep(b"\"", false);
                self.at = At::Text {
                    is_name: false,
                    is_escaped: false,
                };
            }
            b'{' | b'[' => self.opens(byte == b'{')?,
            b'}' | b']' => self.closes(byte == b'}')?,
            b',' => {
                self.keep(b",", false);
                self.goes_on()?;
            }
            byte => {
                if self.at == At::Between && !is_space && byte != b':' {
                    if self.expects_name {
                        return Err(NoJson);
                    }
                    self.value_begins();
                    self.at = At::Word;
                }
                self.keep(&[byte], false);
            }
        }
        Ok(())
    }

    /// An object or a list begins.
    fn opens(&mut self, is_object: bool) -> Result<(), NoJson> {
        if self.expects_name || self.open.len() == MOST_DEPTH {
            return Err(NoJson);
        }
        let is_on_the_way = self.value_begins();
        self.keep(if is_object { b"{" } else { b"[" }, false);
        self.open.push(is_object);
        self.expects_name = is_object;
        if is_on_the_way {
            self.places.push(0);
            self.is_led = !is_object && self.wanted() == Some(0);
        }
        Ok(())
    }

    /// An object or a list ends.
    fn closes(&mut self, is_object: bool) -> Result<(), NoJson> {
        if self.open.pop() != Some(is_object) {
            return Err(NoJson);
        }
        self.keep(if is_object { b"}" } else { b"]" }, false);
        self.places.truncate(self.open.len());
        (self.expects_name, self.is_led) = (false, false);
        self.value_ends();
        Ok(())
    }

    /// Another member or element comes.
    fn goes_on(&mut self) -> Result<(), NoJson> {
        let is_object = *self.open.last().ok_or(NoJson)?;
        self.expects_name = is_object;
        if !is_object
            && self.is_in_the_way()
            && let Some(place) = self.places.last_mut()
        {
            *place += 1;
            let place = *place;
            self.is_led = self.wanted() == Some(place);
        }
        Ok(())
    }

    /// A value begins; whether the one that is looked for may be in it.
    fn value_begins(&mut self) -> bool {
        let is_led = std::mem::take(&mut self.is_led);
        let is_it = is_led && self.open.len() == self.pointer.steps().len();
        if is_it {
            self.depth = Some(self.open.len());
            self.value = Some(Vec::new());
        }
        is_led && !is_it
    }

    fn value_ends(&mut self) {
        if self.depth == Some(self.open.len()) {
            self.depth = None;
        }
        self.has_ended = self.open.is_empty();
    }

    /// The name of a member has ended, with its quotes.
    fn name_ends(&mut self) {
        if !self.is_in_the_way() {
            return;
        }
        let step = &*self.pointer.steps()[self.open.len() - 1];
        let plain = self.name.get(1..self.name.len() - 1).unwrap_or_default();
        self.is_led = if plain.contains(&b'\\') {
            serde_json::from_slice::<String>(&self.name).is_ok_and(|name| name == step)
        } else {
            plain == step.as_bytes()
        };
        // Of several members of one name the last one counts.
        if self.is_led {
            self.value = None;
        }
    }

    /// Returns true if the innermost one that is open is on the way to the value.
    fn is_in_the_way(&self) -> bool {
        self.places.len() == self.open.len()
    }

    /// The place that is wanted in the list which was opened last, where that is on the way.
    fn wanted(&self) -> Option<usize> {
        place_in_list(&self.pointer.steps()[self.open.len() - 1])
    }

    /// Keeps bytes of the value, or of a name that may lead to it.
    fn keep(&mut self, bytes: &[u8], is_name: bool) {
        if let (Some(_), Some(value)) = (self.depth, &mut self.value) {
            value.extend_from_slice(bytes);
            if value.len() > self.most_bytes {
                (self.value, self.depth) = (None, None);
            }
        } else if is_name && self.is_in_the_way() {
            let step = &self.pointer.steps()[self.open.len() - 1];
            let room = (ESCAPED_BYTES * step.len() + 3).saturating_sub(self.name.len());
            self.name.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::pointer::tests::any_json;
    use super::*;

    const MOST: usize = 1_000;

    /// The value in a text that comes in pieces of these lengths, again and again.
    fn walked(pointer: &str, text: &str, lengths: &[usize]) -> Option<Value> {
        let mut walk = Walk::new(&Pointer::new(pointer).unwrap(), MOST);
        let mut rest = text.as_bytes();
        for length in lengths.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*length).clamp(1, rest.len()));
            walk.pass(piece);
            rest = after;
        }
        walk.end()
    }

    proptest! {
        #[test]
        fn it_finds_what_a_tree_has_however_the_text_arrives(
            value in any_json(),
            path in prop::collection::vec("([a-c01]|~0|~1){0,2}", 0..4),
            lengths in prop::collection::vec(1_usize..9, 1..9),
            is_pretty in any::<bool>(),
        ) {
            let pointer = path.iter().fold(String::new(), |pointer, step| pointer + "/" + step);
            let text = if is_pretty { format!("{value:#}\n") } else { value.to_string() };
            let found = walked(&pointer, &text, &lengths);
            prop_assert_eq!(found.as_ref(), value.pointer(&pointer), "{} in {}", pointer, text);
        }

        #[test]
        fn half_of_it_has_no_values(
            value in any_json(),
            cut in any::<prop::sample::Index>(),
            lengths in prop::collection::vec(1_usize..9, 1..9),
        ) {
            let text = json!({"a": value}).to_string();
            prop_assert_eq!(walked("/a", &text[..cut.index(text.len())], &lengths), None);
        }

        #[test]
        fn garbage_has_an_end(text in "[\\[\\]{}\",:a01\\\\ -]{0,40}", pointer in "(/[a01]){0,3}") {
            let found = walked(&pointer, &text, &[3]);
            if serde_json::from_str::<Value>(&text).is_ok() {
                prop_assert_eq!(found, Pointer::new(&pointer).unwrap().find(text.as_bytes()));
            }
        }
    }

    #[test]
    fn names_may_have_escapes_and_come_again() {
        let text =
            r#"{"x": {"a": 0}, "\u0061": [1, {"b\n": 2}], "a": [{"b": 1}, {"b\n" : " \" "}]}"#;
        assert_eq!(walked("/a/1/b\n", text, &[1]), Some(json!(" \" ")));
        assert_eq!(walked("/a/0/c", text, &[1]), None);
        assert_eq!(walked("/x/a", text, &[7]), Some(json!(0)));
        // The last one counts, and it is none.
        assert_eq!(walked("/a/b", r#"{"a": {"b": 1}, "a": 2}"#, &[5]), None);
    }

    #[test]
    fn what_is_no_json_has_no_values() {
        for text in [
            "",
            "<html>",
            "{\"a\":1",
            "{\"a\":1}x",
            "{\"a\":1]",
            "{a:1}",
            "\"a\"",
            "{\"a\":ja}",
        ] {
            assert_eq!(walked("/a", text, &[2]), None, "{text}");
        }
        let deep = "[".repeat(MOST_DEPTH + 1) + &"]".repeat(MOST_DEPTH + 1);
        assert_eq!(walked("/0", &deep, &[100]), None);
    }

    #[test]
    fn a_value_that_is_too_long_is_none() {
        for (length, is_there) in [(MOST - 2, true), (MOST - 1, false)] {
            let text = json!({"b": 1, "a": "x".repeat(length)}).to_string();
            assert_eq!(walked("/a", &text, &[64]).is_some(), is_there);
            assert_eq!(walked("/b", &text, &[64]), Some(json!(1)));
        }
    }
}
