//! A text that a body must contain, looked for while the body passes by.

use memchr::memmem::Finder;

use crate::long_body::LongBody;

/// A text, ready to be looked for in any number of bodies.
#[derive(Debug, Clone)]
pub(crate) struct Text(Finder<'static>);

/// A search in one body.
#[derive(Default)]
pub(crate) struct Search {
    found: bool,
    /// The last bytes that have passed, fewer than the text has.
    tail: Vec<u8>,
    /// The head of the answer, where it is kept.
    pub(crate) head: Vec<u8>,
    /// The first bytes of the body, where they are kept.
    pub(crate) kept: Vec<u8>,
    /// What looks at a body that is longer.
    pub(crate) long: Option<Box<dyn LongBody>>,
}

impl Text {
    pub(crate) fn new(text: &str) -> Self {
        Self(Finder::new(text.as_bytes()).into_owned())
    }
}

impl Search {
    /// A new body comes; memory that is there is used again.
    pub(crate) fn begin(&mut self) {
        self.found = false;
        self.tail.clear();
        self.kept.clear();
        self.long = None;
    }

    /// Gives the memory of what was kept back.
    pub(crate) fn forget(&mut self) {
        self.head = Vec::new();
        self.kept = Vec::new();
        self.long = None;
    }

    /// Returns true if the text has passed.
    pub(crate) fn has_found(&self) -> bool {
        self.found
    }

    /// The next piece of the body.
    pub(crate) fn pass(&mut self, text: &Text, piece: &[u8]) {
        if self.found {
            return;
        }
        let most = text.0.needle().len().saturating_sub(1);
        if !self.tail.is_empty() {
            // A text that begins in the tail ends in the first bytes of this piece.
            let tail = self.tail.len();
            self.tail.extend_from_slice(&piece[..piece.len().min(most)]);
            self.found = text.0.find(&self.tail).is_some();
            if piece.len() >= most {
                self.tail.clear();
            } else {
                let kept = (tail + piece.len()).min(most);
                self.tail.drain(..tail + piece.len() - kept);
            }
        }
        self.found |= text.0.find(piece).is_some();
        if self.tail.is_empty() {
            let kept = piece.len().min(most);
            self.tail.extend_from_slice(&piece[piece.len() - kept..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str, pieces: &[&[u8]]) -> bool {
        let (text, mut search) = (Text::new(text), Search::default());
        for piece in pieces {
            search.pass(&text, piece);
        }
        search.has_found()
    }

    #[test]
    fn a_text_is_found_across_seams() {
        assert!(found("needle", &[b"hay nee", b"dle hay"]));
        assert!(found("needle", &[b"n", b"e", b"e", b"d", b"l", b"e"]));
        assert!(found("needle", &[b"nneedl", b"", b"eedle needle"]));
        assert!(!found("needle", &[b"nee", b"hay", b"dle"]));
        assert!(found("x", &[b"", b"x"]));
    }

    proptest! {
        #[test]
        fn how_a_body_arrives_makes_no_difference(
            body in "[ab]{0,60}", text in "[ab]{1,6}", cuts in prop::collection::vec(0_usize..8, 0..60)
        ) {
            let (mut rest, mut pieces) = (body.as_bytes(), Vec::new());
            for cut in cuts {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            pieces.push(rest);
            prop_assert_eq!(found(&text, &pieces), body.contains(&text));
        }
    }
}
