//! THE list of monitors.

use std::io;
use std::path::Path;

use igen_engine::Monitor;
use igen_job::{Job, JobError, Tier};

use crate::clients::Clients;
use crate::context::{Context, Monitors};
use crate::cpu::Cpu;
use crate::device::{self, Device};
use crate::disk::Disk;
use crate::free_blocks::FreeBlocks;
use crate::memory::Memory;
use crate::mysql::Mysql;
use crate::network::Network;
use crate::postgresql::Postgresql;
use crate::power::Power;
use crate::pressure::Pressure;
use crate::process::Process;
use crate::processes::Processes;
use crate::server;
use crate::server::Source;
use crate::short_lived::ShortLived;
use crate::tier::{self, Tiers};

/// Entry of a monitor, available here or not.
#[derive(Debug, Clone, Copy)]
pub struct MonitorEntry {
    /// Name on the command line and in every reading.
    pub name: &'static str,
    /// Summary in one line.
    pub summary: &'static str,
    /// Scheme of the targets that it follows; None if it follows the host.
    scheme: Option<&'static str>,
    /// True if most hosts lack it: then it is reported as missing only if the job names it.
    rare: bool,
    open: fn(&Context) -> io::Result<Monitors>,
}

const MONITORS: &[MonitorEntry] = &[
    MonitorEntry {
        name: Cpu::NAME,
        summary: "processor time by kind, in total and for each processor; context switches",
        scheme: None,
        rare: false,
        open: |_| one(Cpu::open()),
    },
    MonitorEntry {
        name: Memory::NAME,
        summary: "memory in use by kind; page faults and swapping",
        scheme: None,
        rare: false,
        open: |_| one(Memory::open()),
    },
    MonitorEntry {
        name: FreeBlocks::NAME,
        summary: "free memory in blocks large enough for huge pages",
        scheme: None,
        rare: true,
        open: |_| one(FreeBlocks::open()),
    },
    MonitorEntry {
        name: Disk::NAME,
        summary: "reads, writes, flushes and busy time of each disk",
        scheme: None,
        rare: false,
        open: |_| one(Disk::open()),
    },
    MonitorEntry {
        name: Device::NAME,
        summary: "reads, writes, flushes and busy time of each device below a target file://",
        scheme: Some(device::SCHEME),
        rare: false,
        open: Device::open,
    },
    MonitorEntry {
        name: Network::NAME,
        summary: "bytes, packets, errors and drops of each network interface",
        scheme: None,
        rare: false,
        open: |_| one(Network::open()),
    },
    MonitorEntry {
        name: Pressure::NAME,
        summary: "time that tasks waited for processor, memory or I/O (PSI)",
        scheme: None,
        rare: false,
        open: |_| one(Pressure::open()),
    },
    MonitorEntry {
        name: Power::NAME,
        summary: "power consumption, from the meters of the host (RAPL, hwmon)",
        scheme: None,
        rare: true,
        open: |context| one(Power::open(context.emit.clone())),
    },
    MonitorEntry {
        name: Process::NAME,
        summary: "processor time, context switches, memory and I/O of the agent and of the processes in `pids`",
        scheme: None,
        rare: false,
        open: |context| one(Process::open(&context.pids, &context.of_interest)),
    },
    MonitorEntry {
        name: Processes::NAME,
        summary: "other processes that use the most processor time",
        scheme: None,
        rare: false,
        open: |context| one(Ok(Processes::open(&context.of_interest))),
    },
    MonitorEntry {
        name: ShortLived::NAME,
        summary: "other processes that lived less than a second, by program and parent",
        scheme: None,
        rare: true,
        open: |context| one(ShortLived::open(&context.of_interest)),
    },
    MonitorEntry {
        name: Tiers::NAME,
        summary: "processor time, throttling and memory of the tiers of the job and of target servers on this machine",
        scheme: None,
        rare: false,
        open: |context| {
            let opened = Tiers::open(context)?;
            Ok(opened
                .into_iter()
                .map(|tiers| Box::new(tiers) as Box<dyn Monitor>)
                .collect())
        },
    },
    MonitorEntry {
        name: Clients::NAME,
        summary: "other clients of the target servers on this machine",
        scheme: None,
        rare: true,
        open: Clients::open,
    },
    MonitorEntry {
        name: Postgresql::NAME,
        summary: "for each PostgreSQL target: transactions, cache, log, checkpoints, wait events of sessions, processor \
                  time and I/O of its processes",
        scheme: Some(Postgresql::NAME),
        rare: false,
        open: server::open::<Postgresql>,
    },
    MonitorEntry {
        name: Mysql::NAME,
        summary: "for each MariaDB or MySQL target: transactions, cache, log, lock waits, wait events of sessions, \
                  processor time and I/O of its process",
        scheme: Some(Mysql::NAME),
        rare: false,
        open: server::open::<Mysql>,
    },
];

