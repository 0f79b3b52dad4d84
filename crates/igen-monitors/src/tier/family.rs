//! Processes and all that they have started, with the time of those that have ended.
//!
//! A process that ends takes its time with it, until its parent waits for it: then it is in the parent's. What
//! a process that ended had used is therefore lent to the first above it that lives, until that one's time
//! of those that it waited for grows by as much; where nobody above it is of the tier, it is kept for good.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use igen_kernel::holders::process_ids;
use igen_kernel::server::{Place, Server};
use rustix::param::clock_ticks_per_second;

use super::usage::Usage;
use crate::processes::{REST_PER_SCAN, processor_time};
use igen_kernel::process_stat::ProcessStat;
use igen_kernel::process_walk::{Ticks, walk, with_stat};

/// The kernel cuts names of programs here.
const LONGEST_NAME: usize = 15;

/// Which processes come first.
pub(super) enum Which {
    Pids(Vec<u32>),
    Program(String),
    /// The processes of the server that listens there.
    Server(Place),
}

pub(super) struct Family {
    which: Which,
    lineage: Lineage,
    /// Processes that count without those below them, which are not of the family alone.
    alone: HashSet<u32>,
    next_search: Option<Instant>,
}

/// One process at one moment.
#[derive(Debug, Clone, Copy)]
struct Seen {
    start: u64,
    parent: u32,
    /// Its own and that of those that it has waited for.
    all: Ticks,
    waited: Ticks,
}

#[derive(Default)]
struct Lineage {
    living: HashMap<u32, Seen>,
    /// By process: of those below it that have ended and that it has not waited for.
    lent: HashMap<u32, Ticks>,
    ended: Ticks,
    total: Ticks,
}

impl Family {
    pub(super) fn open(which: Which) -> Self {
        let mut opened = Self {
            lineage: Lineage::default(),
            alone: HashSet::new(),
            next_search: None,
            which,
        };
        if let Which::Pids(pids) = &opened.which {
            for pid in pids {
                let seen = with_stat(*pid, Seen::of);
                opened.lineage.living.extend(seen.map(|seen| (*pid, seen)));
            }
        }
        opened
    }

    pub(super) fn describe(&self) -> String {
        match &self.which {
            Which::Program(name) => format!("processes {name}"),
            Which::Pids(pids) => {
                let ids: Vec<String> = pids.iter().map(ToString::to_string).collect();
                let many = if pids.len() == 1 {
                    "process"
                } else {
                    "processes"
                };
                format!("{many} {}", ids.join(", "))
            }
            Which::Server(place) => format!("processes that listen at {place}"),
        }
    }

    pub(super) fn read(&mut self) -> Usage {
        let mut tops: Vec<(u64, u32)> = self
            .lineage
            .living
            .iter()
            .map(|(pid, seen)| (seen.start, *pid))
            .collect();
        self.search(&mut tops);
        // Parents before those that they have started.
        tops.sort_unstable();
        let mut living = HashMap::new();
        let (known, alone) = (&self.lineage.living, &self.alone);
        walk(
            tops.into_iter().map(|(_, pid)| pid).collect(),
            |pid, stat| {
                let other = known
                    .get(&pid)
                    .is_some_and(|seen| seen.start != stat.start_ticks);
                let is_alone = alone.contains(&pid);
                if !other && !stat.zombie {
                    let seen = if is_alone {
                        Seen::alone(stat)
                    } else {
                        Seen::of(stat)
                    };
                    living.insert(pid, seen);
                }
                !other && !is_alone
            },
        );
        let pids = living.keys().copied().collect();
        let total = self.lineage.add(living);
        let ticks_per_s = clock_ticks_per_second() as f64;
        Usage {
            user_s: total.user as f64 / ticks_per_s,
            system_s: total.system as f64 / ticks_per_s,
            pids,
            ..Usage::default()
        }
    }

