//! Processor time that no living process has used: who has?
//!
//! The busy time of the processors, less what the processes have used that lived at both ends of the audit or were
//! started in it, is unaccounted. Processes that have ended meanwhile explain most of it.

use std::collections::HashMap;
use std::fs;

use rustix::param::clock_ticks_per_second;

use super::tally::Tally;
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

    /// What each process has used, in µs.
    pub(super) fn used_us(&self) -> HashMap<u32, u64> {
        let per_tick = 1_000_000 / clock_ticks_per_second().max(1);
        let used = self.processes.values();
        used.map(|process| (process.pid, process.used_ticks * per_tick))
            .collect()
    }

    /// What was used since an earlier reading, with what those have used that have ended meanwhile.
    pub(super) fn since(&self, earlier: &Self, tally: &Tally) -> Used {
        let per_second = clock_ticks_per_second() as f64;
        let seconds = |ticks: u64| ticks as f64 / per_second;
        let before = |process: &Process| {
            let found = earlier.processes.get(&process.pid);
            found
                .filter(|one| one.start_ticks == process.start_ticks)
                .map_or(0, |one| one.used_ticks)
        };
        let living = self.processes.values();
        let living = living
            .map(|process| process.used_ticks.saturating_sub(before(process)))
            .sum();
        // Threads that ended after the first one of their process.
        let late = tally.used_by_process_us.iter();
        let late_us: u64 = late
            .filter(|(pid, _)| !self.processes.contains_key(pid))
            .map(|(_, used_us)| used_us)
            .sum();
        Used {
            busy_s: seconds(self.busy.busy.saturating_sub(earlier.busy.busy)),
            living_s: seconds(living),
            ended_s: (tally.used_by_ended_us + late_us) as f64 / 1e6,
            interrupts_s: seconds(self.busy.interrupts.saturating_sub(earlier.busy.interrupts)),
            available_s: seconds(self.busy.all.saturating_sub(earlier.busy.all)),
        }
    }
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
    #![allow(clippy::float_cmp)]

    use super::*;

    fn reading(busy: u64, processes: &[(u32, u64, u64)]) -> Reading {
        let process = |(pid, start_ticks, used_ticks): &(u32, u64, u64)| Process {
            pid: *pid,
            name: String::new(),
            of_kernel: false,
            used_ticks: *used_ticks,
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
        let earlier = reading(0, &[(1, 0, 5 * hundred), (2, 0, hundred), (3, 0, hundred)]);
        // The third has ended, and its id belongs to a new process; the second has ended after 2 more seconds.
        let now = reading(
            10 * hundred,
            &[(1, 0, 8 * hundred), (3, 9, hundred), (4, 9, hundred)],
        );
        let tally = Tally {
            used_by_ended_us: 2_000_000,
            used_by_process_us: HashMap::from([(5, 1_500_000), (1, 700_000)]),
            ..Tally::default()
        };
        assert_eq!(earlier.used_us()[&1], 5_000_000);
        let used = now.since(&earlier, &tally);
        assert_eq!((used.busy_s, used.living_s, used.ended_s), (10.0, 5.0, 3.5));
        assert_eq!((used.unaccounted_s(), used.unexplained_s()), (5.0, 1.5));
        assert_eq!(used.available_s, 20.0);
    }
}
