//! `command`: any program as a workload.
//!
//! A transaction is one execution: from the start of the process to the moment at which it can be waited for.
//! What `prepare` names runs before it and aside, in no time of the transaction. A program that ends with
//! another exit code than 0, by a signal, or not within its limit, is a failed transaction.
//!
//! The time of the shell that starts the program is part of it and is not subtracted: it differs from start to
//! start, so that a difference of two means would be less certain than either. `shell = false` has none.
//!
//! Before the load the program is tried once: one that fails then ends the job.
//!
//! Processes that an execution leaves behind are counted, and end with the load.

mod execution;
mod orphans;
mod output;
mod params;
mod program;
mod reasons;
mod standard_error;
mod user;

use igen_engine::{Failure, Setup, UserContext, Workload};
use igen_job::{Fact, JobError, facts};
use serde_json::json;

use orphans::Orphans;
use params::Params;
use program::Program;
use user::CommandUser;

/// The workload.
pub struct Command {
    params: Params,
    run: Program,
    prepare: Option<Program>,
    orphans: &'static Orphans,
}

impl Workload for Command {
    const NAME: &'static str = "command";
    const SUMMARY: &'static str = "runs a program again and again: time, processor time, memory";
    const VERSION: u32 = 2;
    const TRANSACTIONS: &'static str = "executions";
    const OPERATIONS: &'static [&'static str] = user::OPERATIONS;
    const COUNTERS: &'static [&'static str] = user::COUNTERS;
    type Params = Params;
    type User = CommandUser;

    fn new(params: Params, setup: Setup) -> Result<Self, JobError> {
        params.check(setup.users, setup.i_own_this_data)?;
        let program = |text: &str, field| Program::of(text, &params, field);
        Ok(Self {
            run: program(&params.run, "params.run")?,
            prepare: match &params.prepare {
                Some(text) => Some(program(text, "params.prepare")?),
                None => None,
            },
            orphans: orphans::adopt().map_err(|error| {
                JobError::new(format!(
                    "cannot become the parent of left processes: {error}"
                ))
            })?,
            params,
        })
    }

    /// Tries the program: what fails each time is known before the load.
    async fn verify(&self, after: bool) -> Result<(), JobError> {
        if after {
            return Ok(());
        }
        self.user_of(0)
            .map_err(|failure| JobError::new(failure.reason.text))?
            .trial()
            .await
    }

    async fn facts(&self) -> Vec<Fact> {
        vec![facts::COMMAND_OUTPUT.is(self.params.output().kind())]
    }

    async fn facts_after(&self) -> Vec<Fact> {
        let left = self.orphans.left();
        vec![
            facts::COMMAND_LEAVING_EXECUTIONS.is(left.executions),
            facts::COMMAND_PROCESSES_LEFT.is(left.processes),
            facts::COMMAND_PROGRAMS_LEFT.is(json!(left.names)),
        ]
    }

    async fn user(&self, context: UserContext) -> Result<CommandUser, Failure> {
        self.user_of(context.id)
    }
}

impl Command {
    fn user_of(&self, number: u32) -> Result<CommandUser, Failure> {
        let prepare = self.prepare.as_ref();
        CommandUser::new(number, &self.params, &self.run, prepare, self.orphans)
    }
}

impl Drop for Command {
    /// Ends what executions left behind: nothing outlives the load.
    fn drop(&mut self) {
        orphans::end();
    }
}
