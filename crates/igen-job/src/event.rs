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

/// One line of the agent's standard output: an event and its number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// Event of the line.
    #[serde(flatten)]
    pub event: Event,
    /// Number of the line, counted from 0: a gap means that a line is missing.
    pub seq: u64,
}

/// Event that the agent writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// First line: agent, host and job.
    Hello(Box<Hello>),
    /// Start of a step or phase.
    Phase(PhaseStart),
    /// Progress of a long step.
    Progress(Progress),
    /// Fact about the environment, the workload or the engine.
    Fact(Fact),
    /// Statistics of one interval.
    Snapshot(Box<Snapshot>),
    /// One reading of one monitor.
    Reading(Reading),
    /// Result of a spin canary.
    Canary(Canary),
    /// All users exist. The load starts at the command `begin` if `phases.await_begin` is set, else at once.
    Ready {
        /// Time of the event.
        at_s: f64,
    },
    /// End of MEASURE; the load continues until the answer `extend` or `finish`.
    Measured {
        /// Time of the event.
        at_s: f64,
    },
    /// Problem that does not stop the job.
    Warning(JobError),
    /// Error that stopped the job; with the path `command`, an invalid command that was ignored.
    Error(JobError),
    /// Last line: outcome of the job.
    End(End),
}

/// First line: agent, host, and the job with its defaults filled in.
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
    /// Clock of the agent: `tsc` or `system`.
    pub clock: String,
    /// Job with its defaults filled in.
    pub job: Job,
    /// Default values of the parameters that the job does not set, by name; without defaults that depend on the target
    /// or the machine.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub defaults: Map<String, Value>,
}

/// Phases and steps, in the order in which they happen.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Data are created and loaded.
    Prepare,
    /// Loaded data are checked.
    Verify,
    /// Users start.
    Ramp,
    /// Load runs, but does not count.
    Warmup,
    /// Load runs and counts.
    Measure,
    /// Transactions in flight end.
    Drain,
    /// Created data are removed.
    Cleanup,
}

/// Start of a step or phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseStart {
    /// Step or phase.
    pub phase: Phase,
    /// Time of the start.
    pub at_s: f64,
    /// Planned length, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned_s: Option<f64>,
}

/// Progress of a long step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Step in progress.
    pub phase: Phase,
    /// Current activity, such as `loading orders`.
    pub text: String,
    /// Units done.
    pub done: u64,
    /// Units in all; 0 if unknown.
    pub total: u64,
    /// Unit, in the plural: `rows`, `bytes`.
    pub unit: String,
}

/// Statistics of one interval. Intervals follow each other without gap; each lies in one phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// Phase of the interval.
    pub phase: Phase,
    /// Start of the interval.
    pub start_s: f64,
    /// End of the interval.
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
    /// Start of the time in which `operations` ended, if the workload has more than 64 operations. These are reported
    /// in every tenth snapshot and in the last of each phase, without operations that did not end in that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations_since_s: Option<f64>,
    /// Transactions that ended in the interval by target, in the order of the job's targets; empty for one target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Statistics>,
    /// Counters of the workload in the interval, by name.
    #[serde(default)]
    pub counters: BTreeMap<String, u64>,
    /// Number of failed transactions for each reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailureCount>,
    /// Arrivals of an open or paced load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<ArrivalCounts>,
    /// Part of each persona, by name; all other fields of a snapshot are sums over personas.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub personas: BTreeMap<String, PersonaSnapshot>,
}

/// Part of one persona in a snapshot, for the same interval.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PersonaSnapshot {
    /// Users of this agent at the end of the interval.
    pub users: u32,
    /// Think time that ended in the interval, of all users of the persona together.
    pub think_time_ns: u64,
    /// Transactions that ended in the interval.
    pub transactions: Statistics,
    /// Operations that ended in the interval, or since the snapshot's `operations_since_s`, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub operations: BTreeMap<String, Statistics>,
    /// Counters of the workload in the interval, by name.
    #[serde(default)]
    pub counters: BTreeMap<String, u64>,
    /// Number of failed transactions for each reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailureCount>,
    /// Arrivals of an open or paced load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<ArrivalCounts>,
}

/// Transactions or operations of one interval. Failed ones have separate times.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// Number of successful transactions or operations.
    pub count: u64,
    /// Number of failed transactions or operations.
    pub failed: u64,
    /// Times from the actual start.
    pub service_time: Times,
    /// Times from the intended start; absent if equal to the service times in every bucket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_time: Option<Times>,
    /// Service times of failed transactions; absent if equal to their response times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_service_time: Option<Times>,
    /// Response times of failed transactions, from the intended start.
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
    /// Arrivals that were due in the interval.
    pub due: u64,
    /// Arrivals that started in the interval.
    pub started: u64,
    /// Arrivals that were dropped in the interval because they were more than 10 s late.
    pub unsent: u64,
    /// Arrivals that were due but had not started at the end of the interval.
    pub backlog: u64,
}

/// One reading of one monitor: raw values of the source; the judge computes differences.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Host of the values.
    #[serde(default)]
    pub host: String,
    /// Name of the monitor.
    pub monitor: String,
    /// Subject of the reading if a monitor has several: `cpu0`, `vda`, a process.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// Time of the reading.
    pub at_s: f64,
    /// Values that only grow; the name ends in the unit: `user_s`, `read_bytes`.
    #[serde(default)]
    pub counters: BTreeMap<String, f64>,
    /// Values that rise and fall.
    #[serde(default)]
    pub gauges: BTreeMap<String, f64>,
}

/// Speed of a fixed piece of integer work: shows if the machine itself runs as fast as before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Canary {
    /// True after the measurement, false before it.
    pub after: bool,
    /// Time of the canary.
    pub at_s: f64,
    /// Units of work per second.
    pub spins_per_s: f64,
}

/// Outcome of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Job that ran to its planned end.
    Complete,
    /// Job that was stopped by a signal, the command `stop`, the end of standard input or of the lease; its
    /// measurements up to there are valid.
    Interrupted,
    /// Job that was stopped by an error.
    Failed,
}

/// Last line: outcome of the job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// Outcome of the job.
    pub outcome: Outcome,
    /// Time of the end.
    pub at_s: f64,
    /// Users whose transaction was still in flight when the drain limit was reached.
    #[serde(default)]
    pub unfinished_users: u32,
}
