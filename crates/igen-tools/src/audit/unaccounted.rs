//! Processor time that no living process has used: who has?
//!
//! The busy time of the processors, less what the processes have used that lived at both ends of the audit or were
//! started in it, is unaccounted. Processes that have ended meanwhile explain most of it. Two sources know what these have
//! used, and neither can know too much: the records of their threads, which the kernel writes before it takes their memory
//! apart, and of short ones samples with its clock's ticks; and what those say that have waited for them, unless nobody did.
//! The larger counts.

use std::collections::HashMap;
use std::fs;

use rustix::param::clock_ticks_per_second;

use super::tally::{Before, Tally};
use crate::processes::{Process, living};

/// Ticks of all processors, from the first line of `/proc/stat`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Busy {
    busy: u64,
    interrupts: u64,
    all: u64,
}

/// What was used until a point in time.
pub(super) struct Reading {
    busy: Busy,
    processes: HashMap<u32, Process>,
}

/// Who has used the processors, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Used {
    pub(super) busy_s: f64,
    pub(super) living_s: f64,
    pub(super) ended_s: f64,
    pub(super) interrupts_s: f64,
    /// Time of all processors together, busy or not.
    pub(super) available_s: f64,
}

impl Used {
    /// What living processes have not used.
    pub(super) fn unaccounted_s(&self) -> f64 {
        (self.busy_s - self.living_s).max(0.0)
    }

    /// What nothing explains.
    pub(super) fn unexplained_s(&self) -> f64 {
        (self.unaccounted_s() - self.ended_s - self.interrupts_s).max(0.0)
    }
}

impl Reading {
    pub(super) fn take() -> Self {
        Self {
            busy: busy(&fs::read_to_string("/proc/stat").unwrap_or_default()),
            processes: living()
                .into_iter()
                .map(|process| (process.pid, process))
                .collect(),
        }
    }

    /// What each process has used, in µs: by its threads that live, and by others. Call it at once.
    pub(super) fn of_threads(&self) -> HashMap<u32, Before> {
        let per_tick = 1_000_000 / clock_ticks_per_second().max(1);
        let of = |process: &Process| {
            let all_us = process.used_ticks * per_tick;
            let living_us = used_by_threads_us(process.pid).unwrap_or(all_us);
            let gone_us = all_us.saturating_sub(living_us);
            (process.pid, Before { living_us, gone_us })
        };
        // Threads of the kernel are processes of one thread each.
        let processes = self.processes.values();
        processes.filter(|one| !one.of_kernel).map(of).collect()
    }

    /// What was used since an earlier reading, with what those have used that have ended meanwhile.
    pub(super) fn since(&self, earlier: &Self, tally: &Tally) -> Used {
        let per_second = clock_ticks_per_second() as f64;
        let seconds = |ticks: u64| ticks as f64 / per_second;
        let used = |process: &Process| {
            let before = earlier.same(process).map_or(0, |one| one.used_ticks);
            process.used_ticks.saturating_sub(before)
        };
        // The records have told what those have used that nobody has waited for yet.
        let (told, living): (Vec<_>, Vec<_>) = self
            .processes
            .values()
            .partition(|process| tally.has_counted(process));
        let living: u64 = living.into_iter().map(used).sum();
        let not_waited: u64 = told.into_iter().map(used).sum();
        // Threads of processes whose end was told in part only.
        let rest = tally.threads.rest_us();
        let rest_us: u64 = rest
            .filter(|(pid, _)| !self.processes.contains_key(pid))
            .map(|(_, used_us)| used_us)
            .sum();
        let told_s = (tally.used_by_ended_us + rest_us) as f64 / 1e6;
        Used {
            busy_s: seconds(self.busy.busy.saturating_sub(earlier.busy.busy)),
            living_s: seconds(living),
            ended_s: told_s.max(seconds(self.waited_since(earlier) + not_waited)),
            interrupts_s: seconds(self.busy.interrupts.saturating_sub(earlier.busy.interrupts)),
            available_s: seconds(self.busy.all.saturating_sub(earlier.busy.all)),
        }
    }

