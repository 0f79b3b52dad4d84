//! What one load did in one interval, and what several did together, before it is written.

use std::collections::BTreeMap;

use igen_job::Reason;
use igen_job::event::{ArrivalCounts, PersonaSnapshot, Statistics};
use igen_job::failure::FailureCount;

use crate::series_total::SeriesTotal;

/// What a load did in an interval.
#[derive(Clone, Default)]
pub(crate) struct Interval {
    /// At its end.
    pub(crate) users: u32,
    pub(crate) think_ns: u64,
    pub(crate) transactions: SeriesTotal,
    /// Empty where they are not told.
    pub(crate) operations: BTreeMap<String, SeriesTotal>,
    /// Empty where there is one.
    pub(crate) targets: Vec<SeriesTotal>,
    pub(crate) counters: BTreeMap<String, u64>,
    pub(crate) failures: BTreeMap<Reason, u64>,
    /// Absent for a closed load.
    pub(crate) arrivals: Option<ArrivalCounts>,
}

impl Interval {
    /// All of `parts` together; operations, counters and failures by name.
    pub(crate) fn sum(parts: &[Self]) -> Self {
        let mut sum = Self::default();
        for part in parts {
            sum.add(part);
        }
        sum
    }

    fn add(&mut self, part: &Self) {
        self.users += part.users;
        self.think_ns += part.think_ns;
        self.transactions.merge(&part.transactions);
        for (name, series) in &part.operations {
            self.operations
                .entry(name.clone())
                .or_default()
                .merge(series);
        }
        if self.targets.len() < part.targets.len() {
            self.targets
                .resize_with(part.targets.len(), SeriesTotal::default);
        }
        for (total, series) in self.targets.iter_mut().zip(&part.targets) {
            total.merge(series);
        }
        add_counts(&mut self.counters, &part.counters);
        add_counts(&mut self.failures, &part.failures);
        if let Some(more) = part.arrivals {
            let so_far = self.arrivals.unwrap_or_default();
            self.arrivals = Some(ArrivalCounts {
                due: so_far.due + more.due,
                started: so_far.started + more.started,
                unsent: so_far.unsent + more.unsent,
                backlog: so_far.backlog + more.backlog,
            });
        }
    }

    /// The operations as a snapshot tells them; of a `long` list without those of which none ended.
    pub(crate) fn told_operations(&self, long: bool) -> BTreeMap<String, Statistics> {
        let told = self
            .operations
            .iter()
            .filter(|(_, each)| !long || !each.is_empty());
        told.map(|(name, each)| (name.clone(), each.statistics()))
            .collect()
    }

    /// As a snapshot tells it of a persona.
    pub(crate) fn of_persona(self, long_operations: bool) -> PersonaSnapshot {
        PersonaSnapshot {
            users: self.users,
            think_time_ns: self.think_ns,
            transactions: self.transactions.statistics(),
            operations: self.told_operations(long_operations),
            counters: self.counters,
            failures: told_failures(self.failures),
            arrivals: self.arrivals,
        }
    }
}

/// Failures as a snapshot tells them.
pub(crate) fn told_failures(failures: BTreeMap<Reason, u64>) -> Vec<FailureCount> {
    failures.into_iter().map(FailureCount::from).collect()
}

fn add_counts<K: Ord + Clone>(totals: &mut BTreeMap<K, u64>, counts: &BTreeMap<K, u64>) {
    for (key, count) in counts {
        *totals.entry(key.clone()).or_default() += count;
    }
}
