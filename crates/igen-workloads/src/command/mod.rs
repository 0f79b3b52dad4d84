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

mod execution;
mod params;
mod program;
mod reasons;
mod standard_error;
mod user;

use igen_engine::{Failure, Setup, UserContext, Workload};
use igen_job::JobError;

use params::Params;
use program::Program;
use user::CommandUser;

/// The workload.
pub struct Command {
    params: Params,
    run: Program,
    prepare: Option<Program>,
}

impl Workload for Command {
    const NAME: &'static str = "command";
    const SUMMARY: &'static str = "runs a program again and again: time, processor time, memory";
    const VERSION: u32 = 1;
    const TRANSACTIONS: &'static str = "executions";
    const OPERATIONS: &'static [&'static str] = user::OPERATIONS;
    const COUNTERS: &'static [&'static str] = user::COUNTERS;
    type Params = Params;
    type User = CommandUser;

    fn new(params: Params, _: Setup) -> Result<Self, JobError> {
        params.check()?;
        let program = |text: &str, field| Program::of(text, &params, field);
        Ok(Self {
            run: program(&params.run, "params.run")?,
            prepare: match &params.prepare {
                Some(text) => Some(program(text, "params.prepare")?),
                None => None,
            },
            params,
        })
    }

    /// Tries the program: what fails each time is known before the load.
    async fn verify(&self, after: bool) -> Result<(), JobError> {
        if after {
            return Ok(());
        }
        CommandUser::new(0, &self.params, &self.run, self.prepare.as_ref())
            .map_err(|failure| JobError::new(failure.reason.text))?
            .trial()
            .await
    }

    async fn user(&self, context: UserContext) -> Result<CommandUser, Failure> {
        CommandUser::new(context.id, &self.params, &self.run, self.prepare.as_ref())
    }
}
