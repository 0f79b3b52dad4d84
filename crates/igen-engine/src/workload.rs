//! What the author of a workload writes: a `Workload` (create, load, verify) and its `User` (one
//! transaction).

use std::future::Future;
use std::io::Write;

use igen_job::Fact;
use igen_job::{Credentials, JobError, Placement, ThinkTime};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::failure::Failure;
use crate::progress::ProgressReporter;
use crate::recorder::Recorder;

/// Work for the system under test. All methods but `new` and `user` are optional.
pub trait Workload: Sized + Send + Sync + 'static {
    /// Name on the command line and in every file.
    const NAME: &'static str;
    /// One line for `igen list workloads`.
    const SUMMARY: &'static str;
    /// Changes whenever results stop being comparable.
    const VERSION: u32;
    /// What its transactions are called in sentences, in the plural: `fractals`.
    const TRANSACTIONS: &'static str = "transactions";
    /// Named steps of the transaction, where its parameters do not decide them.
    const OPERATIONS: &'static [&'static str] = &[];
    /// What it counts, where its parameters do not decide that; the names carry their unit.
    const COUNTERS: &'static [&'static str] = &[];
    /// Figures of merit beside transactions a second.
    const RATES: &'static [Rate] = &[];
    /// Schemes of the targets it can load, such as `sqlite`; empty for a workload without target.
    const TARGETS: &'static [&'static str] = &[];
    /// Target used when the job names none.
    const DEFAULT_TARGET: Option<&'static str> = None;
    /// True if `prepare` creates what `verify` checks: without it there is nothing to verify.
    const PREPARES: bool = false;
    /// True if a job may have personas: not if one instance alone knows what was written to a target.
    const PERSONAS: bool = true;
    /// Where its users run unless the job says otherwise: `thread` if a transaction keeps a
    /// processor busy or blocks, `task` if it awaits.
    const PLACEMENT: Placement = Placement::THREADS;
    /// True if a user that never thinks keeps a processor busy all the time.
    const KEEPS_PROCESSOR: bool = false;
    /// The same for these targets, where it depends on them.
    #[must_use]
    fn placement(_targets: &[String]) -> Placement {
        Self::PLACEMENT
    }

    /// What `igen run` does where its flags say nothing, if that depends on the machine.
    #[must_use]
    fn run_defaults() -> Option<RunDefaults> {
        None
    }

    /// Parameters, read from the job's `params`.
    type Params: DeserializeOwned + JsonSchema + Default;
    /// A virtual user.
    type User: User;

    /// Checks the parameters against the job and the machine; creates nothing.
    fn new(params: Self::Params, setup: Setup) -> Result<Self, JobError>;

    /// Named steps of the transactions of this instance, each name once; `Recorder::time` takes an index
    /// into this list.
    fn operations(&self) -> Vec<String> {
        names(Self::OPERATIONS)
    }

    /// What `Recorder::count` counts in this instance, by index, each name once.
    fn counters(&self) -> Vec<String> {
        names(Self::COUNTERS)
    }

    /// Creates and loads what the transactions need; does nothing if it is there already.
    fn prepare(&self, _progress: &ProgressReporter) -> impl Future<Output = Result<(), JobError>> {
        async { Ok(()) }
    }

    /// Checks that what the transactions need is there and right; called before the load starts
    /// and, with `after` true, when it has ended.
    fn verify(&self, _after: bool) -> impl Future<Output = Result<(), JobError>> {
        async { Ok(()) }
    }

    /// Reads back all that transactions have written, of this job or of earlier ones, and says what
    /// is not as it should be; called when the load has ended, with `after` true, and for a job that
    /// verifies and has no load of its own. It may take long: it reports its progress, and is dropped
    /// at an await when the user has enough of it.
    fn read_back(
        &self,
        _after: bool,
        _progress: &ProgressReporter,
    ) -> impl Future<Output = Result<(), JobError>> {
        async { Ok(()) }
    }

    /// Writes what `prepare` would load into the target of that index, in the format of the
    /// server's own loader.
    fn export(&self, _target: usize, _output: &mut dyn Write) -> Result<(), JobError> {
        Err(JobError::at(
            "workload",
            format!("workload {} has no data to export", Self::NAME),
        ))
    }

    /// What may go wrong in this job, and is no reason to refuse it: told before the load.
    fn warnings(&self) -> Vec<JobError> {
        Vec::new()
    }

    /// Facts about the target, such as a server's version, and about the work, such as its size: the latter follow
    /// from the job, and are results.
    fn facts(&self) -> impl Future<Output = Vec<Fact>> {
        async { Vec::new() }
    }

    /// Facts about what the transactions have done, asked for after `read_back`.
    fn facts_after(&self) -> impl Future<Output = Vec<Fact>> {
        async { Vec::new() }
    }

    /// Creates a user: connect, allocate, seed. Called on the thread that will drive it.
    fn user(&self, context: UserContext) -> impl Future<Output = Result<Self::User, Failure>>;

    /// Removes what `prepare` created.
    fn cleanup(&self) -> impl Future<Output = Result<(), JobError>> {
        async { Ok(()) }
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A virtual user: a thread, a connection, an outstanding I/O.
pub trait User {
    /// One transaction, the unit of response time. Operations inside are timed by the recorder.
    fn transaction(&mut self, recorder: &mut Recorder)
    -> impl Future<Output = Result<(), Failure>>;
}

/// Defaults of `igen run` for this workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunDefaults {
    /// Levels of load.
    pub users: Vec<u32>,
    /// Executions of each level.
    pub repeats: u32,
    /// Length of the warm-up.
    pub warmup_s: f64,
    /// Length of the measurement.
    pub measure_s: f64,
    /// Think time of a closed load; none when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub think_time: Option<ThinkTime>,
}

/// A figure of merit: what a counter counts, by the time that some operations take; summed over users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Rate {
    /// Name with its unit; the time is in milliseconds: `tickets_per_ms`.
    pub name: &'static str,
    /// One of `Workload::COUNTERS`.
    pub counter: &'static str,
    /// Some of `Workload::OPERATIONS`.
    pub operations: &'static [&'static str],
}

/// Information about the job for a workload.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Targets of the job, or the workload's default.
    pub targets: Vec<String>,
    /// Most users of the whole job that will exist at once: their numbers are below this.
    pub users: u32,
    /// Those of them that this workload drives on this agent: all, unless several agents share the job or it has
    /// personas.
    pub own_users: u32,
    /// Those that this agent drives, of other personas too: for what they share, such as open files.
    pub agent_users: u32,
    /// Each user starts its next transaction as soon as the last one has ended.
    pub stream: bool,
    /// Mean rest of a user between two transactions, if these took no time; 0 where the load does not say.
    pub rest_s: f64,
    /// Seed of everything random.
    pub seed: u64,
    /// Go on where a check would refuse.
    pub force: bool,
    /// Write to what iGen did not create.
    pub i_own_this_data: bool,
    /// Passwords, keys and certificates that targets may get.
    pub credentials: Credentials,
}

/// Identity of a user.
#[derive(Debug, Clone, Copy)]
pub struct UserContext {
    /// Number among the users of the whole job; 0 for the first.
    pub id: u32,
    /// A seed of this user's own, derived from the job's.
    pub seed: u64,
    /// Index of its target in the job: users are given to the targets in turn.
    pub target: usize,
}