    /// This process as it is in this reading; none where another one has its id.
    fn same(&self, process: &Process) -> Option<&Process> {
        let found = self.processes.get(&process.pid);
        found.filter(|one| one.start_ticks == process.start_ticks)
    }

    /// Ticks that those have used since an earlier reading who have ended and were waited for.
    fn waited_since(&self, earlier: &Self) -> u64 {
        let waited = |processes: &HashMap<u32, Process>| -> u64 {
            processes.values().map(|one| one.waited_ticks).sum()
        };
        // Whoever has ended took what it had used before, and had waited for, to the one that waited for it.
        let ended = earlier.processes.values();
        let ended = ended.filter(|one| self.same(one).is_none());
        let used_before: u64 = ended.map(|one| one.used_ticks).sum();
        waited(&self.processes).saturating_sub(waited(&earlier.processes) + used_before)
    }
}

/// Time of the threads of a process that live, in µs; none where the kernel does not tell it.
fn used_by_threads_us(pid: u32) -> Option<u64> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let mut sum_ns = 0;
    for thread in threads.flatten() {
        // One that has just ended is gone.
        if let Ok(text) = fs::read_to_string(thread.path().join("schedstat")) {
            sum_ns += text.split(' ').next()?.parse::<u64>().ok()?;
        }
    }
    Some(sum_ns / 1000).filter(|sum| *sum > 0)
}

