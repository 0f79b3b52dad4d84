//! The agent itself and the processes of interest.
//!
//! Reads for each process: `/proc/<pid>/{stat,io}` and, for each of its threads,
//! `task/<id>/{schedstat,status}`, unless there are more than `MOST_THREADS` of them. Counters are
//! the process's own, without its children; of the threads' values (`run_s`, `wait_s`, switches) see
//! `threads.rs` for what is lost when a thread ends. `user_s` and `system_s` have the resolution of a
//! clock tick (10 ms), `run_s` and `wait_s` of 1 ns, as they were at the scheduler's last look at the
//! thread (1 to 10 ms ago while it runs). `read_bytes` and `written_bytes` are what reached the storage
//! layer: page cache hits are not among them. Where a file system keeps large folios (ext4 from Linux
//! 6.16 on) `written_bytes` counts the whole folio for each page of it that is written: much more than
//! was. `resident_bytes` may lag by some pages for each processor.
//! The agent has also `children_user_s` and `children_system_s`: what all that it has started has used,
//! as `children.rs` finds it. If a control group that it is in has a quota of processors, `quota_periods`,
//! `throttled_periods` and `throttled_s` say how often the quota stopped it and its neighbours in the group.
//! A process that ended gives one last reading with the gauge `exited` and is then forgotten.
//! Cost: 5 µs for each process and 7 µs for each of its threads.
//! Requirements: `io` needs the right to trace the process; without it these values are left out.

use std::io;

use igen_engine::Monitor;
use igen_job::event::Reading;
use rustix::param::{clock_ticks_per_second, page_size};

use crate::children::Children;
use crate::of_interest::OfInterest;
use crate::threads::{MOST_THREADS, ThreadCounts, Threads};
use crate::values::{numbers, values};
use igen_kernel::control_groups::ControlGroups;
use igen_kernel::proc_file::ProcFile;
use igen_kernel::process_stat::ProcessStat;

pub(crate) struct Process {
    children: Children,
    groups: ControlGroups,
    followed: Vec<Followed>,
}

/// Subject of the agent's own readings.
const AGENT: &str = "agent";

/// One process. The open files stay with it even if its pid is given to another one.
struct Followed {
    subject: String,
    stat: ProcFile,
    io: Option<ProcFile>,
    threads: Threads,
}

impl Process {
    pub(crate) const NAME: &'static str = "process";

    pub(crate) fn open(pids: &[u32], of_interest: &OfInterest) -> io::Result<Self> {
        let mut agent = Followed::open(std::process::id())?;
        AGENT.clone_into(&mut agent.subject);
        let mut followed = vec![agent];
        for pid in pids {
            followed.push(Followed::open(*pid)?);
        }
        Ok(Self {
            children: Children::new(of_interest),
            groups: ControlGroups::own(),
            followed,
        })
    }
}

impl Monitor for Process {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn read(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        let children = &mut self.children;
        let groups = &self.groups;
        self.followed.retain_mut(|process| {
            let reading = process.read(children, groups);
            let lives = reading.is_some();
            readings.push(reading.unwrap_or_else(|| process.exited()));
            lives
        });
        Ok(())
    }
}

impl Followed {
    fn open(pid: u32) -> io::Result<Self> {
        let mut stat = ProcFile::open(format!("/proc/{pid}/stat"))?;
        let subject = match ProcessStat::parse(&stat.read()?) {
            Some(stat) => format!("{pid} {}", stat.name),
            None => pid.to_string(),
        };
        Ok(Self {
            subject,
            stat,
            io: ProcFile::open(format!("/proc/{pid}/io")).ok(),
            threads: Threads::new(pid),
        })
    }

    /// None if it has ended.
    fn read(&mut self, children: &mut Children, groups: &ControlGroups) -> Option<Reading> {
        let line = self.stat.read().ok()?;
        let stat = ProcessStat::parse(&line).filter(|stat| !stat.zombie)?;
        let io = self.io.as_mut().and_then(|io| io.read().ok());
        let threads = if stat.threads <= MOST_THREADS {
            self.threads.read().ok()
        } else {
            None
        };
        let mut reading = reading(&self.subject, &stat, io.as_deref(), threads);
        if self.subject == AGENT {
            let ticks_per_s = clock_ticks_per_second() as f64;
            let ticks = children.ticks(&stat);
            reading.counters.extend(values([
                ("children_user_s", Some(ticks.user as f64 / ticks_per_s)),
                ("children_system_s", Some(ticks.system as f64 / ticks_per_s)),
            ]));
            let throttled = groups.throttled();
            reading.counters.extend(values([
                ("quota_periods", throttled.map(|each| each.periods)),
                (
                    "throttled_periods",
                    throttled.map(|each| each.throttled_periods),
                ),
                ("throttled_s", throttled.map(|each| each.throttled_s)),
            ]));
        }
        Some(reading)
    }

