//! How a job ended.

use igen_job::event::Outcome;

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// Complete or interrupted; failures are errors.
    pub outcome: Outcome,
    /// Users still in a transaction at the end.
    pub unfinished_users: u32,
}
