//! Processes that executions leave behind, such as daemons: the load process becomes their parent, counts them, and
//! ends them at its own end.

use std::collections::BTreeSet;
use std::fs;
use std::process::id;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use igen_kernel::process_walk::{started_by, with_stat};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpgid, getpgrp, getpid, kill_process,
    set_child_subreaper, waitid, waitpid,
};

use super::execution::GRACE;
use super::program::USER_VARIABLE;

/// Killed processes need a processor to end.
const LONGEST: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(5);

/// The orphans of this process: the kernel makes it the parent of all of them, whichever load started them.
static ORPHANS: OnceLock<Orphans> = OnceLock::new();

/// Orphans, and how many executions left some.
#[derive(Debug, Default)]
pub(super) struct Orphans(Mutex<Left>);

/// What executions have left behind.
#[derive(Debug, Clone, Default)]
pub(super) struct Left {
    /// Executions that left at least one process.
    pub(super) executions: u64,
    pub(super) processes: u64,
    /// Names of their programs, as far as they are needed.
    pub(super) names: BTreeSet<String>,
    /// Orphans that were seen and had not ended then.
    known: BTreeSet<u32>,
}

/// As many names are reported.
const MOST_NAMES: usize = 5;

/// Makes this process the parent of the orphans of its programs.
pub(super) fn adopt() -> Result<&'static Orphans, Errno> {
    if let Some(orphans) = ORPHANS.get() {
        return Ok(orphans);
    }
    set_child_subreaper(Some(getpid()))?;
    Ok(ORPHANS.get_or_init(Orphans::default))
}

impl Orphans {
    /// Looks for processes that the programs of a user have left behind since its last look, and returns the pids.
    /// Orphans that have ended leave the table of processes.
    /// Cost: a system call if this process has no child.
    pub(super) fn look(&self, user: u32) -> Vec<u32> {
        if !has_child() {
            return Vec::new();
        }
        let orphans = orphans();
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        left.known.retain(|pid| orphans.contains(pid));
        let fresh: Vec<u32> = orphans
            .into_iter()
            .filter(|pid| !left.known.contains(pid) && user_of(*pid).is_none_or(|of| of == user))
            .collect();
        left.known.extend(&fresh);
        fresh
    }

    /// Counts an execution that has left these processes.
    pub(super) fn count(&self, processes: &[u32]) {
        if processes.is_empty() {
            return;
        }
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        left.executions += 1;
        left.processes += processes.len() as u64;
        for pid in processes {
            if left.names.len() < MOST_NAMES
                && let Some(name) = with_stat(*pid, |stat| stat.name.to_string())
            {
                left.names.insert(name);
            }
        }
    }

    /// Returns what was counted.
    pub(super) fn left(&self) -> Left {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Tells the orphans of this process to end, and kills those that do not.
pub(super) fn end() {
    if ORPHANS.get().is_none() {
        return;
    }
    let began = Instant::now();
    let mut asked = BTreeSet::new();
    while began.elapsed() < LONGEST {
        // The children of an orphan that has ended are the next.
        let orphans = orphans();
        if orphans.is_empty() {
            return;
        }
        for raw in orphans {
            let signal = if began.elapsed() >= GRACE {
                Signal::KILL
            } else if asked.insert(raw) {
                Signal::TERM
            } else {
                continue;
            };
            if let Some(pid) = pid(raw) {
                let _ = kill_process(pid, signal);
            }
        }
        thread::sleep(LOOK);
    }
}

/// Returns true if an orphan has not ended; one that has leaves the table of processes.
pub(super) fn lives(raw: u32) -> bool {
    pid(raw).is_some_and(|pid| matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(None)))
}

/// Returns false if this process has no child, whatever has become of it.
fn has_child() -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::All, options), Err(Errno::CHILD))
}

/// Returns the orphans that have not ended, and forgets the others. The kernel gives orphans to the first thread, whose own
/// children, such as programs of monitors, are in the group of this process: a program of a load is in another one.
fn orphans() -> Vec<u32> {
    let own_group = getpgrp();
    let children = started_by(id(), id()).into_iter();
    children
        .filter(|raw| getpgid(pid(*raw)).is_ok_and(|group| group != own_group) && lives(*raw))
        .collect()
}

/// Returns the number of the user whose program started a process, from its environment; `None` if that is unknown.
fn user_of(pid: u32) -> Option<u32> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mut variables = environment.split(|byte| *byte == 0);
    let number = variables.find_map(|variable| {
        variable
            .strip_prefix(USER_VARIABLE.as_bytes())?
            .strip_prefix(b"=")
    })?;
    std::str::from_utf8(number).ok()?.parse().ok()
}

fn pid(raw: u32) -> Option<Pid> {
    Pid::from_raw(raw.cast_signed())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::params::Params;
    use super::super::program::Program;
    use super::*;

    const USER: u32 = 4711;

    fn execute(text: &str) {
        let program = Program::of(text, &Params::default(), "params.run").unwrap();
        program.command(USER).status().unwrap();
    }

    /// A process that begins a program has no environment for a moment, so nobody knows its user.
    fn wait_for_environments(number: usize) {
        let began = Instant::now();
        let begun = || {
            orphans()
                .into_iter()
                .filter(|pid| user_of(*pid) == Some(USER))
        };
        while begun().count() < number {
            assert!(
                began.elapsed() < Duration::from_mins(1),
                "not all programs began"
            );
            thread::sleep(LOOK);
        }
    }

    #[test]
    fn daemons_are_counted_once_for_their_user_and_ended() {
        let orphans = adopt().unwrap();
        execute("true");
        assert!(orphans.look(USER).is_empty());
        execute("sleep 100000 & setsid sleep 100000 & (setsid sh -c 'sleep 100000; :' &)");
        wait_for_environments(3);
        assert!(orphans.look(USER + 1).is_empty());
        let left = orphans.look(USER);
        assert_eq!(left.len(), 3);
        orphans.count(&left);
        assert!(orphans.look(USER).is_empty());
        let counted = orphans.left();
        assert_eq!((counted.executions, counted.processes), (1, 3));
        assert!(counted.names.contains("sleep"), "{:?}", counted.names);
        end();
        assert!(left.iter().all(|pid| !lives(*pid)));
        assert!(orphans.look(USER).is_empty());
    }
}
