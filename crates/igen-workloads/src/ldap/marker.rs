//! `ou=igen` below the suffix: says that the tree is iGen's, whole, and with which figures it was
//! loaded.

use std::collections::BTreeMap;

use igen_ldap::NewEntry;

use super::person::Persons;

/// Changes whenever persons are no longer the same.
const VERSION: u64 = 1;
const STATE: &str = "state";
const LOADING: &str = "loading";
const COMPLETE: &str = "complete";
/// Whether the entry of the suffix was made together with the tree.
const SUFFIX: &str = "suffix";
const MADE: &str = "made";
pub(super) const DESCRIPTION: &str = "description";

/// What the marker says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    /// Figures of the load, by name.
    pub(super) figures: BTreeMap<String, String>,
    pub(super) complete: bool,
    pub(super) suffix_made: bool,
}

impl Marker {
    /// That of `persons`.
    pub(super) fn of(persons: &Persons, complete: bool, suffix_made: bool) -> Self {
        let figures = [
            ("version", VERSION.to_string()),
            ("seed", persons.seed.to_string()),
            ("first", persons.first.to_string()),
            ("entries", persons.entries.to_string()),
            ("password_scheme", persons.password_scheme.name().to_owned()),
        ];
        Self {
            figures: figures.map(|(name, value)| (name.to_owned(), value)).into(),
            complete,
            suffix_made,
        }
    }

    /// Reads the descriptions of an entry.
    pub(super) fn read(descriptions: &[String]) -> Self {
        let mut figures: BTreeMap<String, String> = descriptions
            .iter()
            .filter_map(|text| text.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Self {
            complete: figures.remove(STATE).as_deref() == Some(COMPLETE),
            suffix_made: figures.remove(SUFFIX).as_deref() == Some(MADE),
            figures,
        }
    }

    /// What `read` reads.
    pub(super) fn descriptions(&self) -> Vec<String> {
        let mut descriptions: Vec<String> = self
            .figures
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let state = if self.complete { COMPLETE } else { LOADING };
        descriptions.push(format!("{STATE}={state}"));
        if self.suffix_made {
            descriptions.push(format!("{SUFFIX}={MADE}"));
        }
        descriptions
    }

    /// Its distinguished name.
    pub(super) fn dn(suffix: &str) -> String {
        format!("ou=igen,{suffix}")
    }

    /// The entry that says it.
    pub(super) fn entry(&self, suffix: &str) -> NewEntry {
        NewEntry {
            attributes: vec![
                ("objectClass", vec!["organizationalUnit".to_owned()]),
                ("ou", vec!["igen".to_owned()]),
                (DESCRIPTION, self.descriptions()),
            ],
            dn: Self::dn(suffix),
        }
    }

    /// The figures that are not the same in `other`: `entries = 1000, seed = 1`.
    pub(super) fn differences(&self, other: &Self) -> String {
        let differing = self
            .figures
            .iter()
            .filter(|(name, value)| other.figures.get(*name) != Some(value))
            .map(|(name, value)| format!("{name} = {value}"));
        differing.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::PasswordScheme;
    use super::*;

    #[test]
    fn what_is_written_is_read_in_any_order() {
        let persons = Persons {
            seed: 42,
            first: 0,
            entries: 1_000,
            base: String::new(),
            password_scheme: PasswordScheme::Ssha,
        };
        let other = Persons {
            entries: 10,
            ..persons.clone()
        };
        for (complete, suffix_made) in [(true, true), (true, false), (false, false)] {
            let marker = Marker::of(&persons, complete, suffix_made);
            let mut descriptions = marker.descriptions();
            descriptions.reverse();
            assert_eq!(Marker::read(&descriptions), marker);
            let other = Marker::of(&other, complete, suffix_made);
            assert_eq!(marker.differences(&other), "entries = 1000");
            assert_eq!(marker.differences(&marker), "");
        }
        assert!(!Marker::read(&["anything".to_owned()]).complete);
    }
}
