//! The share of an agent in a job of several agents.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::JobError;

/// Part of agent `index` (from 0) in a job of `of` agents. Users are given to the agents in turn and keep their numbers,
/// and with them the seeds, keys and targets that they would have with a single agent. An open load has the same
/// arrivals as with a single agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// Number of the agent, counted from 0.
    pub index: u32,
    /// Number of agents.
    pub of: NonZeroU32,
}

impl Share {
    /// The whole job.
    pub const WHOLE: Self = Self {
        index: 0,
        of: NonZeroU32::MIN,
    };

    /// Returns the number in the whole job of the agent's user `ordinal` (from 0).
    #[must_use]
    pub fn user(self, ordinal: u32) -> u32 {
        ordinal
            .saturating_mul(self.of.get())
            .saturating_add(self.index)
    }

    /// Returns the number of the agent's users among `users` users.
    #[must_use]
    pub fn users(self, users: u32) -> u32 {
        users.saturating_sub(self.index).div_ceil(self.of.get())
    }

    /// Returns the number of the agent's users among the users from `first` up to but not including `after`.
    #[must_use]
    pub fn users_between(self, first: u32, after: u32) -> u32 {
        self.users(after).saturating_sub(self.users(first))
    }

    /// Checks rules that the types do not express.
    pub(crate) fn check(self) -> Result<(), JobError> {
        if self.index < self.of.get() {
            return Ok(());
        }
        let text = format!("agent {} of {} does not exist", self.index, self.of);
        Err(JobError::at("share.index", text).hint("agents are counted from 0"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_user_has_one_agent() {
        for of in [1, 2, 3, 7] {
            for users in [1, 2, 6, 7, 100] {
                let mut dealt: Vec<u32> = (0..of)
                    .filter_map(|index| NonZeroU32::new(of).map(|of| Share { index, of }))
                    .flat_map(|share| (0..share.users(users)).map(move |it| share.user(it)))
                    .collect();
                dealt.sort_unstable();
                assert_eq!(dealt, (0..users).collect::<Vec<_>>());
            }
        }
    }
}