/// Result of `open`.
pub struct Opened {
    /// Monitors that can be read, in the order of the list.
    pub monitors: Monitors,
    /// Asked for but not to be had on this host.
    pub unavailable: Vec<Unavailable>,
}

/// A monitor that this host cannot have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable {
    /// Name of the monitor.
    pub name: &'static str,
    /// Why, such as `/proc/pressure/cpu: No such file or directory`.
    pub reason: String,
}

/// Returns all monitors.
#[must_use]
pub fn list() -> &'static [MonitorEntry] {
    MONITORS
}

fn one(opened: io::Result<impl Monitor + 'static>) -> io::Result<Monitors> {
    opened.map(|monitor| vec![Box::new(monitor) as Box<dyn Monitor>])
}

/// Checks what a job says about monitors: a name, a process or a tier that does not exist is an error of
/// the job.
pub fn check(job: &Job) -> Result<(), JobError> {
    check_pids(&job.pids)?;
    check_watched(job.monitors.as_deref(), &job.tiers, &job.pids)
}

/// Checks what is to be read, without the job around it.
pub fn check_watched(
    names: Option<&[String]>,
    tiers: &[Tier],
    pids: &[u32],
) -> Result<(), JobError> {
    if let Some(names) = names {
        check_names(names)?;
    }
    tier::check(tiers, names, pids)
}

/// Opens the monitors named in a job, or all where it names none. A monitor of targets that the job
/// does not have, and one that most hosts lack, is missed only where it is named.
#[must_use]
pub fn open(names: Option<&[String]>, context: &Context) -> Opened {
    let mut opened = Opened {
        monitors: Vec::new(),
        unavailable: Vec::new(),
    };
    for entry in MONITORS {
        if names.is_some_and(|names| names.iter().all(|name| name != entry.name)) {
            continue;
        }
        let mut missing = |reason| {
            opened.unavailable.push(Unavailable {
                name: entry.name,
                reason,
            });
        };
        match (entry.open)(context) {
            Ok(monitors) => {
                if monitors.is_empty() && names.is_some() {
                    missing(match entry.scheme {
                        Some(scheme) => format!("the job has no target {scheme}://"),
                        None => "the job has no server or process for this monitor".to_owned(),
                    });
                }
                opened.monitors.extend(monitors);
            }
            Err(_) if entry.rare && names.is_none() => {}
            Err(error) => missing(error.to_string()),
        }
    }
    opened
}

fn check_names(names: &[String]) -> Result<(), JobError> {
    let known: Vec<&str> = MONITORS.iter().map(|entry| entry.name).collect();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(
            JobError::at("monitors", format!("unknown monitor `{name}`"))
                .hint(format!("use one of {}", known.join(", "))),
        ),
        None => Ok(()),
    }
}

