//! CPU time of the scans: of this process where the engine runs in it, else of the server and its
//! workers, where the server runs on this machine.

use std::fs;
use std::sync::{Mutex, PoisonError};

use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

/// Where the CPU time of a database is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// This process: the engine runs in it.
    Own,
    /// A server, by the process that started the others, or the only one; to 10 ms.
    Server(u32),
}

impl Source {
    /// CPU time so far; `None` if the process is gone.
    fn read_ns(self) -> Option<u64> {
        match self {
            Self::Own => {
                let time = clock_gettime(ClockId::ProcessCPUTime);
                let seconds = u64::try_from(time.tv_sec).ok()?;
                Some(seconds * 1_000_000_000 + u64::try_from(time.tv_nsec).ok()?)
            }
            Self::Server(pid) => server_ns(pid),
        }
    }
}

/// Counts the CPU time while at least one scan is under way, whoever scans.
#[derive(Debug)]
pub(super) struct Meter {
    source: Source,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    scans: u32,
    last_ns: u64,
}

impl Meter {
    pub(super) fn new(source: Source) -> Self {
        Self {
            source,
            state: Mutex::default(),
        }
    }

    /// A scan starts.
    pub(super) fn start(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.scans == 0 {
            state.last_ns = self.source.read_ns().unwrap_or_default();
        }
        state.scans += 1;
    }

    /// A scan ends: CPU time of all scans since the last one ended, or since this one started alone.
    pub(super) fn end_ns(&self) -> u64 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now_ns = self.source.read_ns().unwrap_or(state.last_ns);
        state.scans -= 1;
        now_ns.saturating_sub(std::mem::replace(&mut state.last_ns, now_ns))
    }
}

/// CPU time of the process `pid`, its children, and those children that have ended: parallel
/// workers live no longer than their scan, and the server has taken note of their end before it
/// answers.
fn server_ns(pid: u32) -> Option<u64> {
    let own = Stat::of(pid)?;
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let children: u64 = children
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|child| Stat::of(child.parse().ok()?))
        .map(|child| child.ticks)
        .sum();
    let ticks = own.ticks + own.ended_children_ticks + children;
    Some(ticks * (1_000_000_000 / clock_ticks_per_second()))
}

/// What /proc/<pid>/stat says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) name: String,
    pub(super) parent: u32,
    ticks: u64,
    ended_children_ticks: u64,
}

impl Stat {
    pub(super) fn of(pid: u32) -> Option<Self> {
        parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }
}

/// The name stands in parentheses and may hold some itself; the state follows, then the parent; user
/// and system time are fields 14 to 17 of proc(5).
fn parse(stat: &str) -> Option<Stat> {
    let (_, rest) = stat.split_once('(')?;
    let (name, rest) = rest.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Stat {
        name: name.to_owned(),
        parent: u32::try_from(number(4)?).ok()?,
        ticks: number(14)? + number(15)?,
        ended_children_ticks: number(16)? + number(17)?,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_line_of_proc_is_read_whatever_the_name() {
        let line = "4711 (my) (server) S 17 4711 4711 0 -1 4194560 1 2 3 4 100 20 3 4 20 0 1 0 99";
        assert_eq!(
            parse(line).unwrap(),
            Stat {
                name: "my) (server".to_owned(),
                parent: 17,
                ticks: 120,
                ended_children_ticks: 7
            }
        );
        assert_eq!(parse("4711 (cut off) S 17"), None);
    }

    #[test]
    fn scans_at_once_share_the_cpu_time_without_counting_it_twice() {
        let burn = || {
            let before = Source::Own.read_ns().unwrap();
            while Source::Own.read_ns().unwrap() - before < 2_000_000 {}
        };
        let meter = Meter::new(Source::Own);
        let before_ns = Source::Own.read_ns().unwrap();
        burn();
        let between_ns = Source::Own.read_ns().unwrap();
        meter.start();
        burn();
        meter.start();
        burn();
        let first_ns = meter.end_ns();
        burn();
        let second_ns = meter.end_ns();
        let after_ns = Source::Own.read_ns().unwrap();
        assert!(first_ns >= 4_000_000 && second_ns >= 2_000_000);
        assert!(first_ns + second_ns <= after_ns - between_ns);
        assert!(between_ns - before_ns >= 2_000_000, "counted by nobody");
    }

    #[test]
    fn a_process_and_its_children_are_counted() {
        let own = std::process::id();
        assert!(server_ns(own).is_some());
        assert_eq!(
            Stat::of(own).unwrap().parent,
            std::os::unix::process::parent_id()
        );
        assert_eq!(server_ns(u32::MAX), None);
    }
}