    /// Add processes of the program that are not known yet, or those of the server if none of them lives.
    fn search(&mut self, tops: &mut Vec<(u64, u32)>) {
        let now = Instant::now();
        if self.next_search.is_some_and(|next| now < next) {
            return;
        }
        let begin = processor_time();
        let living = &self.lineage.living;
        let found: Vec<u32> = match &self.which {
            Which::Program(name) => {
                let name = cut(name);
                let is_it = |pid: &u32| with_stat(*pid, |stat| stat.name == name) == Some(true);
                let others = process_ids().filter(|pid| !living.contains_key(pid));
                others
                    .filter(|pid| *pid != std::process::id() && is_it(pid))
                    .collect()
            }
            Which::Server(place) if living.is_empty() => match Server::find(place) {
                Ok(server) => {
                    self.alone = server.above;
                    server.holders
                }
                Err(_) => Vec::new(),
            },
            Which::Pids(_) | Which::Server(_) => return,
        };
        let started = |pid| Some((with_stat(pid, |stat| stat.start_ticks)?, pid));
        tops.extend(found.into_iter().filter_map(started));
        let cost: Duration = processor_time().saturating_sub(begin);
        self.next_search = Some(now + cost * REST_PER_SCAN);
    }
}

/// As the kernel has it.
fn cut(name: &str) -> &str {
    let end = (0..=LONGEST_NAME.min(name.len()))
        .rev()
        .find(|end| name.is_char_boundary(*end));
    &name[..end.unwrap_or(0)]
}

impl Seen {
    /// The process without those that it has waited for.
    fn alone(stat: &ProcessStat) -> Self {
        Self {
            all: Ticks::of_own(stat),
            waited: Ticks::default(),
            ..Self::of(stat)
        }
    }

    fn of(stat: &ProcessStat) -> Self {
        Self {
            start: stat.start_ticks,
            parent: stat.parent,
            all: Ticks::of(stat),
            waited: Ticks::of_waited(stat),
        }
    }
}

impl Lineage {
    /// The total, given those that live now: it never goes back.
    fn add(&mut self, living: HashMap<u32, Seen>) -> Ticks {
        let lives =
            |pid: u32, seen: &Seen| living.get(&pid).is_some_and(|now| now.start == seen.start);
        for (pid, seen) in self.living.iter().filter(|(pid, seen)| !lives(**pid, seen)) {
            let left = self.lent.remove(pid).unwrap_or_default().plus(seen.all);
            match self.heir(seen, &lives) {
                Some(heir) => {
                    let lent = self.lent.entry(heir).or_default();
                    *lent = lent.plus(left);
                }
                None => self.ended = self.ended.plus(left),
            }
        }
        for (pid, lent) in &mut self.lent {
            if let (Some(before), Some(now)) = (self.living.get(pid), living.get(pid)) {
                *lent = lent.less(now.waited.less(before.waited));
            }
        }
        self.living = living;
        let mut total = self.ended;
        for ticks in self
            .living
            .values()
            .map(|seen| seen.all)
            .chain(self.lent.values().copied())
        {
            total = total.plus(ticks);
        }
        self.total = self.total.later(total);
        self.total
    }

