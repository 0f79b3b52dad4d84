//! Why transactions failed: what the judge decides by, and what people read.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of a failure: the judge decides by the kind only.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The connection to the server was cut.
    Lost,
    /// No connection to the server came about: it is not there, or it accepts none.
    Refused,
    /// The server did not answer in time.
    Silent,
    /// The server sent what its protocol does not allow.
    Protocol,
    /// There was an answer, and it was not the right one.
    Check,
    /// A device or a file system failed an I/O, or is full.
    Device,
    /// Another user's transaction was in the way, such as in a deadlock: the same one may succeed when it is run again.
    Conflict,
    /// Anything else.
    Other,
}

/// Why a transaction failed: many failures share one reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// The kind.
    pub kind: FailureKind,
    /// The step of the transaction that failed, such as `search 3` or `GET /`; empty if it has none.
    pub step: Cow<'static, str>,
    /// Words for people, without keys, ids or times.
    pub text: Cow<'static, str>,
}

impl Reason {
    /// A reason that names no step.
    pub fn new(kind: FailureKind, text: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            step: Cow::Borrowed(""),
            text: text.into(),
        }
    }

    /// A reason of an answer that is not the right one.
    pub fn wrong(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FailureKind::Check, text)
    }

    /// The same in a step; a step of a step is named behind it.
    #[must_use]
    pub fn in_step(mut self, step: impl Into<Cow<'static, str>>) -> Self {
        let step = step.into();
        self.step = if self.step.is_empty() {
            step
        } else {
            Cow::Owned(format!("{step}: {}", self.step))
        };
        self
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.step.is_empty() {
            write!(f, "{}: ", self.step)?;
        }
        f.write_str(&self.text)
    }
}

/// How many transactions failed in one interval for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailureCount {
    /// The kind of failure.
    pub kind: FailureKind,
    /// The step of the transaction that failed; empty if it has none.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub step: Cow<'static, str>,
    /// Words for people; no program reads them.
    pub text: Cow<'static, str>,
    /// Transactions.
    pub count: u64,
}

impl From<(Reason, u64)> for FailureCount {
    fn from((reason, count): (Reason, u64)) -> Self {
        Self {
            kind: reason.kind,
            step: reason.step,
            text: reason.text,
            count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_a_step_is_named_behind_it() {
        let reason = Reason::new(FailureKind::Refused, "connection refused");
        assert_eq!(reason.to_string(), "connection refused");
        let reason = reason.in_step("connect").in_step("home");
        assert_eq!(reason.step, "home: connect");
        assert_eq!(reason.to_string(), "home: connect: connection refused");
    }
}
