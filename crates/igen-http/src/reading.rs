//! What is wanted of the body of an answer.

use crate::search::{Search, Text};

/// What is wanted of the body of an answer.
#[derive(Debug, Clone)]
pub struct Reading {
    contains: Option<Text>,
    pub(crate) max_bytes: u64,
    pub(crate) keeps_head: bool,
    keeps_bytes: usize,
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

    /// A piece of the body passes by.
    #[inline]
    pub(crate) fn pass(&self, search: &mut Search, piece: &[u8]) {
        if let Some(text) = &self.contains {
            search.pass(text, piece);
        }
        if self.keeps_bytes > 0 {
            let room = self.keeps_bytes.saturating_sub(search.kept.len());
            search
                .kept
                .extend_from_slice(&piece[..piece.len().min(room)]);
        }
    }

    /// Whether what has passed is what was wanted.
    #[inline]
    pub(crate) fn is_met(&self, search: &Search) -> bool {
        self.contains.is_none() || search.has_found()
    }
}
