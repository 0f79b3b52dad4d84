//! Who waits for processors, and for what: run queues, pressure, the hypervisor.

use std::collections::HashMap;
use std::fs;

use crate::processes::pids;

/// Readings that only ever grow.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Clocks {
    /// Time run and time waited of each thread; under 0 that of all processors, where the kernel sums it up.
    run_and_waited_s: HashMap<u32, (f64, f64)>,
    pressure_s: [Option<f64>; 3],
    stolen_s: f64,
}

/// What was waited for between two readings.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Waiting {
    /// Time of tasks on processors, and time in which they could have run and waited for one.
    pub(super) ran_s: f64,
    pub(super) waited_s: f64,
    /// Time in which some task waited for a processor, for memory, for I/O; none where the kernel does not tell.
    pub(super) pressure_s: [Option<f64>; 3],
    /// Taken by the hypervisor for others.
    pub(super) stolen_s: f64,
}

/// Files of pressure, and what they are called.
pub(super) const PRESSURES: [&str; 3] = ["cpu", "memory", "io"];

impl Clocks {
    /// The present ones: of a process, or of the whole machine.
    pub(super) fn read(pid: Option<u32>) -> Self {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let of_machine = pid
            .is_none()
            .then(|| of_machine(&text("/proc/schedstat")))
            .flatten();
        Self {
            run_and_waited_s: match (of_machine, pid) {
                (Some(sum), _) => HashMap::from([(0, sum)]),
                (None, Some(pid)) => of_threads(pid).collect(),
                // Threads that start and end in between are missing.
                (None, None) => pids().flat_map(of_threads).collect(),
            },
            pressure_s: PRESSURES
                .map(|name| some_total_s(&text(&format!("/proc/pressure/{name}")))),
            stolen_s: stolen_s(&text("/proc/stat")),
        }
    }

    /// What was added since an earlier reading. A thread that has ended takes its times with it.
    pub(super) fn since(&self, earlier: &Self) -> Waiting {
        let pressure =
            |index: usize| Some((self.pressure_s[index]? - earlier.pressure_s[index]?).max(0.0));
        let (mut ran_s, mut waited_s) = (0.0, 0.0);
        for (thread, now) in &self.run_and_waited_s {
            let before = earlier
                .run_and_waited_s
                .get(thread)
                .copied()
                .unwrap_or_default();
            ran_s += (now.0 - before.0).max(0.0);
            waited_s += (now.1 - before.1).max(0.0);
        }
        Waiting {
            ran_s,
            waited_s,
            pressure_s: [pressure(0), pressure(1), pressure(2)],
            stolen_s: (self.stolen_s - earlier.stolen_s).max(0.0),
        }
    }
}

fn of_threads(pid: u32) -> impl Iterator<Item = (u32, (f64, f64))> {
    let entries = fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten();
    entries.filter_map(|entry| {
        let text = fs::read_to_string(entry.path().join("schedstat")).ok()?;
        Some((entry.file_name().to_str()?.parse().ok()?, of_task(&text)))
    })
}

/// Nanoseconds run and waited in each line `cpu<n>`, as in the kernel's scheduler/sched-stats.rst.
fn of_machine(text: &str) -> Option<(f64, f64)> {
    let lines = text.lines().filter(|line| line.starts_with("cpu"));
    let times = lines.map(|line| {
        let numbers: Vec<f64> = line
            .split(' ')
            .skip(1)
            .filter_map(|word| word.parse().ok())
            .collect();
        let at = |index: usize| numbers.get(index).copied().unwrap_or(0.0) / 1e9;
        (at(6), at(7))
    });
    times.reduce(|sum, one| (sum.0 + one.0, sum.1 + one.1))
}

fn of_task(text: &str) -> (f64, f64) {
    let mut numbers = text
        .split_ascii_whitespace()
        .filter_map(|word| word.parse::<f64>().ok());
    (
        numbers.next().unwrap_or(0.0) / 1e9,
        numbers.next().unwrap_or(0.0) / 1e9,
    )
}

/// Microseconds behind `total=` in the line `some`, as in the kernel's accounting/psi.rst.
fn some_total_s(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with("some"))?;
    Some(line.split_once("total=")?.1.trim().parse::<f64>().ok()? / 1e6)
}

fn stolen_s(stat: &str) -> f64 {
    let word = stat
        .lines()
        .next()
        .and_then(|line| line.split_ascii_whitespace().nth(8));
    let ticks: f64 = word.and_then(|word| word.parse().ok()).unwrap_or(0.0);
    ticks / rustix::param::clock_ticks_per_second() as f64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]

    use super::*;

    #[test]
    fn times_are_read_as_the_kernel_writes_them() {
        let text = "version 17\ntimestamp 1\ncpu0 0 0 0 0 0 0 2000000000 500000000 9\ndomain0 MC 3\ncpu1 0 0 0 0 0 0 1000000000 0 9\n";
        assert_eq!(of_machine(text), Some((3.0, 0.5)));
        assert_eq!(of_machine(""), None);
        assert_eq!(of_task("1500000000 250000000 7\n"), (1.5, 0.25));
        let pressure =
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\nfull avg10=0.00 total=1\n";
        assert_eq!(some_total_s(pressure), Some(2.5));
        assert_eq!(some_total_s(""), None);
    }

    #[test]
    fn only_what_was_added_counts() {
        let clocks = |threads: &[(u32, f64)], pressure_s| Clocks {
            run_and_waited_s: threads
                .iter()
                .map(|(id, ran_s)| (*id, (*ran_s, 1.0)))
                .collect(),
            pressure_s,
            stolen_s: 0.0,
        };
        let earlier = clocks(&[(1, 1.0), (2, 9.0)], [Some(1.0), None, None]);
        let now = clocks(&[(1, 3.0), (3, 0.5)], [Some(1.5), None, Some(1.0)]);
        let added = now.since(&earlier);
        assert_eq!((added.ran_s, added.waited_s), (2.5, 1.0));
        assert_eq!(added.pressure_s, [Some(0.5), None, None]);
    }
}
