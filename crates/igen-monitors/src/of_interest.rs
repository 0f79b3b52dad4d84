//! The processes that work for the job: whoever else uses processor time disturbs it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The processes that work for the job; shared by the monitors, which find some of them while it runs.
#[derive(Debug, Clone)]
pub(crate) struct OfInterest {
    /// Those of the job, and the agent's own.
    named: Vec<u32>,
    /// Those of servers and tiers.
    found: Arc<Mutex<HashMap<Holder, HashSet<u32>>>>,
}

/// Whose processes some are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Holder {
    /// A server's, by its first process.
    Server(u32),
    /// A tier's, by its place in the job.
    Tier(usize),
}

impl OfInterest {
    pub(crate) fn new(pids: &[u32]) -> Self {
        Self {
            named: [pids, &[std::process::id()]].concat(),
            found: Arc::default(),
        }
    }

    /// Says which processes a server or a tier has now.
    pub(crate) fn set(&self, holder: Holder, pids: HashSet<u32>) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.insert(holder, pids);
    }

    /// Returns true if a process works for the job.
    pub(crate) fn contains(&self, pid: u32) -> bool {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        self.named.contains(&pid) || found.values().any(|pids| pids.contains(&pid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_and_tiers_come_beside_those_of_the_job() {
        let first = OfInterest::new(&[7]);
        let second = first.clone();
        second.set(Holder::Server(100), HashSet::from([100, 101]));
        second.set(Holder::Tier(0), HashSet::from([200]));
        second.set(Holder::Server(100), HashSet::from([100, 102]));
        let known = [7, std::process::id(), 100, 102, 200];
        assert!(known.iter().all(|pid| first.contains(*pid)));
        assert!(!first.contains(101), "it has ended");
        assert!(!first.contains(8));
    }
}
