//! THE list of monitors.

use std::io;
use std::path::Path;

use igen_engine::Monitor;
use igen_job::JobError;

use crate::cpu::Cpu;
use crate::disk::Disk;
use crate::memory::Memory;
use crate::network::Network;
use crate::pressure::Pressure;
use crate::process::Process;
use crate::processes::Processes;

/// A monitor that exists, available here or not.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Name on the command line and in every reading.
    pub name: &'static str,
    /// One line for the user.
    pub summary: &'static str,
    open: fn(pids: &[u32]) -> io::Result<Box<dyn Monitor>>,
}

const MONITORS: &[Entry] = &[
    Entry {
        name: Cpu::NAME,
        summary: "processor time by kind, of all processors and of each; context switches",
        open: |_| Ok(Box::new(Cpu::open()?)),
    },
    Entry {
        name: Memory::NAME,
        summary: "memory in use by kind; page faults and swapping",
        open: |_| Ok(Box::new(Memory::open()?)),
    },
    Entry {
        name: Disk::NAME,
        summary: "reads, writes, flushes and busy time of each disk",
        open: |_| Ok(Box::new(Disk::open()?)),
    },
    Entry {
        name: Network::NAME,
        summary: "bytes, packets, errors and drops of each network interface",
        open: |_| Ok(Box::new(Network::open()?)),
    },
    Entry {
        name: Pressure::NAME,
        summary: "time in which tasks waited for processor, memory or I/O (PSI)",
        open: |_| Ok(Box::new(Pressure::open()?)),
    },
    Entry {
        name: Process::NAME,
        summary: "processor time, switches, memory and I/O of the agent and of the job's pids",
        open: |pids| Ok(Box::new(Process::open(pids)?)),
    },
    Entry {
        name: Processes::NAME,
        summary: "the other processes that use most processor time",
        open: |pids| Ok(Box::new(Processes::open(pids)?)),
    },
];

/// What `open` found.
pub struct Opened {
    /// Ready to be read, in the order of the list.
    pub monitors: Vec<Box<dyn Monitor>>,
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

/// All monitors that exist.
#[must_use]
pub fn list() -> &'static [Entry] {
    MONITORS
}

/// Opens the monitors named in a job, or all where it names none. `pids` are the processes that
/// the `process` monitor follows beside the agent.
///
/// A name that does not exist and a process that does not exist are errors of the job.
pub fn open(names: Option<&[String]>, pids: &[u32]) -> Result<Opened, JobError> {
    if let Some(names) = names {
        check_names(names)?;
    }
    check_pids(pids)?;
    let mut opened = Opened {
        monitors: Vec::new(),
        unavailable: Vec::new(),
    };
    for entry in MONITORS {
        if names.is_some_and(|names| names.iter().all(|name| name != entry.name)) {
            continue;
        }
        match (entry.open)(pids) {
            Ok(monitor) => opened.monitors.push(monitor),
            Err(error) => opened.unavailable.push(Unavailable {
                name: entry.name,
                reason: error.to_string(),
            }),
        }
    }
    Ok(opened)
}

fn check_names(names: &[String]) -> Result<(), JobError> {
    let known: Vec<&str> = MONITORS.iter().map(|entry| entry.name).collect();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(JobError::at("monitors", format!("no monitor `{name}`"))
            .hint(format!("the monitors are {}", known.join(", ")))),
        None => Ok(()),
    }
}

fn check_pids(pids: &[u32]) -> Result<(), JobError> {
    match pids
        .iter()
        .find(|pid| !Path::new(&format!("/proc/{pid}")).exists())
    {
        Some(pid) => Err(JobError::at("pids", format!("no process {pid}"))
            .hint("`pgrep -x NAME` prints the ids of a program's processes")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_monitor_speaks_under_its_name_in_the_list() {
        let mut opened = open(None, &[]).unwrap();
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
        let opened = open(Some(&["process".to_owned()]), &[]).unwrap();
        let names: Vec<&str> = opened
            .monitors
            .iter()
            .map(|monitor| monitor.name())
            .collect();
        assert_eq!(names, ["process"]);
        let nothing = open(Some(&[]), &[]).unwrap();
        assert!(nothing.monitors.is_empty() && nothing.unavailable.is_empty());
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error = open(Some(&["cpus".to_owned()]), &[]).err().unwrap();
        assert_eq!(error.path, "monitors");
        assert!(
            error.text.contains("cpus") && error.hint.contains("cpu, memory"),
            "{error}"
        );
    }

    #[test]
    fn a_process_that_does_not_exist_is_an_error_of_the_job() {
        let error = open(None, &[u32::MAX]).err().unwrap();
        assert_eq!(error.path, "pids");
        assert!(error.text.contains("4294967295"), "{error}");
    }
}
