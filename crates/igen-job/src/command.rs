//! Commands that the judge may send, one JSON object a line, after the job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Seconds;

/// What the judge may say to a running agent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Answer to `measured`: measure this much longer.
    Extend {
        /// Added to the MEASURE phase.
        measure_s: Seconds,
    },
    /// Answer to `measured`: that is enough.
    Finish,
    /// Stop now and keep what was measured.
    Stop,
}
