//! A text that bodies must contain, looked for first where an earlier body has had it: pages of one kind have it in
//! nearly the same place.

use std::sync::atomic::{AtomicIsize, Ordering};

use memchr::memmem::Finder;

/// So far before and behind its earlier place a text is looked for first.
const NEAR_BYTES: usize = 256;

/// A text that bodies must contain.
#[derive(Debug)]
pub struct Text {
    finder: Finder<'static>,
    /// Where it was found: from the begin of the body, or below zero from its end. A guess, which users share.
    place: AtomicIsize,
}

impl Text {
    /// Ready to be looked for in any number of bodies.
    pub fn new(text: &str) -> Self {
        Self {
            finder: Finder::new(text.as_bytes()).into_owned(),
            place: AtomicIsize::new(0),
        }
    }

    /// What looks for it from the begin of a body.
    pub fn finder(&self) -> &Finder<'static> {
        &self.finder
    }

    /// Returns true if `body` has it, anywhere.
    pub fn is_in(&self, body: &[u8]) -> bool {
        let place = self.place.load(Ordering::Relaxed);
        let from = if place < 0 { body.len() } else { 0 };
        let at = from.saturating_add_signed(place).min(body.len());
        let begin = at.saturating_sub(NEAR_BYTES);
        let end = at.saturating_add(self.finder.needle().len() + NEAR_BYTES);
        let near = &body[begin..end.min(body.len())];
        if self.finder.find(near).is_some() {
            return true;
        }
        // Looked at whole already.
        if near.len() == body.len() {
            return false;
        }
        let Some(at) = self.finder.find(body) else {
            return false;
        };
        // What changes in length is mostly in the middle: the nearer end is the steadier one.
        let from = if at < body.len() / 2 { 0 } else { body.len() };
        self.place
            .store(at.wrapping_sub(from).cast_signed(), Ordering::Relaxed);
        true
    }
}

#[cfg(test)]
mod tests {
    use memchr::memmem;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_found_wherever_it_has_moved_to() {
        let text = Text::new("needle");
        let hay = "hay ".repeat(1_000);
        for (before, after) in [(0, 4_000), (4_000, 0), (4_000, 4_000), (3_000, 900), (0, 0)] {
            for gone in 0..3 {
                let whole = format!("{}needle{}", &hay[..before], &hay[gone..after.max(gone)]);
                assert!(text.is_in(whole.as_bytes()), "{before} {after} {gone}");
                assert!(!text.is_in(hay.as_bytes()));
                assert!(!text.is_in(b""));
            }
        }
    }

    #[test]
    fn its_place_is_learned_from_the_nearer_end() {
        let hay = "hay ".repeat(1_000);
        for (before, after) in [(500, 4_000), (4_000, 500)] {
            let text = Text::new("needle");
            assert!(text.is_in(format!("{}needle{}", &hay[..before], &hay[..after]).as_bytes()));
            let place = text.place.load(Ordering::Relaxed);
            assert_eq!(place, if before == 500 { 500 } else { -506 });
        }
    }

    proptest! {
        #[test]
        fn the_bodies_before_make_no_difference(
            text in "[ab]{1,10}",
            bodies in prop::collection::vec(("[abc]{0,30}", 0_usize..900, "[abc]{0,30}", 0_usize..900, "[abc]{0,30}"), 1..20),
        ) {
            let learned = Text::new(&text);
            for (one, filling, two, more, three) in bodies {
                let body = [one, "x".repeat(filling), two, "y".repeat(more), three].concat();
                let plain = memmem::find(body.as_bytes(), text.as_bytes()).is_some();
                prop_assert_eq!(learned.is_in(body.as_bytes()), plain);
            }
        }
    }
}
