//! Load models: when does each user start its next transaction?

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{JobError, Seconds};

/// Most users that one job may ask for.
pub const MAX_USERS: u32 = 100_000;

/// Most arrivals a second: each costs the plan some 20 ns, which must stay a small part of a second.
pub const MAX_RATE_PER_S: f64 = 1e7;

/// How the load is offered. The variant's name is part of every error path: `load.closed.users`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Load {
    /// Each user starts again `think_time_s` after its last transaction; 0 is stream mode.
    Closed {
        /// Concurrent users.
        users: NonZeroU32,
        /// Wait between the end of a transaction and the start of the next.
        #[serde(default = "no_time")]
        think_time_s: Seconds,
    },
    /// Each user keeps to its own timetable of `rate_per_user_per_s`.
    Paced {
        /// Concurrent users.
        users: NonZeroU32,
        /// Transactions that each user starts a second.
        rate_per_user_per_s: f64,
    },
    /// Arrivals keep to one plan, whatever the system does, and wait for a free user.
    Open {
        /// Arrivals a second.
        rate_per_s: f64,
        /// Spacing of the arrivals.
        #[serde(default)]
        arrivals: Arrivals,
        /// Users (connections) that serve the arrivals; as many as it takes when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        users: Option<NonZeroU32>,
    },
}

/// Spacing of the arrivals of an open load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// One arrival every `1 / rate_per_s`.
    #[default]
    Constant,
    /// Exponential gaps with mean `1 / rate_per_s`, seeded.
    Poisson,
}

fn no_time() -> Seconds {
    Seconds(0.0)
}

impl Load {
    /// Users asked for; `None` when an open load may use as many as it takes.
    #[must_use]
    pub fn users(&self) -> Option<NonZeroU32> {
        match self {
            Self::Closed { users, .. } | Self::Paced { users, .. } => Some(*users),
            Self::Open { users, .. } => *users,
        }
    }

    /// Stream mode: each user starts its next transaction as soon as the last one has ended.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        matches!(self, Self::Closed { think_time_s, .. } if think_time_s.0 <= 0.0)
    }

    /// Checks what the types cannot say.
    pub fn check(&self) -> Result<(), JobError> {
        let name = match self {
            Self::Closed { .. } => "closed",
            Self::Paced { .. } => "paced",
            Self::Open { .. } => "open",
        };
        if self.users().is_some_and(|users| users.get() > MAX_USERS) {
            return Err(JobError::at(
                format!("load.{name}.users"),
                format!("more than {MAX_USERS} users in one job"),
            )
            .hint("use several load machines"));
        }
        let (field, value, least, most) = match *self {
            Self::Closed { think_time_s, .. } => ("think_time_s", think_time_s.0, 0.0, 86_400.0),
            Self::Paced {
                rate_per_user_per_s,
                ..
            } => (
                "rate_per_user_per_s",
                rate_per_user_per_s,
                1e-6,
                MAX_RATE_PER_S,
            ),
            Self::Open { rate_per_s, .. } => ("rate_per_s", rate_per_s, 1e-6, MAX_RATE_PER_S),
        };
        if value.is_finite() && (least..=most).contains(&value) {
            return Ok(());
        }
        Err(JobError::at(
            format!("load.{name}.{field}"),
            format!("{value} is out of range"),
        )
        .hint(format!("use a number from {least} to {most}")))
    }
}
