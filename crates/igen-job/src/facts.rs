//! THE list of facts: what agents, and iGen next to them, write once about a machine, a target or a run.
//!
//! A new fact is one row. The first row that fits a name declares it, so families with a wide part come last.

mod machine;
mod run;
mod targets;

pub use machine::*;
pub use run::*;
pub use targets::*;

use crate::fact::Declared;

/// Returns all declarations.
pub fn list() -> impl Iterator<Item = &'static Declared> {
    [machine::LIST, targets::LIST, run::LIST]
        .into_iter()
        .flatten()
        .copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_declared_once_and_have_a_group() {
        let mut names = BTreeSet::new();
        for fact in list() {
            assert!(names.insert(fact.name), "{} comes twice", fact.name);
            assert!(fact.name.contains('.'), "{}", fact.name);
            assert!(fact.name.matches('{').count() < 2, "{}", fact.name);
            assert!(!fact.summary().ends_with('.'), "{}", fact.summary());
        }
    }

    #[test]
    fn units_are_in_names() {
        let units = [
            (&CPU_MAX_MHZ, Some("mhz")),
            (&MEMORY_TOTAL_BYTES, Some("bytes")),
            (&NETWORK_SPEED, Some("bits/s")),
            (&BANK_BYTES_PER_ACCOUNT, Some("bytes/account")),
            (&CPU_CORES, None),
            (&HOST_NAME, None),
        ];
        for (fact, unit) in units {
            assert_eq!(fact.unit().as_deref(), unit, "{}", fact.name);
        }
    }

    #[test]
    fn a_family_has_its_part_in_the_name() {
        assert_eq!(STORAGE_MODEL.of("vda", "disk").name, "storage.vda.model");
        assert_eq!(TARGET_VERSION.name_of("ldap"), "target.ldap.version");
    }
}