/// User, nice, system, idle, waiting for I/O, interrupts, soft interrupts, stolen, as in `proc_stat(5)`.
fn busy(stat: &str) -> Busy {
    let line = stat.lines().next().unwrap_or_default();
    let ticks: Vec<u64> = line
        .split_ascii_whitespace()
        .skip(1)
        .filter_map(|word| word.parse().ok())
        .collect();
    let [user, nice, system, idle, waiting, hard, soft, stolen, ..] = ticks[..] else {
        return Busy::default();
    };
    let busy = user + nice + system + hard + soft;
    Busy {
        busy,
        interrupts: hard + soft,
        all: busy + idle + waiting + stolen,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, clippy::unwrap_used)]

    use super::*;
    use igen_kernel::records::Record;

    /// Processes by id, start, ticks used, and ticks of those that they have waited for.
    fn reading(busy: u64, processes: &[(u32, u64, u64, u64)]) -> Reading {
        let process =
            |(pid, start_ticks, used_ticks, waited_ticks): &(u32, u64, u64, u64)| Process {
                pid: *pid,
                name: String::new(),
                of_kernel: false,
                session: 0,
                first_ended: false,
                threads: 1,
                used_ticks: *used_ticks,
                waited_ticks: *waited_ticks,
                start_ticks: *start_ticks,
            };
        Reading {
            busy: Busy {
                busy,
                interrupts: 0,
                all: 2 * busy,
            },
            processes: processes.iter().map(|one| (one.0, process(one))).collect(),
        }
    }

    #[test]
    fn the_first_line_is_added_up() {
        let expected = Busy {
            busy: 100 + 1 + 10 + 2 + 3,
            interrupts: 5,
            all: 116 + 1000 + 7 + 4,
        };
        assert_eq!(busy("cpu  100 1 10 1000 7 2 3 4 0 0\ncpu0 1\n"), expected);
        assert_eq!(busy("cpu 1 2\n"), Busy::default());
    }

    #[test]
    fn what_the_living_have_not_used_is_unaccounted() {
        let hundred = clock_ticks_per_second();
        let before = [
            (1, 0, 5 * hundred, 0),
            (2, 0, hundred, 0),
            (3, 0, hundred, 0),
        ];
        let earlier = reading(0, &before);
        // The third has ended, and its id belongs to a new process; the second has ended after 2 more seconds.
        let after = [
            (1, 0, 8 * hundred, 0),
            (3, 9, hundred, 0),
            (4, 9, hundred, 0),
        ];
        let now = reading(10 * hundred, &after);
        let mut tally = Tally {
            used_by_ended_us: 2_000_000,
            ..Tally::default()
        };
        for (process, used_us) in [(5, 1_500_000), (1, 700_000)] {
            tally.record(thread(process, used_us));
        }
        let used = now.since(&earlier, &tally);
        assert_eq!((used.busy_s, used.living_s, used.ended_s), (10.0, 5.0, 3.5));
        assert_eq!((used.unaccounted_s(), used.unexplained_s()), (5.0, 1.5));
        assert_eq!(used.available_s, 20.0);
    }

    #[test]
    fn whoever_has_ended_and_is_not_waited_for_is_counted_once() {
        let second = clock_ticks_per_second();
        let earlier = reading(0, &[(1, 0, 5 * second, 0)]);
        // The first has used 2 seconds more and ended, as the second has; the third has the id of one that has.
        let after = [
            (1, 0, 7 * second, 0),
            (2, 400, 3 * second, 0),
            (3, 901, second, 0),
            (4, 400, second, 0),
        ];
        let now = reading(10 * second, &after);
        let tally = |used_by_ended_us| Tally {
            used_by_ended_us,
            settled: HashMap::from([(1, 900), (2, 900), (3, 900)]),
            ..Tally::default()
        };
        let used = now.since(&earlier, &tally(5_500_000));
        assert_eq!((used.living_s, used.ended_s), (2.0, 5.5));
        assert_eq!((used.unaccounted_s(), used.unexplained_s()), (8.0, 2.5));
        // The ticks of the process know more than records of which some were lost.
        assert_eq!(now.since(&earlier, &tally(0)).ended_s, 5.0);
    }

    #[test]
    fn a_record_makes_a_process_one_that_has_ended() {
        let mut tally = Tally::default();
        let own = crate::processes::process(std::process::id()).unwrap();
        tally.record(Record {
            pid: own.pid,
            last: true,
            ..thread(own.pid, 1)
        });
        assert!(!tally.has_counted(&own));
        tally.settle();
        assert!(tally.has_counted(&own));
        let later = Process {
            start_ticks: crate::processes::now_ticks() + 1,
            ..own
        };
        assert!(!tally.has_counted(&later));
    }

    fn thread(process: u32, used_us: u64) -> Record {
        Record {
            pid: process + 1,
            process,
            parent: 1,
            user: 0,
            name: "worker".into(),
            life_us: 900,
            used_us,
            process_life_us: 900,
            last: false,
        }
    }

    #[test]
    fn whoever_has_waited_for_the_dead_knows_what_they_have_used() {
        // A shell and a script that had used 2 ticks and waited for 30.
        let earlier = reading(0, &[(1, 0, 5, 100), (2, 0, 2, 30)]);
        // The script has ended after 3 more ticks, and after children that used 40; the shell has waited for it.
        let now = reading(80, &[(1, 0, 5, 100 + 2 + 3 + 30 + 40)]);
        assert_eq!(now.waited_since(&earlier), 43);
        let told = |used_by_ended_us| Tally {
            used_by_ended_us,
            ..Tally::default()
        };
        let ticks = |tally| now.since(&earlier, &tally).ended_s * clock_ticks_per_second() as f64;
        assert_eq!(ticks(told(0)).round(), 43.0);
        assert_eq!(
            now.since(&earlier, &told(9_000_000)).ended_s,
            9.0,
            "records know more where nobody waits"
        );
        // Nobody has waited for this one: what it had used is not taken from others.
        assert_eq!(reading(80, &[(1, 0, 5, 101)]).waited_since(&earlier), 0);
    }

    #[test]
    fn threads_of_this_process_have_used_something() {
        let reading = Reading::take();
        let own = reading.of_threads()[&std::process::id()];
        assert!(own.living_us > 0, "{own:?}");
    }
}
