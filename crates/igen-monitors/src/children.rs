//! The processes that the agent itself has started, and all below them: where a program is the work, the
//! processor time that they use is the load's and nobody else's.
//!
//! Reads `task/<id>/children` of each of its threads, and only where there are children.
//! Cost: 1 µs without children; with them 4 µs for each thread and each process.

use std::collections::HashSet;
use std::fs;

use rustix::process::{WaitId, WaitIdOptions, waitid};

use crate::of_interest::{Holder, OfInterest};
use crate::threads::MOST_THREADS;
use igen_kernel::process_stat::ProcessStat;
use igen_kernel::process_walk::{Ticks, started_by, walk};

/// The processor time of all that the agent has started. It never goes back.
pub(crate) struct Children {
    of_interest: OfInterest,
    ticks: Ticks,
}

impl Children {
    pub(crate) fn new(of_interest: &OfInterest) -> Self {
        Self {
            of_interest: of_interest.clone(),
            ticks: Ticks::default(),
        }
    }

    /// User and system time so far: of those that have ended, by `agent`, and of those that live.
    pub(crate) fn ticks(&mut self, agent: &ProcessStat) -> Ticks {
        let mut ticks = Ticks::of_waited(agent);
        let pids = walk(of_this_process(agent.threads), |_, stat| {
            ticks = ticks.plus(Ticks::of(stat));
            true
        });
        self.of_interest.set(
            Holder::Server(std::process::id()),
            pids.into_iter().collect::<HashSet<_>>(),
        );
        self.ticks = self.ticks.later(ticks);
        self.ticks
    }
}

/// The living children of this process; none where it has too many threads to look at each.
fn of_this_process(threads: u64) -> Vec<u32> {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if threads > MOST_THREADS || waitid(WaitId::All, look).is_err() {
        return Vec::new(); // There are none.
    }
    let own = std::process::id();
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
    threads
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .flat_map(|thread| started_by(own, thread))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::Shell;
    use igen_kernel::process_walk::with_stat;

    #[test]
    fn the_time_of_a_child_counts_while_it_lives_and_after() {
        let of_interest = OfInterest::new(&[]);
        let mut children = Children::new(&of_interest);
        let mut ticks = || {
            let ticks = with_stat(std::process::id(), |agent| children.ticks(agent));
            ticks.map(|ticks| ticks.user + ticks.system)
        };
        let before = ticks();
        let mut shell = Shell::start("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done");
        let pid = shell.pid();
        shell.work();
        let lives = ticks();
        assert!(lives > before);
        assert!(of_interest.contains(pid));

        shell.end();
        assert!(ticks() >= lives);
        assert!(!of_interest.contains(pid));
    }
}