    fn exited(&self) -> Reading {
        Reading {
            monitor: Process::NAME.to_owned(),
            subject: self.subject.clone(),
            gauges: values([("exited", Some(1.0))]),
            ..Reading::default()
        }
    }
}

fn reading(
    subject: &str,
    stat: &ProcessStat,
    io: Option<&str>,
    threads: Option<ThreadCounts>,
) -> Reading {
    let ticks_per_s = clock_ticks_per_second() as f64;
    let bytes = |name: &str| {
        let line = io?.lines().find_map(|line| line.strip_prefix(name))?;
        numbers(line).first().copied()
    };
    Reading {
        monitor: Process::NAME.to_owned(),
        subject: subject.to_owned(),
        counters: values([
            ("user_s", Some(stat.user_ticks as f64 / ticks_per_s)),
            ("system_s", Some(stat.system_ticks as f64 / ticks_per_s)),
            ("minor_faults", Some(stat.minor_faults as f64)),
            ("major_faults", Some(stat.major_faults as f64)),
            ("read_bytes", bytes("read_bytes:")),
            ("written_bytes", bytes("write_bytes:")),
            ("run_s", threads.map(|counts| counts.run_ns as f64 / 1e9)),
            ("wait_s", threads.map(|counts| counts.wait_ns as f64 / 1e9)),
            (
                "voluntary_switches",
                threads.map(|counts| counts.voluntary_switches as f64),
            ),
            (
                "involuntary_switches",
                threads.map(|counts| counts.involuntary_switches as f64),
            ),
        ]),
        gauges: values([
            ("threads", Some(stat.threads as f64)),
            (
                "resident_bytes",
                Some((stat.resident_pages * page_size() as u64) as f64),
            ),
        ]),
        ..Reading::default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::process::{Command, Stdio};

    use super::*;

    const STAT: ProcessStat = ProcessStat {
        name: std::borrow::Cow::Borrowed("postgres"),
        parent: 1,
        zombie: false,
        minor_faults: 97,
        major_faults: 5,
        user_ticks: 0,
        system_ticks: 0,
        waited_user_ticks: 0,
        waited_system_ticks: 0,
        threads: 2,
        start_ticks: 99894,
        resident_pages: 3,
    };

    fn read(monitor: &mut Process) -> Vec<Reading> {
        let mut readings = Vec::new();
        monitor.read(&mut readings).unwrap();
        readings
    }

    #[test]
    fn every_source_gives_its_values() {
        let io = "rchar: 7291\nwchar: 315\nread_bytes: 4096\nwrite_bytes: 8192\n\
                  cancelled_write_bytes: 1\n";
        let threads = ThreadCounts {
            run_ns: 2_500_000_000,
            wait_ns: 500_000_000,
            voluntary_switches: 7,
            involuntary_switches: 2,
        };
        let reading = reading("agent", &STAT, Some(io), Some(threads));
        assert_eq!(
            reading.counters,
            values([
                ("user_s", Some(0.0)),
                ("system_s", Some(0.0)),
                ("minor_faults", Some(97.0)),
                ("major_faults", Some(5.0)),
                ("read_bytes", Some(4096.0)),
                ("written_bytes", Some(8192.0)),
                ("run_s", Some(2.5)),
                ("wait_s", Some(0.5)),
                ("voluntary_switches", Some(7.0)),
                ("involuntary_switches", Some(2.0)),
            ])
        );
        let resident = 3.0 * page_size() as f64;
        let gauges = [("threads", Some(2.0)), ("resident_bytes", Some(resident))];
        assert_eq!(reading.gauges, values(gauges));
    }

    #[test]
    fn what_may_not_be_read_is_left_out() {
        let reading = reading("7 postgres", &STAT, None, None);
        let names: Vec<&str> = reading.counters.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            ["major_faults", "minor_faults", "system_s", "user_s"]
        );
    }

    #[test]
    fn the_agent_is_always_followed() {
        let mut monitor = Process::open(&[], &OfInterest::new(&[])).unwrap();
        let first = read(&mut monitor);
        assert_eq!(first.len(), 1);
        assert_eq!(first[0].subject, "agent");
        // Reading takes time, which the scheduler notes at its next tick.
        let run_s = first[0].counters["run_s"];
        assert!((0..1_000_000).any(|_| read(&mut monitor)[0].counters["run_s"] > run_s));
    }

    #[test]
    fn the_end_of_a_process_is_told_once() {
        // It waits for its input to end.
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let mut monitor = Process::open(&[child.id()], &OfInterest::new(&[])).unwrap();
        assert!(read(&mut monitor)[1].counters.contains_key("user_s"));

        child.kill().unwrap();
        child.wait().unwrap();
        let readings = read(&mut monitor);
        assert!(readings[1].subject.starts_with(&format!("{} ", child.id())));
        assert_eq!(readings[1].gauges, values([("exited", Some(1.0))]));
        assert!(readings[1].counters.is_empty());
        assert_eq!(read(&mut monitor).len(), 1);
    }
}
