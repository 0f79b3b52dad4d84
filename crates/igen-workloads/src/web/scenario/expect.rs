//! Which answers are right.

use std::collections::BTreeMap;

use igen_job::Bytes;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Which answers are right; what a request does not say is as in `defaults.expect`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// Statuses; 200 to 299 when absent. A redirect that is named here is not followed.
    pub status: Option<OneOrMany<u16>>,
    /// Texts that the body must have: a 200 may be an error page.
    pub contains: Option<OneOrMany<String>>,
    /// Texts that headers must have, by name of the header.
    pub header: BTreeMap<String, String>,
    /// Values in a body of JSON, by pointer (RFC 6901): `{ "/ok" = true }`.
    pub json: BTreeMap<String, Value>,
    /// Longest body; 64 MiB when absent.
    pub max_bytes: Option<Bytes>,
}

/// One or several.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany<T> {
    /// One.
    One(T),
    /// Several.
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    /// All of them.
    pub fn all(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

impl Expect {
    /// This one, and what it does not say from `defaults`.
    pub fn over(&self, defaults: &Self) -> Self {
        let or = |own: &BTreeMap<String, _>, other: &BTreeMap<String, _>| {
            if own.is_empty() {
                other.clone()
            } else {
                own.clone()
            }
        };
        Self {
            status: self.status.clone().or_else(|| defaults.status.clone()),
            contains: self.contains.clone().or_else(|| defaults.contains.clone()),
            header: or(&self.header, &defaults.header),
            json: if self.json.is_empty() {
                defaults.json.clone()
            } else {
                self.json.clone()
            },
            max_bytes: self.max_bytes.or(defaults.max_bytes),
        }
    }
}