fn check_pids(pids: &[u32]) -> Result<(), JobError> {
    match pids
        .iter()
        .find(|pid| !Path::new(&format!("/proc/{pid}")).exists())
    {
        Some(pid) => Err(
            JobError::at("pids", format!("process {pid} does not exist"))
                .hint("`pgrep -x NAME` prints the ids of a program's processes"),
        ),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;
    use std::sync::Arc;

    use igen_engine::Clock;

    use super::*;

    fn open_all(names: Option<&[String]>) -> Opened {
        let context = Context::new(&[], &[], Arc::new(|_| ()), Clock::start());
        open(names, &context)
    }

    fn job(with: &str) -> Job {
        let load = r#""load": {"closed": {"users": 1}}"#;
        Job::from_json(&format!(r#"{{"workload": "noop", {load}, {with}}}"#)).unwrap()
    }

    #[test]
    fn a_monitor_speaks_under_its_name_in_the_list() {
        let every: Vec<String> = list().iter().map(|entry| entry.name.to_owned()).collect();
        let mut opened = open_all(Some(&every));
        let names: Vec<&str> = opened
            .monitors
            .iter()
            .map(|monitor| monitor.name())
            .collect();
        let missing: Vec<&str> = opened.unavailable.iter().map(|gone| gone.name).collect();
        let listed: BTreeSet<&str> = list().iter().map(|entry| entry.name).collect();
        assert_eq!(listed, names.iter().chain(&missing).copied().collect());

        for monitor in &mut opened.monitors {
            let mut readings = Vec::new();
            monitor.read(&mut readings).unwrap();
            let name = monitor.name();
            assert!(
                readings.iter().all(|reading| reading.monitor == name),
                "{name}"
            );
        }
    }

    #[test]
    fn only_what_is_named_is_opened() {
        let opened = open_all(Some(&["process".to_owned()]));
        let names: Vec<&str> = opened
            .monitors
            .iter()
            .map(|monitor| monitor.name())
            .collect();
        assert_eq!(names, ["process"]);
        let nothing = open_all(Some(&[]));
        assert!(nothing.monitors.is_empty() && nothing.unavailable.is_empty());
    }

    #[test]
    fn without_a_server_or_a_tier_its_monitor_is_missed_only_by_name() {
        let missing = |names: Option<&[String]>| -> Vec<&str> {
            let unavailable = open_all(names).unavailable;
            unavailable.iter().map(|one| one.name).collect()
        };
        assert_eq!(missing(Some(&["postgresql".to_owned()])), ["postgresql"]);
        assert!(!missing(None).contains(&"postgresql"));
        assert_eq!(missing(Some(&["tier".to_owned()])), ["tier"]);
        assert!(!missing(None).contains(&"tier"));
    }

    #[test]
    fn what_most_hosts_lack_is_missed_only_by_name() {
        let rare: Vec<_> = list().iter().filter(|entry| entry.rare).collect();
        assert!(!rare.is_empty());
        for entry in rare {
            let missing = |names: Option<&[String]>| {
                let mut unavailable = open_all(names).unavailable.into_iter();
                unavailable.any(|one| one.name == entry.name)
            };
            assert!(!missing(None), "{}", entry.name);
            let context = Context::new(&[], &[], Arc::new(|_| ()), Clock::start());
            let gone = (entry.open)(&context).map_or(true, |opened| opened.is_empty());
            assert_eq!(missing(Some(&[entry.name.to_owned()])), gone);
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error = check(&job(r#""monitors": ["cpus"]"#)).err().unwrap();
        assert_eq!(error.path, "monitors");
        assert!(
            error.text.contains("cpus") && error.hint.contains("cpu, memory"),
            "{error}"
        );
    }

    #[test]
    fn a_process_that_does_not_exist_is_an_error_of_the_job() {
        let error = check(&job(r#""pids": [4294967295]"#)).err().unwrap();
        assert_eq!(error.path, "pids");
        assert!(error.text.contains("4294967295"), "{error}");
    }
}
