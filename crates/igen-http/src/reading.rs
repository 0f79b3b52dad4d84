//! What is wanted of the body of an answer.

use std::sync::Arc;

use crate::long_body::LongBodies;
use crate::search::{Search, Text};

/// What is wanted of the body of an answer.
#[derive(Debug, Clone)]
pub struct Reading {
    contains: Option<Text>,
    pub(crate) max_bytes: u64,
    pub(crate) keeps_head: bool,
    keeps_bytes: usize,
    long: Option<Arc<dyn LongBodies>>,
}

impl Reading {
    /// Looks for `contains` in bodies of up to `max_bytes`.
    #[must_use]
    pub fn new(contains: Option<&str>, max_bytes: u64) -> Self {
        Self {
            contains: contains.map(Text::new),
            max_bytes,
            keeps_head: false,
            keeps_bytes: 0,
            long: None,
        }
    }

    /// Keeps the head of the answer too, and the first `bytes` of its body, for `Client::head` and `Client::body`.
    #[must_use]
    pub fn keeping(self, bytes: usize) -> Self {
        Self {
            keeps_head: true,
            keeps_bytes: bytes,
            ..self
        }
    }

    /// Lets these look at bodies that are longer than what is kept, for `Client::take_long_body`.
    #[must_use]
    pub fn looking_at(self, long: Arc<dyn LongBodies>) -> Self {
        Self {
            long: Some(long),
            ..self
        }
    }

    /// A piece of the body passes by.
    #[inline]
    pub(crate) fn pass(&self, search: &mut Search, piece: &[u8]) {
        if let Some(text) = &self.contains {
            search.pass(text, piece);
        }
        if self.keeps_bytes > 0 {
            let room = self.keeps_bytes.saturating_sub(search.kept.len());
            let (kept, more) = piece.split_at(piece.len().min(room));
            search.kept.extend_from_slice(kept);
            if !more.is_empty() {
                self.pass_on(search, more);
            }
        }
    }

    /// A piece that is too much to be kept.
    #[cold]
    fn pass_on(&self, search: &mut Search, piece: &[u8]) {
        let Some(long) = &self.long else {
            return;
        };
        let begin = || long.begin(&search.head, &search.kept);
        search.long.get_or_insert_with(begin).pass(piece);
    }

    /// Returns true if what has passed is what was wanted.
    #[inline]
    pub(crate) fn is_met(&self, search: &Search) -> bool {
        self.contains.is_none() || search.has_found()
    }
}
