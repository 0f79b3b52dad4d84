//! THE list of subjects.

use igen_engine::FactSource;
use igen_job::Fact;

use crate::cpu::Cpu;
use crate::environment::Environment;
use crate::host::Host;
use crate::kernel::Kernel;
use crate::memory::Memory;
use crate::network::Network;
use crate::power::Power;
use crate::storage::Storage;

/// A subject of facts.
pub struct Subject {
    /// Name on the command line; the first word of its facts.
    pub name: &'static str,
    /// Source of the facts.
    pub facts: &'static dyn FactSource,
}

const SUBJECTS: &[Subject] = &[
    Subject {
        name: "host",
        facts: &Host,
    },
    Subject {
        name: "cpu",
        facts: &Cpu,
    },
    Subject {
        name: "memory",
        facts: &Memory,
    },
    Subject {
        name: "kernel",
        facts: &Kernel,
    },
    Subject {
        name: "storage",
        facts: &Storage,
    },
    Subject {
        name: "network",
        facts: &Network,
    },
    Subject {
        name: "environment",
        facts: &Environment,
    },
    Subject {
        name: "power",
        facts: &Power,
    },
];

/// All subjects that exist.
#[must_use]
pub fn list() -> &'static [Subject] {
    SUBJECTS
}

/// The facts of all subjects. It takes a few milliseconds, starts no other program and changes nothing.
#[must_use]
pub fn read() -> Vec<Fact> {
    SUBJECTS
        .iter()
        .flat_map(|subject| subject.facts.facts())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn facts_belong_to_the_group_of_their_subject() {
        for Subject { name, facts, .. } in list() {
            assert_eq!(*name, facts.name());
            let group = format!("{name}.");
            for fact in facts.facts() {
                assert!(fact.name.starts_with(&group), "{} of {name}", fact.name);
            }
        }
    }

    #[test]
    fn every_fact_is_said_once_and_has_a_value() {
        let mut names = BTreeSet::new();
        for Fact { name, value, .. } in read() {
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