    /// The first above a process that lives on: it may wait for it, and what it had waited for.
    fn heir(&self, of: &Seen, lives: &impl Fn(u32, &Seen) -> bool) -> Option<u32> {
        let mut parent = of.parent;
        // No more steps than there are processes: pids that were given again may make a circle.
        for _ in 0..self.living.len() {
            let seen = self.living.get(&parent)?;
            if lives(parent, seen) {
                return Some(parent);
            }
            parent = seen.parent;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::net::TcpListener;
    use std::os::fd::OwnedFd;
    use std::process::Command;

    use super::*;
    use crate::shell::Shell;

    fn ticks(user: u64) -> Ticks {
        Ticks { user, system: 0 }
    }

    /// Pid, parent, own ticks, ticks of those that it waited for.
    fn moment(processes: &[(u32, u32, u64, u64)]) -> HashMap<u32, Seen> {
        let seen = |&(pid, parent, own, waited): &(u32, u32, u64, u64)| {
            let seen = Seen {
                start: u64::from(pid),
                parent,
                all: ticks(own + waited),
                waited: ticks(waited),
            };
            (pid, seen)
        };
        processes.iter().map(seen).collect()
    }

    fn totals(moments: &[&[(u32, u32, u64, u64)]]) -> Vec<u64> {
        let mut lineage = Lineage::default();
        let mut total = |processes: &&[(u32, u32, u64, u64)]| lineage.add(moment(processes)).user;
        moments.iter().map(&mut total).collect()
    }

    #[test]
    fn a_child_that_is_waited_for_counts_once() {
        let with_child = [(1, 0, 10, 0), (2, 1, 5, 0)];
        let waited = [(1, 0, 11, 7)];
        assert_eq!(totals(&[&with_child, &waited]), [15, 18]);
        // It had ended before its parent was read, which waited for it after that.
        let not_yet = [(1, 0, 11, 0)];
        assert_eq!(totals(&[&with_child, &not_yet, &waited]), [15, 16, 18]);
    }

    #[test]
    fn what_nobody_waits_for_is_kept() {
        let two = [(1, 0, 10, 0), (2, 0, 5, 0)];
        assert_eq!(
            totals(&[&two, &[(1, 0, 12, 0)], &[(1, 0, 13, 0)]]),
            [15, 17, 18]
        );
        let child = [(1, 0, 10, 0), (2, 1, 5, 0)];
        assert_eq!(totals(&[&child, &[(1, 0, 12, 0)], &[]]), [15, 17, 17]);
    }

    #[test]
    fn all_are_killed_and_started_anew() {
        let before = [(1, 0, 100, 0), (2, 1, 50, 0), (3, 1, 50, 0)];
        let after = [(11, 0, 1, 0), (12, 11, 2, 0)];
        assert_eq!(totals(&[&before, &[], &after]), [200, 200, 203]);
        assert_eq!(totals(&[&before, &after]), [200, 203]);
    }

    #[test]
    fn a_family_of_three_generations_ends_from_the_middle() {
        let before = [(1, 0, 10, 0), (2, 1, 20, 0), (3, 2, 40, 0)];
        // 2 had waited for 3, and 1 for 2.
        assert_eq!(totals(&[&before, &[(1, 0, 10, 60)]]), [70, 70]);
        // 3 lives on below another parent.
        assert_eq!(
            totals(&[&before, &[(1, 0, 10, 20), (3, 1, 41, 0)]]),
            [70, 71]
        );
    }

    #[test]
    fn another_process_with_the_pid_is_not_of_it() {
        let mut lineage = Lineage::default();
        lineage.add(moment(&[(1, 0, 10, 0)]));
        let mut other = moment(&[(1, 0, 3, 0)]);
        if let Some(seen) = other.get_mut(&1) {
            seen.start = 99;
        }
        assert_eq!(lineage.add(other).user, 13, "it is a new one of the tier");
    }

    #[test]
    fn names_are_cut_as_the_kernel_does() {
        assert_eq!(cut("nginx"), "nginx");
        assert_eq!(cut("systemd-journald-x"), "systemd-journal");
        assert_eq!(cut(""), "");
    }

    #[test]
    fn processes_of_a_program_are_found_when_they_start() {
        let program = tempfile::tempdir().unwrap();
        let path = program.path().join("igen-t1er");
        std::os::unix::fs::symlink("/bin/sh", &path).unwrap();
        let mut family = Family::open(Which::Program("igen-t1er".to_owned()));
        assert!(family.read().pids.is_empty());
        let mut started = std::process::Command::new(&path)
            .args(["-c", "read line"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        family.next_search = None;
        assert_eq!(family.read().pids, HashSet::from([started.id()]));
        drop(started.stdin.take());
        started.wait().unwrap();
        assert!(family.read().pids.is_empty());
    }

    #[test]
    fn a_server_that_is_started_again_is_found_again() {
        let start = |port: u16| {
            let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
            let address = listener.local_addr().unwrap();
            let command = Command::new("sleep")
                .arg("60")
                .stdin(OwnedFd::from(listener))
                .spawn();
            (command.unwrap(), address)
        };
        let (mut first, address) = start(0);
        let mut family = Family::open(Which::Server(Place::Tcp(vec![address])));
        assert_eq!(family.read().pids, HashSet::from([first.id()]));
        first.kill().unwrap();
        first.wait().unwrap();
        assert!(family.read().pids.is_empty());
        let (mut second, _) = start(address.port());
        family.next_search = None;
        assert_eq!(family.read().pids, HashSet::from([second.id()]));
        second.kill().unwrap();
        second.wait().unwrap();
    }

    #[test]
    fn a_process_above_the_agent_counts_without_those_below_it() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = Place::Tcp(vec![listener.local_addr().unwrap()]);
        let mut shell = Shell::start("true");
        shell.work();
        let mut family = Family::open(Which::Server(place));
        assert_eq!(family.read().pids, HashSet::from([std::process::id()]));
        shell.end();
    }

    #[test]
    fn the_time_of_a_real_child_is_not_lost() {
        let mut shell = Shell::start("(i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done)");
        let mut family = Family::open(Which::Pids(vec![shell.pid()]));
        let before = family.read();
        for _ in 0..3 {
            shell.work();
        }
        let after = family.read();
        assert!(after.user_s > before.user_s);
        shell.end();
        assert!(family.read().user_s >= after.user_s);
    }
}
