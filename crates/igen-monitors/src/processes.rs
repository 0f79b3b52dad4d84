//! The other processes that use processor time: who disturbs the measurement.
//!
//! Reads: `/proc/<pid>/stat` of every process but the agent, the processes of interest and those of
//! the servers under test that the monitors of databases have found on this host. The
//! counters are the time used since the monitor was opened; each scan gives the `MOST` processes
//! that used most, from 1 clock tick (10 ms) on. So a subject without an earlier reading had used
//! nothing, or, where more than `MOST` are busy, less than all that were given. A process that starts
//! and ends between two scans is not seen. Threads of the kernel have their name in brackets. A process whose
//! open files may not be read has the gauge `hidden`: it may be the server under test. The reading without a
//! subject says that there was a scan, and of how many processes.
//! Cost: 6 µs for each process on the host. It scans at the start and at the end of MEASURE, and in between only so
//! often that this stays below 0.1 % of one processor (230 processes: every 1.4 s), else it has no readings.
//! Requirements: a /proc mounted without `hidepid`, else it sees only processes of its own user.

use std::collections::HashMap;
use std::io;
use std::time::{Duration, Instant};

use igen_engine::Monitor;
use igen_job::event::Reading;
use igen_kernel::holders::{is_hidden, process_ids};
use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

use crate::of_interest::OfInterest;
use crate::values::values;
use igen_kernel::proc_file::read_once;
use igen_kernel::process_stat::ProcessStat;

/// Processes in one reading.
const MOST: usize = 20;

/// A scan that took 1 ms of processor time is followed by 1 s of rest.
pub(crate) const REST_PER_SCAN: u32 = 1000;

pub(crate) struct Processes {
    of_interest: OfInterest,
    baseline: HashMap<u32, Ticks>,
    scanned: Instant,
    rest: Duration,
}

/// One process in one scan.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    pid: u32,
    name: String,
    ticks: Ticks,
}

/// When a process started, and the processor time it has used since.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Ticks {
    start: u64,
    user: u64,
    system: u64,
}

impl Processes {
    pub(crate) const NAME: &'static str = "processes";

    pub(crate) fn open(of_interest: &OfInterest) -> Self {
        let mut opened = Self {
            of_interest: of_interest.clone(),
            baseline: HashMap::new(),
            scanned: Instant::now(),
            rest: Duration::ZERO,
        };
        let seen = opened.scan();
        opened.baseline = seen
            .into_iter()
            .map(|process| (process.pid, process.ticks))
            .collect();
        opened
    }

    fn look(&mut self, readings: &mut Vec<Reading>) {
        let seen = self.scan();
        readings.push(Reading {
            monitor: Self::NAME.to_owned(),
            gauges: values([("processes", Some(seen.len() as f64))]),
            ..Reading::default()
        });
        readings.extend(busiest(&self.baseline, seen).iter().map(reading));
    }

    fn scan(&mut self) -> Vec<Seen> {
        let start = processor_time();
        let mut buffer = [0; 1024];
        let mut seen = Vec::new();
        for pid in process_ids() {
            if self.of_interest.contains(pid) {
                continue;
            }
            let Ok(line) = read_once(&format!("/proc/{pid}/stat"), &mut buffer) else {
                continue; // It ended meanwhile.
            };
            seen.extend(ProcessStat::parse(&line).map(|stat| Seen {
                pid,
                name: stat.name.into_owned(),
                ticks: Ticks {
                    start: stat.start_ticks,
                    user: stat.user_ticks,
                    system: stat.system_ticks,
                },
            }));
        }
        self.scanned = Instant::now();
        self.rest = processor_time().saturating_sub(start) * REST_PER_SCAN;
        seen
    }
}

impl Monitor for Processes {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn read(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        if self.scanned.elapsed() >= self.rest {
            self.look(readings);
        }
        Ok(())
    }

    fn read_at_edge(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        self.look(readings);
        Ok(())
    }
}

/// Used by this thread: a scan that had to wait for a processor did not cost more.
pub(crate) fn processor_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime)
        .try_into()
        .unwrap_or_default()
}

