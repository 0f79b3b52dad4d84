//! The processes that the agent itself has started, and all below them: where a program is the work, the
//! processor time that they use is the load's and nobody else's.
//!
//! Reads `task/<id>/children` of each of its threads, and only where there are children; of those below,
//! whose `stat` it reads, the children of the first thread.
//! Cost: 1 µs without children; with them 4 µs for each thread and each process.

use std::collections::HashSet;
use std::fs;

use rustix::process::{WaitId, WaitIdOptions, waitid};

use crate::of_interest::OfInterest;
use crate::proc_file::read_once;
use crate::process_stat::ProcessStat;
use crate::threads::MOST_THREADS;

/// The processor time of all that the agent has started. It never goes back.
pub(crate) struct Children {
    of_interest: OfInterest,
    user_ticks: u64,
    system_ticks: u64,
}

impl Children {
    pub(crate) fn new(of_interest: &OfInterest) -> Self {
        Self {
            of_interest: of_interest.clone(),
            user_ticks: 0,
            system_ticks: 0,
        }
    }

    /// User and system time so far, in ticks: of those that have ended, by `agent`, and of those that live.
    pub(crate) fn ticks(&mut self, agent: &ProcessStat) -> (u64, u64) {
        // From the top down: the time of one that ends meanwhile is not counted twice.
        let (mut user, mut system) = (agent.waited_user_ticks, agent.waited_system_ticks);
        let (mut pids, mut next) = (of_this_process(agent.threads), 0);
        while let Some(&pid) = pids.get(next) {
            next += 1;
            let mut buffer = [0; 1024];
            let Ok(line) = read_once(&format!("/proc/{pid}/stat"), &mut buffer) else {
                continue; // It has ended meanwhile.
            };
            if let Some(stat) = ProcessStat::parse(&line) {
                user += stat.user_ticks + stat.waited_user_ticks;
                system += stat.system_ticks + stat.waited_system_ticks;
            }
            pids.extend(started_by(pid, pid));
        }
        self.of_interest
            .set(std::process::id(), pids.into_iter().collect::<HashSet<_>>());
        self.user_ticks = self.user_ticks.max(user);
        self.system_ticks = self.system_ticks.max(system);
        (self.user_ticks, self.system_ticks)
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

/// Those that a thread of a process has started.
fn started_by(pid: u32, thread: u32) -> Vec<u32> {
    let path = format!("/proc/{pid}/task/{thread}/children");
    let text = fs::read_to_string(path).unwrap_or_default();
    let pids = text.split_ascii_whitespace();
    pids.filter_map(|pid| pid.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use super::*;

    fn ticks(children: &mut Children) -> u64 {
        let mut buffer = [0; 1024];
        let line = read_once("/proc/self/stat", &mut buffer).unwrap();
        let (user, system) = children.ticks(&ProcessStat::parse(&line).unwrap());
        user + system
    }

    #[test]
    fn the_time_of_a_child_counts_while_it_lives_and_after() {
        let script = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; cat";
        let of_interest = OfInterest::new(&[]);
        let mut children = Children::new(&of_interest);
        let before = ticks(&mut children);
        let mut shell = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(shell.stdout.take().unwrap());
        output.read_line(&mut String::new()).unwrap();
        let lives = ticks(&mut children);
        assert!(lives > before);
        assert!(of_interest.contains(shell.id()));

        drop(shell.stdin.take());
        shell.wait().unwrap();
        assert!(ticks(&mut children) >= lives);
        assert!(!of_interest.contains(shell.id()));
    }
}
