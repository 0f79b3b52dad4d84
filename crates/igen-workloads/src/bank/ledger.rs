//! What was asked of the database and what it acknowledged, kept on this side.
//!
//! Each connection numbers its transactions from 1 and writes the number into the history. When a
//! connection breaks, at most one of them is in doubt: sent and not acknowledged.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The ledgers of all connections of one run.
pub(super) struct Ledgers {
    /// Tells this run's rows from those of other runs. Drawn at random, so that agents that load the
    /// same database at the same time need not agree.
    run: i64,
    opened: Mutex<Vec<Opened>>,
}

/// The ledger of one connection, or of a part of its life.
#[derive(Clone)]
pub(super) struct Opened {
    pub(super) target: usize,
    /// Counted from 1.
    pub(super) session: i64,
    pub(super) ledger: Arc<Ledger>,
}

/// Written by one user and read when the load has ended. A cache line of its own, because users on
/// other processors write theirs at the same time.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Ledger {
    sent: AtomicI64,
    acknowledged: AtomicI64,
}

/// A user's way to its ledger.
pub(super) struct LedgerWriter {
    ledgers: Arc<Ledgers>,
    open: Opened,
}

impl Ledgers {
    /// The empty ledgers of a new run.
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

    /// All ledgers of the connections to `target`.
    pub(super) fn of_target(&self, target: usize) -> Vec<Opened> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let of_target = opened.iter().filter(|opened| opened.target == target);
        of_target.cloned().collect()
    }

    /// A ledger for a new connection to `target`.
    pub(super) fn writer(self: &Arc<Self>, target: usize) -> LedgerWriter {
        LedgerWriter {
            open: self.open(target),
            ledgers: Arc::clone(self),
        }
    }

    fn open(&self, target: usize) -> Opened {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let new = Opened {
            target,
            session: i64::try_from(opened.len()).unwrap_or(i64::MAX) + 1,
            ledger: Arc::default(),
        };
        opened.push(new.clone());
        new
    }
}

impl Ledger {
    /// Transactions that the database may have stored: acknowledged ones, and one in doubt.
    pub(super) fn sent(&self) -> i64 {
        self.sent.load(Ordering::Acquire)
    }

    /// Transactions that the database said it has stored.
    pub(super) fn acknowledged(&self) -> i64 {
        self.acknowledged.load(Ordering::Acquire)
    }
}

impl LedgerWriter {
    /// What tells the next transaction from all others, for the history: run, session, number.
    pub(super) fn stamp(&self) -> [i64; 3] {
        let number = self.open.ledger.acknowledged() + 1;
        [self.ledgers.run, self.open.session, number]
    }

    /// From now on the database may have stored the transaction.
    pub(super) fn send(&self) {
        let ledger = &self.open.ledger;
        let number = ledger.acknowledged.load(Ordering::Relaxed) + 1;
        ledger.sent.store(number, Ordering::Release);
    }

    /// The database has stored it.
    pub(super) fn acknowledge(&self) {
        let ledger = &self.open.ledger;
        let number = ledger.sent.load(Ordering::Relaxed);
        ledger.acknowledged.store(number, Ordering::Release);
    }

    /// The database has rolled it back for certain, such as after a deadlock.
    pub(super) fn withdraw(&self) {
        let ledger = &self.open.ledger;
        let number = ledger.acknowledged.load(Ordering::Relaxed);
        ledger.sent.store(number, Ordering::Release);
    }

    /// The transaction failed: if it is in doubt, the next ones are numbered anew.
    pub(super) fn fail(&mut self) {
        if self.open.ledger.sent() > self.open.ledger.acknowledged() {
            self.open = self.ledgers.open(self.open.target);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledgers_of(ledgers: &Ledgers, target: usize) -> Vec<(i64, i64, i64)> {
        let opened = ledgers.of_target(target).into_iter();
        opened
            .map(|opened| {
                let ledger = opened.ledger;
                (opened.session, ledger.sent(), ledger.acknowledged())
            })
            .collect()
    }

    #[test]
    fn a_transaction_in_doubt_ends_its_ledger() {
        let ledgers = Arc::new(Ledgers::of_a_new_run());
        let mut writer = ledgers.writer(0);
        let run = ledgers.run();
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
        assert_eq!(ledgers_of(&ledgers, 0), [(1, 4, 3), (2, 0, 0)]);
    }

    #[test]
    fn sessions_are_numbered_over_all_targets() {
        let ledgers = Arc::new(Ledgers::of_a_new_run());
        let writers = [0, 1, 0].map(|target| ledgers.writer(target));
        assert_eq!(writers.map(|writer| writer.stamp()[1]), [1, 2, 3]);
        assert_eq!(ledgers_of(&ledgers, 0), [(1, 0, 0), (3, 0, 0)]);
        assert_eq!(ledgers_of(&ledgers, 1), [(2, 0, 0)]);
    }

    #[test]
    fn runs_have_numbers_of_their_own_that_fit_the_column() {
        let runs: std::collections::BTreeSet<i64> =
            (0..100).map(|_| Ledgers::of_a_new_run().run()).collect();
        assert!(runs.len() > 90);
        assert!(runs.iter().all(|run| (0..1 << 31).contains(run)));
    }
}