/// The processes that used most since the baseline, with what they used since.
fn busiest(baseline: &HashMap<u32, Ticks>, mut seen: Vec<Seen>) -> Vec<Seen> {
    for Seen { pid, ticks, .. } in &mut seen {
        // Another start: the pid was another process's then.
        if let Some(before) = baseline
            .get(pid)
            .filter(|before| before.start == ticks.start)
        {
            ticks.user = ticks.user.saturating_sub(before.user);
            ticks.system = ticks.system.saturating_sub(before.system);
        }
    }
    seen.retain(|process| process.ticks.user + process.ticks.system > 0);
    seen.sort_by_key(|process| std::cmp::Reverse(process.ticks.user + process.ticks.system));
    seen.truncate(MOST);
    seen
}

fn reading(process: &Seen) -> Reading {
    let seconds = |ticks| Some(ticks as f64 / clock_ticks_per_second() as f64);
    Reading {
        monitor: Processes::NAME.to_owned(),
        subject: format!("{} {}", process.pid, process.name),
        counters: values([
            ("user_s", seconds(process.ticks.user)),
            ("system_s", seconds(process.ticks.system)),
        ]),
        gauges: values([("hidden", is_hidden(process.pid).then_some(1.0))]),
        ..Reading::default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn seen(pid: u32, start: u64, user: u64, system: u64) -> Seen {
        Seen {
            pid,
            name: format!("program{pid}"),
            ticks: Ticks {
                start,
                user,
                system,
            },
        }
    }

    #[test]
    fn time_counts_since_the_baseline() {
        let baseline = [seen(1, 0, 500, 50), seen(2, 0, 70, 7), seen(3, 0, 9, 0)];
        let baseline = baseline
            .into_iter()
            .map(|process| (process.pid, process.ticks))
            .collect();
        let now = vec![
            seen(1, 0, 503, 51), // worked
            seen(2, 0, 70, 7),   // idle
            seen(3, 90, 8, 0),   // another process with this pid
            seen(4, 95, 1, 0),   // new
        ];
        let expected = [seen(3, 90, 8, 0), seen(1, 0, 3, 1), seen(4, 95, 1, 0)];
        assert_eq!(busiest(&baseline, now), expected);
    }

    #[test]
    fn the_busiest_are_given_when_there_are_many() {
        let many = (0..100)
            .map(|pid| seen(pid, 0, u64::from(pid), 0))
            .collect();
        let pids: Vec<u32> = busiest(&HashMap::new(), many)
            .iter()
            .map(|one| one.pid)
            .collect();
        assert_eq!(pids, (80..100).rev().collect::<Vec<_>>());
    }

    #[test]
    fn a_reading_is_in_seconds() {
        let reading = reading(&seen(7, 0, clock_ticks_per_second(), 0));
        assert_eq!(reading.subject, "7 program7");
        assert_eq!(
            reading.counters,
            values([("user_s", Some(1.0)), ("system_s", Some(0.0))])
        );
    }

    #[test]
    fn the_agent_and_followed_processes_are_not_others() {
        let parent = std::os::unix::process::parent_id();
        let pids = |followed: &[u32]| -> Vec<u32> {
            let mut monitor = Processes::open(&OfInterest::new(followed));
            monitor.scan().iter().map(|process| process.pid).collect()
        };
        assert!(pids(&[]).contains(&parent));
        assert!(!pids(&[parent]).contains(&parent));
        assert!(!pids(&[]).contains(&std::process::id()));
    }

    #[test]
    fn a_scan_is_followed_by_rest() {
        let mut monitor = Processes::open(&OfInterest::new(&[]));
        monitor.rest = Duration::MAX;
        let mut readings = Vec::new();
        monitor.read(&mut readings).unwrap();
        assert!(readings.is_empty());
        monitor.rest = Duration::ZERO;
        monitor.read(&mut readings).unwrap();
        assert!(!readings.is_empty());
    }

    #[test]
    fn an_edge_is_looked_at_whatever_it_costs() {
        let mut monitor = Processes::open(&OfInterest::new(&[]));
        for look in 1..=2 {
            monitor.rest = Duration::MAX;
            let mut readings = Vec::new();
            monitor.read_at_edge(&mut readings).unwrap();
            assert_eq!(readings[0].subject, "", "look {look}");
            assert!(readings[0].gauges["processes"] >= 1.0);
        }
    }
}
