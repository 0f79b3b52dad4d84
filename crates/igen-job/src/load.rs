//! Load models: the times at which users start transactions.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{JobError, ThinkTime};

/// Maximum number of users of one agent.
pub const MAX_USERS: u32 = 100_000;

/// Maximum number of arrivals per second: planning one takes about 20 ns, which must stay a small part of a second.
pub const MAX_RATE_PER_S: f64 = 1e7;

/// Load model and its level. The name of the variant is part of every error path: `load.closed.users`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Load {
    /// Closed load: each user starts a transaction `think_time_s` after the end of the last one; 0 is stream mode.
    Closed {
        /// Concurrent users.
        users: NonZeroU32,
        /// Time between the end of a transaction and the start of the next.
        #[serde(default = "ThinkTime::none")]
        think_time_s: ThinkTime,
    },
    /// Paced load: each user starts `rate_per_user_per_s` transactions per second.
    Paced {
        /// Concurrent users.
        users: NonZeroU32,
        /// Transactions that each user starts per second.
        rate_per_user_per_s: f64,
    },
    /// Open load: arrivals follow a fixed plan, however fast the system is, and wait for a free user.
    Open {
        /// Arrivals per second.
        rate_per_s: f64,
        /// Spacing of the arrivals.
        #[serde(default)]
        arrivals: Arrivals,
        /// Users (connections) for the arrivals; default: as many as needed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        users: Option<NonZeroU32>,
    },
}

/// Spacing of the arrivals of an open load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// Equal gaps of `1 / rate_per_s`.
    #[default]
    Constant,
    /// Exponential gaps with mean `1 / rate_per_s`, seeded.
    Poisson,
}

impl Load {
    /// Returns the number of users; `None` if an open load may use as many as needed.
    #[must_use]
    pub fn users(&self) -> Option<NonZeroU32> {
        match self {
            Self::Closed { users, .. } | Self::Paced { users, .. } => Some(*users),
            Self::Open { users, .. } => *users,
        }
    }

    /// Returns true in stream mode: each user starts its next transaction as soon as the last one has ended.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        matches!(self, Self::Closed { think_time_s, .. } if think_time_s.is_none())
    }

    /// Returns the mean rest of a user between two transactions, if transactions took no time: the think time, the
    /// period, or the mean gap between its arrivals. 0 for an open load with as many users as needed.
    #[must_use]
    pub fn rest_s(&self) -> f64 {
        match self {
            Self::Closed { think_time_s, .. } => think_time_s.mean_s(),
            Self::Paced {
                rate_per_user_per_s,
                ..
            } => rate_per_user_per_s.recip(),
            Self::Open {
                rate_per_s, users, ..
            } => users.map_or(0.0, |users| f64::from(users.get()) / rate_per_s),
        }
    }

    /// Returns the path of the number of users.
    pub(crate) fn users_path(&self) -> String {
        format!("load.{}.users", self.name())
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Closed { .. } => "closed",
            Self::Paced { .. } => "paced",
            Self::Open { .. } => "open",
        }
    }

    /// Checks what the types cannot say.
    pub(crate) fn check(&self) -> Result<(), JobError> {
        let (field, value) = match self {
            Self::Closed { think_time_s, .. } => {
                return think_time_s.check("load.closed.think_time_s");
            }
            Self::Paced {
                rate_per_user_per_s,
                ..
            } => ("rate_per_user_per_s", *rate_per_user_per_s),
            Self::Open { rate_per_s, .. } => ("rate_per_s", *rate_per_s),
        };
        let (least, most) = (1e-6, MAX_RATE_PER_S);
        if (least..=most).contains(&value) {
            return Ok(());
        }
        Err(JobError::at(
            format!("load.{}.{field}", self.name()),
            format!("{value} is out of range"),
        )
        .hint(format!("use a number from {least} to {most}")))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn how_long_a_user_rests_follows_from_the_load() {
        for (text, rest_s) in [
            (r#"{"closed": {"users": 5}}"#, 0.0),
            (r#"{"closed": {"users": 5, "think_time_s": "10s"}}"#, 10.0),
            (
                r#"{"closed": {"users": 5, "think_time_s": {"uniform": [5, 15]}}}"#,
                10.0,
            ),
            (
                r#"{"closed": {"users": 5, "think_time_s": {"exponential": 8}}}"#,
                8.0,
            ),
            (r#"{"paced": {"users": 5, "rate_per_user_per_s": 4}}"#, 0.25),
            (r#"{"open": {"rate_per_s": 10, "users": 20}}"#, 2.0),
            (r#"{"open": {"rate_per_s": 10}}"#, 0.0),
        ] {
            let load: Load = serde_json::from_str(text).unwrap();
            assert!((load.rest_s() - rest_s).abs() < 1e-12, "{text}");
        }
    }
}
