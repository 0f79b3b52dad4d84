//! What this process has sent to a directory, to the operation: so that the server's own count can
//! be held against it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A kind of operation, as servers count them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestKind {
    Bind,
    Unbind,
    Search,
    Modify,
    Add,
    Delete,
    Extended,
}

impl RequestKind {
    pub(super) const COUNT: usize = 7;

    /// In facts, and in upper or lower case in `cn=Operations,cn=Monitor`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bind => "bind",
            Self::Unbind => "unbind",
            Self::Search => "search",
            Self::Modify => "modify",
            Self::Add => "add",
            Self::Delete => "delete",
            Self::Extended => "extended",
        }
    }
}

/// Operations by kind, of all connections that are gone.
#[derive(Debug, Default)]
pub(super) struct Sent([AtomicU64; RequestKind::COUNT]);

/// Those of one connection, which alone writes them.
#[derive(Debug)]
pub(super) struct Tally {
    own: [u64; RequestKind::COUNT],
    sent: Arc<Sent>,
}

impl Tally {
    pub(super) fn new(sent: Arc<Sent>) -> Self {
        Self {
            own: [0; RequestKind::COUNT],
            sent,
        }
    }

    #[inline]
    pub(super) fn count(&mut self, kind: RequestKind) {
        self.own[kind as usize] += 1;
    }

    /// With those of all connections that are gone.
    pub(super) fn total(&self) -> [u64; RequestKind::COUNT] {
        std::array::from_fn(|kind| self.own[kind] + self.sent.0[kind].load(Ordering::Relaxed))
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        for (sent, own) in self.sent.0.iter().zip(self.own) {
            sent.fetch_add(own, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_connection_sent_is_counted_once_also_when_it_is_gone() {
        let sent = Arc::new(Sent::default());
        let mut first = Tally::new(Arc::clone(&sent));
        first.count(RequestKind::Search);
        first.count(RequestKind::Search);
        drop(first);
        let mut second = Tally::new(sent);
        second.count(RequestKind::Bind);
        assert_eq!(second.total(), [1, 0, 2, 0, 0, 0, 0]);
    }
}
