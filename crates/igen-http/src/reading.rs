//! What is wanted of the body of an answer.

use crate::search::{Search, Text};

/// What is wanted of the body of an answer.
#[derive(Debug, Clone)]
pub struct Reading {
    contains: Option<Text>,
    pub(crate) max_bytes: u64,
}

impl Reading {
    /// Looks for `contains` in bodies of up to `max_bytes`.
    #[must_use]
    pub fn new(contains: Option<&str>, max_bytes: u64) -> Self {
        Self {
            contains: contains.map(Text::new),
            max_bytes,
        }
    }

    /// A piece of the body passes by.
    #[inline]
    pub(crate) fn pass(&self, search: &mut Search, piece: &[u8]) {
        if let Some(text) = &self.contains {
            search.pass(text, piece);
        }
    }

    /// Whether what has passed is what was wanted.
    #[inline]
    pub(crate) fn is_met(&self, search: &Search) -> bool {
        self.contains.is_none() || search.has_found()
    }
}
