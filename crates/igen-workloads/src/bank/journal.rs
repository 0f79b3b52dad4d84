//! What was asked of the database and what it acknowledged, kept on this side.
//!
//! Each connection numbers its transactions from 1 and writes the number into the history. When a
//! connection breaks, at most one of them is in doubt: sent and not acknowledged.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The journals of all connections of one run.
pub(super) struct Journals {
    /// Tells this run's rows from those of other runs. Drawn at random, so that agents that load the
    /// same database at the same time need not agree.
    run: i64,
    opened: Mutex<Vec<Opened>>,
}

/// The journal of one connection, or of a part of its life.
#[derive(Clone)]
pub(super) struct Opened {
    pub(super) target: usize,
    /// Counted from 1.
    pub(super) session: i64,
    pub(super) journal: Arc<Journal>,
}

/// Written by one user and read when the load has ended. A cache line of its own, because users on
/// other processors write theirs at the same time.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Journal {
    sent: AtomicI64,
    acknowledged: AtomicI64,
}

/// A user's way to its journal.
pub(super) struct JournalWriter {
    journals: Arc<Journals>,
    open: Opened,
}

impl Journals {
    /// The empty journals of a new run.
    pub(super) fn of_a_new_run() -> Self {
        let random = RandomState::new().hash_one(0);
        Self {
            run: i64::from(u32::try_from(random >> 33).unwrap_or_default()),
            opened: Mutex::default(),
        }
    }

    /// The number of this run, 0 to 2^31 - 1.
    pub(super) fn run(&self) -> i64 {
        self.run
    }

    /// All journals of the connections to `target`.
    pub(super) fn of_target(&self, target: usize) -> Vec<Opened> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let of_target = opened.iter().filter(|opened| opened.target == target);
        of_target.cloned().collect()
    }

    /// A journal for a new connection to `target`.
    pub(super) fn writer(self: &Arc<Self>, target: usize) -> JournalWriter {
        JournalWriter {
            open: self.open(target),
            journals: Arc::clone(self),
        }
    }

    fn open(&self, target: usize) -> Opened {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let new = Opened {
            target,
            session: i64::try_from(opened.len()).unwrap_or(i64::MAX) + 1,
            journal: Arc::default(),
        };
        opened.push(new.clone());
        new
    }
}

impl Journal {
    /// Transactions that the database may have stored: acknowledged ones, and one in doubt.
    pub(super) fn sent(&self) -> i64 {
        self.sent.load(Ordering::Acquire)
    }

    /// Transactions that the database said it has stored.
    pub(super) fn acknowledged(&self) -> i64 {
        self.acknowledged.load(Ordering::Acquire)
    }
}

impl JournalWriter {
    /// What tells the next transaction from all others, for the history: run, session, number.
    pub(super) fn stamp(&self) -> [i64; 3] {
        let number = self.open.journal.acknowledged() + 1;
        [self.journals.run, self.open.session, number]
    }

    /// From now on the database may have stored the transaction.
    pub(super) fn send(&self) {
        let journal = &self.open.journal;
        let number = journal.acknowledged.load(Ordering::Relaxed) + 1;
        journal.sent.store(number, Ordering::Release);
    }

    /// The database has stored it.
    pub(super) fn acknowledge(&self) {
        let journal = &self.open.journal;
        let number = journal.sent.load(Ordering::Relaxed);
        journal.acknowledged.store(number, Ordering::Release);
    }

    /// The database has rolled it back for certain, such as after a deadlock.
    pub(super) fn withdraw(&self) {
        let journal = &self.open.journal;
        let number = journal.acknowledged.load(Ordering::Relaxed);
        journal.sent.store(number, Ordering::Release);
    }

    /// The transaction failed: if it is in doubt, the next ones are numbered anew.
    pub(super) fn fail(&mut self) {
        if self.open.journal.sent() > self.open.journal.acknowledged() {
            self.open = self.journals.open(self.open.target);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journals_of(journals: &Journals, target: usize) -> Vec<(i64, i64, i64)> {
        let opened = journals.of_target(target).into_iter();
        opened
            .map(|opened| {
                let journal = opened.journal;
                (opened.session, journal.sent(), journal.acknowledged())
            })
            .collect()
    }

    #[test]
    fn a_transaction_in_doubt_ends_its_journal() {
        let journals = Arc::new(Journals::of_a_new_run());
        let mut writer = journals.writer(0);
        let run = journals.run();
        for number in 1..=3 {
            assert_eq!(writer.stamp(), [run, 1, number]);
            writer.send();
            writer.acknowledge();
        }
        writer.fail();
        assert_eq!(writer.stamp(), [run, 1, 4], "failed before it was sent");
        writer.send();
        writer.withdraw();
        writer.fail();
        assert_eq!(writer.stamp(), [run, 1, 4], "rolled back for certain");
        writer.send();
        writer.fail();
        assert_eq!(writer.stamp(), [run, 2, 1]);
        assert_eq!(journals_of(&journals, 0), [(1, 4, 3), (2, 0, 0)]);
    }

    #[test]
    fn sessions_are_numbered_over_all_targets() {
        let journals = Arc::new(Journals::of_a_new_run());
        let writers = [0, 1, 0].map(|target| journals.writer(target));
        assert_eq!(writers.map(|writer| writer.stamp()[1]), [1, 2, 3]);
        assert_eq!(journals_of(&journals, 0), [(1, 0, 0), (3, 0, 0)]);
        assert_eq!(journals_of(&journals, 1), [(2, 0, 0)]);
    }

    #[test]
    fn runs_have_numbers_of_their_own_that_fit_the_column() {
        let runs: std::collections::BTreeSet<i64> =
            (0..100).map(|_| Journals::of_a_new_run().run()).collect();
        assert!(runs.len() > 90);
        assert!(runs.iter().all(|run| (0..1 << 31).contains(run)));
    }
}
