//! THE list of probes.

use igen_engine::Probe;
use igen_job::event::Fact;

use crate::cpu::Cpu;
use crate::environment::Environment;
use crate::host::Host;
use crate::kernel::Kernel;
use crate::memory::Memory;
use crate::network::Network;
use crate::power::Power;
use crate::storage::Storage;

/// A probe that exists.
pub struct Entry {
    /// Name on the command line; the first word of its facts.
    pub name: &'static str,
    /// One line for the user.
    pub summary: &'static str,
    /// The probe itself.
    pub probe: &'static dyn Probe,
}

const PROBES: &[Entry] = &[
    Entry {
        name: "host",
        summary: "the machine's name, maker, operating system and time",
        probe: &Host,
    },
    Entry {
        name: "cpu",
        summary: "processors: model, topology, caches, frequency control, mitigations",
        probe: &Cpu,
    },
    Entry {
        name: "memory",
        summary: "memory: size, huge pages, swapping and write-back settings",
        probe: &Memory,
    },
    Entry {
        name: "kernel",
        summary: "the kernel: release, command line, clock source, preemption",
        probe: &Kernel,
    },
    Entry {
        name: "storage",
        summary: "block devices, and the file system of the working directory",
        probe: &Storage,
    },
    Entry {
        name: "network",
        summary: "network interfaces and the settings of TCP",
        probe: &Network,
    },
    Entry {
        name: "environment",
        summary: "where the agent runs: container, virtual machine, limits, load",
        probe: &Environment,
    },
    Entry {
        name: "power",
        summary: "energy counters, power limits, battery",
        probe: &Power,
    },
];

/// All probes that exist.
#[must_use]
pub fn list() -> &'static [Entry] {
    PROBES
}

/// The facts of all probes. It takes a few milliseconds, starts no other program and changes nothing.
#[must_use]
pub fn facts() -> Vec<Fact> {
    PROBES
        .iter()
        .flat_map(|entry| entry.probe.facts())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn facts_belong_to_the_group_of_their_probe() {
        for Entry { name, probe, .. } in list() {
            assert_eq!(*name, probe.name());
            let group = format!("{name}.");
            for fact in probe.facts() {
                assert!(fact.name.starts_with(&group), "{} of {name}", fact.name);
            }
        }
    }

    #[test]
    fn every_fact_is_said_once_and_has_a_value() {
        let mut names = BTreeSet::new();
        for Fact { name, value } in facts() {
            assert!(
                !matches!(value, Value::Null | Value::Object(_)),
                "{name} is {value}"
            );
            assert!(value != "", "{name} is empty");
            assert!(names.insert(name.clone()), "{name} comes twice");
        }
        for name in [
            "cpu.processors",
            "memory.total_bytes",
            "kernel.release",
            "host.name",
        ] {
            assert!(names.contains(name), "no {name}");
        }
    }
}
