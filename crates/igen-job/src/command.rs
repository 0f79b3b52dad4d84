//! Commands that the judge may send, one JSON object a line, after the job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Seconds;

/// What the judge may say to a running agent. A line that is none of these is answered by an `error` with
/// the path `command`, and the job goes on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Answer to `ready`, where `phases.await_begin` asks for one: the load begins.
    Begin(Begin),
    /// Answer to `measured`: measure this much longer.
    Extend {
        /// Added to the MEASURE phase.
        measure_s: Seconds,
    },
    /// Answer to `measured`: that is enough.
    Finish,
    /// The lease of a job with `lease_s` begins anew.
    Renew,
    /// Stop now and keep what was measured.
    Stop,
}

/// When a load begins.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Begin {
    /// At once.
    Now,
    /// At this calendar time, in seconds since 1970: all agents of a job begin together, as far as
    /// their clocks agree.
    AtUnixS(f64),
}
