//! Parameters that all LDAP workloads have.

use igen_job::{JobError, Seconds};
use igen_ldap::Timeouts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where persons are that iGen loads.
const PEOPLE: &str = "ou=People";
/// Most entries of a target.
const MOST_ENTRIES: u32 = 100_000_000;

/// The tree and who is chosen from it, flattened into each workload's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TreeParams {
    /// Persons of each target, 1 to 100,000,000.
    ///
    /// Several targets are shards: the second target holds the next range of persons, and so on.
    #[schemars(range(min = 1, max = 100_000_000))]
    pub entries: u32,
    /// Share of the persons that are used, above 0 up to 1.
    ///
    /// A tenth is spread evenly. With `keys` a smaller share is a random part.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "0.1; with keys 1"))]
    pub accessed_ratio: Option<f64>,
    /// Share of the persons that are hot, between 0 and 1; needs `hot_choices_fraction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "none"))]
    pub hot_entries_fraction: Option<f64>,
    /// Share of the choices that fall on hot persons, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "none"))]
    pub hot_choices_fraction: Option<f64>,
    /// Hash of the passwords that are loaded.
    pub password_scheme: PasswordScheme,
    /// Entry that holds the persons, below the suffix.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "ou=People; with keys anywhere"))]
    pub people: Option<String>,
    /// Attribute that identifies a person.
    pub login_attribute: String,
    /// @FILE: LDIF file of an existing tree, whose persons are used.
    ///
    /// iGen then loads no persons, and each target holds all of the file. Only persons with a `userPassword` in plain
    /// text can bind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "none"))]
    pub keys: Option<String>,
    /// Searches that refer to another server: fail them, or skip that part.
    pub referrals: Referrals,
    /// Longest silence of the server in an operation, which then fails; 0: no limit.
    ///
    /// The connection is made again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 8.0))]
    pub operation_timeout_s: Option<Seconds>,
    /// Longest time to connect and bind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 5.0))]
    pub connect_timeout_s: Option<Seconds>,
}

/// How a directory stores passwords: what a bind costs the server depends on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PasswordScheme {
    /// In clear.
    #[default]
    Plain,
    /// Salted SHA-1.
    Ssha,
    /// Argon2id, which takes 10 ms of a processor and 7 MiB for each password, loading included.
    Argon2,
}

/// What becomes of a search that is referred to another server for a part of the tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Referrals {
    /// It fails.
    #[default]
    Fail,
    /// That part is left out, and the referral is counted.
    Skip,
}

impl PasswordScheme {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Ssha => "ssha",
            Self::Argon2 => "argon2",
        }
    }
}

impl Default for TreeParams {
    fn default() -> Self {
        Self {
            entries: 10_000,
            accessed_ratio: None,
            hot_entries_fraction: None,
            hot_choices_fraction: None,
            password_scheme: PasswordScheme::default(),
            people: None,
            login_attribute: "uid".to_owned(),
            keys: None,
            referrals: Referrals::default(),
            operation_timeout_s: None,
            connect_timeout_s: None,
        }
    }
}

impl TreeParams {
    pub(super) fn timeouts(&self) -> Timeouts {
        Timeouts {
            operation_timeout_s: self.operation_timeout_s,
            connect_timeout_s: self.connect_timeout_s,
        }
    }

    /// Persons that are ever asked for on a target that holds `entries`.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(super) fn accessed(&self, entries: u64) -> u64 {
        let usual = if self.keys.is_some() { 1.0 } else { 0.1 };
        let ratio = self.accessed_ratio.unwrap_or(usual);
        ((entries as f64 * ratio).round() as u64).clamp(1, entries)
    }

    /// Distinguished name of what the persons are below, in a directory with this `suffix`.
    pub(super) fn base(&self, suffix: &str) -> String {
        match (&self.people, &self.keys) {
            (Some(people), _) => format!("{people},{suffix}"),
            (None, Some(_)) => suffix.to_owned(),
            (None, None) => format!("{PEOPLE},{suffix}"),
        }
    }

    /// Checks what the types cannot say.
    pub(super) fn check(&self) -> Result<(), JobError> {
        if !(1..=MOST_ENTRIES).contains(&self.entries) {
            return Err(JobError::at(
                "params.entries",
                format!("a number of {} entries is out of range", self.entries),
            )
            .hint(format!("use 1 to {MOST_ENTRIES}")));
        }
        for (name, value, least, most) in [
            ("accessed_ratio", self.accessed_ratio, 1e-9, 1.0),
            (
                "hot_entries_fraction",
                self.hot_entries_fraction,
                1e-9,
                0.999_999,
            ),
            ("hot_choices_fraction", self.hot_choices_fraction, 0.0, 1.0),
        ] {
            if value.is_some_and(|value| !(least..=most).contains(&value)) {
                return Err(JobError::at(format!("params.{name}"), "out of range")
                    .hint(format!("use {least} to {most}")));
            }
        }
        if self.hot_entries_fraction.is_some() != self.hot_choices_fraction.is_some() {
            return Err(JobError::at(
                "params.hot_entries_fraction",
                "hot_entries_fraction and hot_choices_fraction must be set together",
            )
            .hint("set both, or remove both"));
        }
        if self
            .keys
            .as_ref()
            .is_some_and(|keys| !keys.starts_with('@'))
        {
            return Err(JobError::at("params.keys", "not a file")
                .hint("use @ and the path of an LDIF file: keys=@people.ldif"));
        }
        for (name, value) in [
            ("people", self.people.as_ref()),
            ("login_attribute", Some(&self.login_attribute)),
        ] {
            if value.is_some_and(|value| value.is_empty() || value.contains(['\0', '\n'])) {
                return Err(JobError::at(format!("params.{name}"), "not a valid name")
                    .hint("use a name such as ou=People or uid"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(json: &str) -> Result<(), String> {
        let params: TreeParams = serde_json::from_str(json).map_err(|error| error.to_string())?;
        params.check().map_err(|error| error.path)
    }

    #[test]
    fn nonsense_is_refused() {
        for json in [
            r#"{"entries": 0}"#,
            r#"{"accessed_ratio": 0}"#,
            r#"{"accessed_ratio": 1.5}"#,
            r#"{"hot_entries_fraction": 0.1}"#,
            r#"{"hot_choices_fraction": 0.9}"#,
            r#"{"keys": "people.ldif"}"#,
            r#"{"people": ""}"#,
            r#"{"password_scheme": "md5"}"#,
        ] {
            assert!(check(json).is_err(), "{json}");
        }
        assert_eq!(check("{}"), Ok(()));
    }

    #[test]
    fn one_s_own_persons_are_all_accessed_and_anywhere_unless_told_otherwise() {
        let own = |json: &str| -> TreeParams { serde_json::from_str(json).unwrap() };
        let all = own(r#"{"keys": "@a"}"#);
        assert_eq!(
            (all.accessed(20_001), all.base("dc=lab").as_str()),
            (20_001, "dc=lab")
        );
        let part = own(r#"{"keys": "@a", "accessed_ratio": 0.5, "people": "ou=Staff"}"#);
        assert_eq!(
            (part.accessed(10), part.base("dc=lab").as_str()),
            (5, "ou=Staff,dc=lab")
        );
        assert_eq!(TreeParams::default().base("dc=lab"), "ou=People,dc=lab");
    }

    #[test]
    fn a_tenth_is_accessed_and_one_at_least() {
        let params = TreeParams::default();
        assert_eq!(
            [1, 9, 10_000].map(|entries| params.accessed(entries)),
            [1, 1, 1_000]
        );
    }
}
