//! Threads or tasks of users, and their scheduling.

use std::num::NonZeroU16;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{JobError, Scheduling};

/// Placement of users: on their own threads or as tasks, and the scheduling of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// A thread for each user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<OnThreads>,
    /// All users as tasks on a few threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<OnTasks>,
    /// Scheduling of the threads of users and of all programs that they start; default: the scheduling of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduling: Option<Scheduling>,
    /// Let threads wake up early and spin until a start is due, so that a slow wake-up does not delay transactions.
    /// Default: true for open and paced loads if all targets are servers on other machines or there are fewer threads
    /// than processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precise: Option<bool>,
}

/// A thread for each user.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnThreads {
    /// Pin user i to the i-th allowed processor, in turn.
    #[serde(default)]
    pub pin: bool,
}

/// All users as tasks on a few threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnTasks {
    /// Number of threads; default: the number of processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<NonZeroU16>,
    /// Pin thread i to the i-th allowed processor, in turn. Default: true if there is a thread for each processor, with
    /// at least two users that never think.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<bool>,
}

impl Placement {
    /// A thread for each user, wherever the kernel puts it.
    pub const THREADS: Self = Self {
        thread: Some(OnThreads { pin: false }),
        task: None,
        scheduling: None,
        precise: None,
    };
    /// A thread for each user, which stays on its processor.
    pub const PINNED_THREADS: Self = Self {
        thread: Some(OnThreads { pin: true }),
        ..Self::THREADS
    };
    /// Users as tasks on as many threads as there are processors.
    pub const TASKS: Self = Self {
        thread: None,
        task: Some(OnTasks {
            threads: None,
            pin: None,
        }),
        scheduling: None,
        precise: None,
    };

    /// Returns this placement, with values of `natural` for those that are not set.
    #[must_use]
    pub fn or(self, natural: Self) -> Self {
        if self.thread.is_some() || self.task.is_some() {
            return self;
        }
        Self {
            scheduling: self.scheduling,
            precise: self.precise,
            ..natural
        }
    }

    /// Refuses two places at once.
    pub(crate) fn check(self) -> Result<(), JobError> {
        if self.thread.is_some() && self.task.is_some() {
            let text = "`task` and `thread` cannot be combined";
            return Err(JobError::at("placement.task", text)
                .hint("use `thread` for a thread for each user, or `task` for users as tasks on a few threads"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_job_does_not_say_is_as_the_workload_has_it() {
        let fifo = Placement {
            scheduling: Some(Scheduling::Fifo),
            precise: Some(false),
            ..Placement::default()
        };
        let own = fifo.or(Placement::PINNED_THREADS);
        assert_eq!(own.precise, Some(false));
        assert_eq!(own.thread, Some(OnThreads { pin: true }));
        assert_eq!(own.scheduling, Some(Scheduling::Fifo));
        assert_eq!(
            Placement::TASKS.or(Placement::PINNED_THREADS),
            Placement::TASKS
        );
    }

    #[test]
    fn users_are_in_one_place() {
        let both = Placement {
            thread: Some(OnThreads::default()),
            ..Placement::TASKS
        };
        assert!(
            both.check()
                .is_err_and(|error| error.path == "placement.task")
        );
        assert!(Placement::default().check().is_ok());
    }
}
