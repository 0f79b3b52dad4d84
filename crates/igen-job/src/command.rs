//! Commands that a running agent accepts, one JSON object a line, after the job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Seconds;

/// Command to a running agent. After an invalid command the job continues, and the agent writes an `error` with the
/// path `command`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Start the load: the answer to `ready` if `phases.await_begin` is set.
    Begin(Begin),
    /// Measure longer: an answer to `measured`.
    Extend {
        /// Time added to the MEASURE phase.
        measure_s: Seconds,
    },
    /// End the measurement: an answer to `measured`.
    Finish,
    /// Restart the lease of a job with `lease_s`.
    Renew,
    /// Stop now and keep the measurements up to here.
    Stop,
}

/// Start of a load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Begin {
    /// Start immediately.
    Now,
    /// Start at this calendar time, in seconds since 1970: all agents of a job start together, as far as their clocks
    /// agree.
    AtUnixS(f64),
}
