//! What the sessions of a database were seen to do or wait for, moment by moment.

use std::collections::BTreeMap;

/// An event that is no wait: on a processor, or ready for one.
pub(crate) const RUNNING: &str = "running";

/// Sums over all moments: these values only grow.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    moments: u64,
    active: u64,
    idle_in_transaction: u64,
    idle: u64,
    /// By name of the counter.
    events: BTreeMap<String, u64>,
    /// What was seen at the last moment.
    last: Moment,
}

/// Sessions at one moment.
#[derive(Debug, Default, Clone, Copy)]
struct Moment {
    active: u64,
    locked: u64,
}

/// A table or index that a wait is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Relation {
    /// `table orders`, `index orders_by_customer`.
    pub(crate) name: String,
    /// How that is known: `lock` from the lock that is waited for, `file` from the file, `object` from
    /// the server's own note, `statement` from the one table that the waiting statement names.
    pub(crate) told_by: &'static str,
}

impl Waits {
    /// Begins a moment; what is added next belongs to it.
    pub(crate) fn begin_moment(&mut self) {
        self.moments += 1;
        self.last = Moment::default();
    }

    /// So many sessions run a statement, in `event`, on `relation` where that is known.
    pub(crate) fn add_active(&mut self, event: &str, relation: Option<&Relation>, sessions: u64) {
        self.active += sessions;
        self.last.active += sessions;
        let name = match relation {
            Some(relation) => format!("{event}@{}:{}", relation.told_by, relation.name),
            None => event.to_owned(),
        };
        *self
            .events
            .entry(format!("wait_samples.{name}"))
            .or_default() += sessions;
    }

    /// So many of the sessions of this moment wait for a lock.
    pub(crate) fn add_locked(&mut self, sessions: u64) {
        self.last.locked += sessions;
    }

    /// So many sessions have a transaction open and wait for the client's next statement.
    pub(crate) fn add_idle_in_transaction(&mut self, sessions: u64) {
        self.idle_in_transaction += sessions;
    }

    /// So many sessions wait for the client's next transaction.
    pub(crate) fn add_idle(&mut self, sessions: u64) {
        self.idle += sessions;
    }

    /// Counters of a reading.
    pub(crate) fn counters(&self) -> impl Iterator<Item = (String, f64)> {
        [
            ("sampled_moments", self.moments),
            ("sampled_active", self.active),
            ("sampled_idle_in_transaction", self.idle_in_transaction),
            ("sampled_idle", self.idle),
        ]
        .into_iter()
        .map(|(name, count)| (name.to_owned(), count))
        .chain(self.events.clone())
        .map(|(name, count)| (name, count as f64))
    }

    /// Gauges of a reading: the last moment.
    pub(crate) fn gauges(&self) -> [(String, f64); 2] {
        [
            ("active_sessions".to_owned(), self.last.active as f64),
            ("waiting_for_locks".to_owned(), self.last.locked as f64),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_add_up_by_event_and_relation() {
        let orders = Relation {
            name: "table orders".to_owned(),
            told_by: "lock",
        };
        let mut waits = Waits::default();
        for _ in 0..2 {
            waits.begin_moment();
            waits.add_active(RUNNING, None, 3);
            waits.add_active("Lock.tuple", Some(&orders), 2);
            waits.add_locked(2);
            waits.add_idle_in_transaction(1);
        }
        waits.begin_moment();
        waits.add_active("Lock.tuple", None, 1);
        waits.add_idle(4);
        let expected = [
            ("sampled_moments", 3.0),
            ("sampled_active", 11.0),
            ("sampled_idle_in_transaction", 2.0),
            ("sampled_idle", 4.0),
            ("wait_samples.Lock.tuple", 1.0),
            ("wait_samples.Lock.tuple@lock:table orders", 4.0),
            ("wait_samples.running", 6.0),
        ];
        let counters: BTreeMap<String, f64> = waits.counters().collect();
        let expected: BTreeMap<String, f64> = expected
            .into_iter()
            .map(|(name, count)| (name.to_owned(), count))
            .collect();
        assert_eq!(counters, expected);
        let [active, locked] = waits.gauges();
        assert_eq!(active, ("active_sessions".to_owned(), 1.0));
        assert_eq!(locked, ("waiting_for_locks".to_owned(), 0.0));
    }
}
