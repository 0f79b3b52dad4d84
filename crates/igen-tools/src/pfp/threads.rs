//! Threads of a process and of all that it has started, or of a control group, as far as they run now.

use std::collections::HashSet;
use std::fs;
use std::os::unix::process::parent_id;
use std::path::Path;
use std::process;

use igen_kernel::group::Group;

use crate::processes;

/// Which processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Whose {
    /// One, with all that it has started.
    Process(u32),
    /// All of a control group, and what they start outside of it.
    Group(Group),
}

impl Whose {
    /// The option that names them.
    pub(super) fn option(&self) -> &'static str {
        match self {
            Self::Process(_) => "--pid",
            Self::Group(_) => "--cgroup",
        }
    }
}

/// What lives of a process tree, without this tool: it may be started by what is watched, or run in the same group.
#[derive(Debug)]
pub(super) struct Tree {
    /// Those that lived at the last look: one whose parent has ended since stays one of the tree.
    alive: Vec<u32>,
    /// Where others may come from.
    group: Option<Group>,
}

impl Tree {
    pub(super) fn of(whose: &Whose) -> Self {
        match whose {
            Whose::Process(root) => Self {
                alive: vec![*root],
                group: None,
            },
            Whose::Group(group) => Self {
                alive: Vec::new(),
                group: Some(group.clone()),
            },
        }
    }

    /// Looks who has been started and who has ended.
    pub(super) fn look(&mut self) {
        let mut rest = std::mem::take(&mut self.alive);
        let of_kernel = |pid: &u32| processes::process(*pid).is_some_and(|one| one.of_kernel);
        let members = self.group.iter().flat_map(Group::pids);
        rest.extend(members.filter(|pid| !of_kernel(pid)));
        // The one that watches, and the one that a user has started, of which it is a child.
        let mut seen = HashSet::from([process::id(), parent_id()]);
        while let Some(process) = rest.pop() {
            if !seen.insert(process) {
                continue;
            }
            let threads = threads(process);
            if threads.is_empty() || state(process, process) == Some(b'Z') && threads.len() == 1 {
                continue;
            }
            self.alive.push(process);
            for thread in threads {
                let children =
                    fs::read_to_string(format!("/proc/{process}/task/{thread}/children"));
                rest.extend(numbers(&children.unwrap_or_default()));
            }
        }
    }

    /// Returns true if all have ended.
    pub(super) fn ended(&self) -> bool {
        self.alive.is_empty()
    }

    /// Its processes that lived at the last look.
    pub(super) fn processes(&self) -> &[u32] {
        &self.alive
    }

    /// Threads that are on a processor or wait for one. One that sleeps must not be stopped: some system calls
    /// would fail for that.
    pub(super) fn running(&self) -> Vec<u32> {
        let of = |process: &u32| {
            let process = *process;
            let all = threads(process).into_iter();
            all.filter(move |thread| state(process, *thread) == Some(b'R'))
        };
        self.alive.iter().flat_map(of).collect()
    }
}

fn numbers(text: &str) -> Vec<u32> {
    let words = text.split_ascii_whitespace();
    words.filter_map(|word| word.parse().ok()).collect()
}

/// Ids of a process's threads.
pub(super) fn threads(process: u32) -> Vec<u32> {
    let entries = fs::read_dir(Path::new("/proc").join(process.to_string()).join("task"));
    let names = entries.into_iter().flatten().flatten();
    names
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

/// Returns true if the thread is on a processor or waits for one.
pub(super) fn runs(thread: u32) -> bool {
    state(thread, thread) == Some(b'R')
}

/// The letter behind the name, which ends at the last bracket.
fn state(process: u32, thread: u32) -> Option<u8> {
    let text = fs::read(format!("/proc/{process}/task/{thread}/stat")).ok()?;
    let end = text.iter().rposition(|byte| *byte == b')')?;
    text.get(end + 2).copied()
}

/// The process that traces this one already, if any.
pub(super) fn tracer(process: u32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("TracerPid:"))?;
    line.trim().parse().ok().filter(|tracer| *tracer != 0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_lives_and_runs_and_nobody_traces_it() {
        let mut busy = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        let mut tree = Tree::of(&Whose::Process(busy.id()));
        tree.look();
        assert!(!tree.ended());
        while tree.running().is_empty() {}
        assert_eq!(tracer(busy.id()), None);
        busy.kill().unwrap();
        busy.wait().unwrap();
    }

    #[test]
    fn the_tool_itself_is_not_watched() {
        let mut tree = Tree::of(&Whose::Process(process::id()));
        tree.look();
        assert!(tree.ended() && tree.running().is_empty());
    }

    #[test]
    fn a_process_that_is_not_there_has_ended() {
        let mut tree = Tree::of(&Whose::Process(u32::MAX));
        tree.look();
        assert!(tree.ended() && tree.running().is_empty());
    }
}
