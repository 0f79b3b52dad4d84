//! Processes and all below them.

use std::collections::HashSet;
use std::fs;

use crate::proc_file::read_once;
use crate::process_stat::ProcessStat;

/// Processor time of processes, in ticks of the clock.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ticks {
    pub(crate) user: u64,
    pub(crate) system: u64,
}

impl Ticks {
    /// Ticks of those that a process has waited for.
    pub(crate) fn of_waited(stat: &ProcessStat) -> Self {
        Self {
            user: stat.waited_user_ticks,
            system: stat.waited_system_ticks,
        }
    }

    /// Adds a process and those that it has waited for.
    pub(crate) fn add(&mut self, stat: &ProcessStat) {
        self.user += stat.user_ticks + stat.waited_user_ticks;
        self.system += stat.system_ticks + stat.waited_system_ticks;
    }

    /// Both together.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            user: self.user + other.user,
            system: self.system + other.system,
        }
    }

    /// What is left; nothing where the other is more.
    pub(crate) fn less(self, other: Self) -> Self {
        Self {
            user: self.user.saturating_sub(other.user),
            system: self.system.saturating_sub(other.system),
        }
    }

    /// The later one of two readings: ticks never go back.
    pub(crate) fn later(self, other: Self) -> Self {
        Self {
            user: self.user.max(other.user),
            system: self.system.max(other.system),
        }
    }
}

/// The pids of `tops` and of all below them; `visit` is called for each that lives, from the top down: the
/// time of one that ends meanwhile is not counted twice. Only the first thread of those below is asked for
/// its children.
/// Cost: 4 µs for each process.
pub(crate) fn walk(tops: Vec<u32>, mut visit: impl FnMut(u32, &ProcessStat)) -> Vec<u32> {
    let (mut pids, mut next) = (tops, 0);
    // One of the tops may be below another one.
    let mut known: HashSet<u32> = pids.iter().copied().collect();
    while let Some(&pid) = pids.get(next) {
        next += 1;
        with_stat(pid, |stat| visit(pid, stat));
        pids.extend(
            started_by(pid, pid)
                .into_iter()
                .filter(|child| known.insert(*child)),
        );
    }
    pids
}

/// What `of` takes from the stat of a process; `None` if it is not there.
pub(crate) fn with_stat<T>(pid: u32, of: impl FnOnce(&ProcessStat) -> T) -> Option<T> {
    let mut buffer = [0; 1024];
    let line = read_once(&format!("/proc/{pid}/stat"), &mut buffer).ok()?;
    ProcessStat::parse(&line).map(|stat| of(&stat))
}

/// Those that a thread of a process has started.
pub(crate) fn started_by(pid: u32, thread: u32) -> Vec<u32> {
    let path = format!("/proc/{pid}/task/{thread}/children");
    let text = fs::read_to_string(path).unwrap_or_default();
    let pids = text.split_ascii_whitespace();
    pids.filter_map(|pid| pid.parse().ok()).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::{BufRead, BufReader, Write};
    use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

    /// A shell that works when it is told to, and ends when nobody can tell it any more.
    pub(crate) struct Shell {
        process: Child,
        input: ChildStdin,
        output: BufReader<ChildStdout>,
    }

    impl Shell {
        /// It executes a line of shell for each line that it gets, and says that it is done.
        pub(crate) fn start(work: &str) -> Self {
            let script = format!("while read -r line; do {work}; echo done; done");
            let mut process = Command::new("sh")
                .args(["-c", &script])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            Self {
                input: process.stdin.take().unwrap(),
                output: BufReader::new(process.stdout.take().unwrap()),
                process,
            }
        }

        pub(crate) fn pid(&self) -> u32 {
            self.process.id()
        }

        pub(crate) fn work(&mut self) {
            writeln!(self.input, "go").unwrap();
            self.output.read_line(&mut String::new()).unwrap();
        }

        pub(crate) fn end(mut self) {
            drop(self.input);
            self.process.wait().unwrap();
        }
    }
}
