//! Events: what the agent writes, one JSON object a line. Externally tagged: `{"snapshot": {…}}`.
//! All `*_s` times named `at_s`, `start_s`, `end_s` are seconds since the agent's start, on its
//! monotonic clock; `hello.started_unix_s` ties them to the calendar.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::fact::Fact;
use crate::failure::FailureCount;
use crate::{Job, JobError};

/// One line of the agent's standard output: an event, and its number among all that this agent wrote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// What is said.
    #[serde(flatten)]
    pub event: Event,
    /// 0 for the first line; each next one has the next number, so that a missing line is seen.
    pub seq: u64,
}

/// What one line of the agent's standard output says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// Always the first line.
    Hello(Box<Hello>),
    /// A step or phase begins.
    Phase(PhaseStart),
    /// A long step advances.
    Progress(Progress),
    /// A datum about the environment, the workload or the engine.
    Fact(Fact),
    /// Statistics of one interval.
    Snapshot(Box<Snapshot>),
    /// One reading of one monitor.
    Reading(Reading),
    /// A spin canary ran.
    Canary(Canary),
    /// All users exist; with `phases.await_begin` the load begins at the command `begin`, else at once.
    Ready {
        /// When.
        at_s: f64,
    },
    /// MEASURE is over; the load goes on until `extend` or `finish` is answered.
    Measured {
        /// When.
        at_s: f64,
    },
    /// Something the user should know that does not stop the job.
    Warning(JobError),
    /// Something that stopped the job, or, with the path `command`, a command that was not understood.
    Error(JobError),
    /// Always the last line.
    End(End),
}

/// Who speaks, and the job as understood (defaults filled in).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// Version of this protocol.
    pub protocol: u32,
    /// Version of the agent.
    pub version: String,
    /// Process id of the agent.
    pub pid: u32,
    /// Host name.
    pub host: String,
    /// Calendar time at `at_s` = 0.
    pub started_unix_s: f64,
    /// `tsc` or `system`.
    pub clock: String,
    /// The job.
    pub job: Job,
    /// Values of the parameters that a job does not set, by name; without those that depend on the target or the
    /// machine.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub defaults: Map<String, Value>,
}

/// Phases and steps, in the order in which they happen.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Create and load.
    Prepare,
    /// Check what was loaded.
    Verify,
    /// Users start.
    Ramp,
    /// Load that does not count.
    Warmup,
    /// Load that counts.
    Measure,
    /// Wait for transactions in flight.
    Drain,
    /// Remove what was created.
    Cleanup,
}

/// A step or phase begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseStart {
    /// Which.
    pub phase: Phase,
    /// When.
    pub at_s: f64,
    /// How long it is meant to take, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned_s: Option<f64>,
}

/// How far a long step is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// The step.
    pub phase: Phase,
    /// What is done now, such as `loading orders`.
    pub text: String,
    /// Units done.
    pub done: u64,
    /// Units in all; 0 where nobody knows.
    pub total: u64,
    /// The unit, in the plural: `rows`, `bytes`.
    pub unit: String,
}

/// Statistics of one interval. Intervals follow each other without gap; each lies in one phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// The phase it lies in.
    pub phase: Phase,
    /// Begin.
    pub start_s: f64,
    /// End.
    pub end_s: f64,
    /// Users of this agent at the end of the interval.
    pub users: u32,
    /// Think time that ended in the interval, of all users together, between transactions and in them.
    #[serde(default)]
    pub think_time_ns: u64,
    /// Transactions that ended in the interval.
    pub transactions: Statistics,
    /// Operations that ended in the interval, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub operations: BTreeMap<String, Statistics>,
    /// Begin of the time in which `operations` ended, where a workload has more than 64 of them: those
    /// are told in every tenth snapshot and in the last of each phase, without those of which none ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations_since_s: Option<f64>,
    /// Transactions that ended in the interval by target, in the order of the job's targets; empty
    /// where there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Statistics>,
    /// What the workload counted in the interval, by name.
    #[serde(default)]
    pub counters: BTreeMap<String, u64>,
    /// Failed transactions by reason, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailureCount>,
    /// Arrivals of an open or paced load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<ArrivalCounts>,
    /// What each persona did of it, by name; all else in a snapshot is their sum.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub personas: BTreeMap<String, PersonaSnapshot>,
}

/// What one persona did in an interval; as in a snapshot, whose time this shares.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PersonaSnapshot {
    /// Users of this agent at the end of the interval.
    pub users: u32,
    /// Think time that ended in the interval, of all its users together.
    pub think_time_ns: u64,
    /// Transactions that ended in the interval.
    pub transactions: Statistics,
    /// Operations that ended in the interval, or since the snapshot's `operations_since_s`, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub operations: BTreeMap<String, Statistics>,
    /// What the workload counted in the interval, by name.
    #[serde(default)]
    pub counters: BTreeMap<String, u64>,
    /// Failed transactions by reason, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailureCount>,
    /// Arrivals, where its load is open or paced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<ArrivalCounts>,
}

/// Transactions or operations of one interval. Failed ones are timed apart.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// Successful ones.
    pub count: u64,
    /// Failed ones.
    pub failed: u64,
    /// From the actual start.
    pub service_time: Times,
    /// From the intended start; absent where it equals the service time in every bucket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_time: Option<Times>,
    /// Service times of the failed ones; absent where they equal their response times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_service_time: Option<Times>,
    /// Response times of the failed ones, from the intended start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_time: Option<Times>,
}

/// A distribution of times.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// Exact sum.
    pub sum_ns: u64,
    /// HDR histogram in nanoseconds: V2 encoding, deflated, base64; empty for no values.
    pub hdr: String,
}

/// Arrivals of an open or paced load in one interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArrivalCounts {
    /// Due in the interval.
    pub due: u64,
    /// Started in the interval.
    pub started: u64,
    /// Given up in the interval because they were late by more than the cap of 10 s.
    pub unsent: u64,
    /// Due but not started at the end of the interval.
    pub backlog: u64,
}

/// One reading of one monitor: raw values as the source has them; the judge takes differences.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Host that it is about.
    #[serde(default)]
    pub host: String,
    /// Name of the monitor.
    pub monitor: String,
    /// What it is about where a monitor has several: `cpu0`, `vda`, a process.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// When.
    pub at_s: f64,
    /// Values that only grow; the unit is the end of the name: `user_s`, `read_bytes`.
    #[serde(default)]
    pub counters: BTreeMap<String, f64>,
    /// Values that go up and down.
    #[serde(default)]
    pub gauges: BTreeMap<String, f64>,
}

/// A fixed piece of integer work, timed: does the machine itself run as fast as before?
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Canary {
    /// True after the measurement, false before it.
    pub after: bool,
    /// When.
    pub at_s: f64,
    /// Units of work a second.
    pub spins_per_s: f64,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// As planned.
    Complete,
    /// By a signal, the command `stop`, the end of standard input or of the lease; what was measured is
    /// there.
    Interrupted,
    /// By an error.
    Failed,
}

/// Always the last line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// How.
    pub outcome: Outcome,
    /// When.
    pub at_s: f64,
    /// Users whose transaction was still in flight when the drain limit was reached.
    #[serde(default)]
    pub unfinished_users: u32,
}
