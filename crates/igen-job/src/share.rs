//! An agent's share of a job that several agents do together.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::JobError;

/// The part of agent `index` (from 0) of a job that `of` agents do together. Users are dealt to agents
/// like cards and keep the numbers, and with them the seeds, keys and targets, that they have where one
/// agent does the whole job; arrivals of an open load are those that one agent would have had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Share {
    /// Which agent, counted from 0.
    pub index: u32,
    /// How many agents.
    pub of: NonZeroU32,
}

impl Share {
    /// The whole job.
    pub const WHOLE: Self = Self {
        index: 0,
        of: NonZeroU32::MIN,
    };

    /// The number, among the users of the whole job, of the agent's user `ordinal` (from 0).
    #[must_use]
    pub fn user(self, ordinal: u32) -> u32 {
        ordinal
            .saturating_mul(self.of.get())
            .saturating_add(self.index)
    }

    /// How many of `users` users are the agent's.
    #[must_use]
    pub fn users(self, users: u32) -> u32 {
        users.saturating_sub(self.index).div_ceil(self.of.get())
    }

    /// How many of the users with the numbers from `first` up to but not including `after` are the agent's.
    #[must_use]
    pub fn users_between(self, first: u32, after: u32) -> u32 {
        self.users(after).saturating_sub(self.users(first))
    }

    /// Checks what the types cannot say.
    pub(crate) fn check(self) -> Result<(), JobError> {
        if self.index < self.of.get() {
            return Ok(());
        }
        let text = format!("there is no agent {} of {}", self.index, self.of);
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
