//! `noop`: a transaction that does nothing. What it costs is the engine's own floor, which every
//! report prints.

use igen_engine::{Failure, Recorder, Setup, User, UserContext, Workload};
use igen_job::JobError;
use schemars::JsonSchema;
use serde::Deserialize;

/// Parameters; there are none.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

/// The workload.
pub struct Noop;

/// Its user.
pub struct NoopUser;

impl Workload for Noop {
    const NAME: &'static str = "noop";
    const SUMMARY: &'static str = "does nothing: measures the overhead of the engine";
    const VERSION: u32 = 1;
    type Params = Params;
    type User = NoopUser;

    fn new(_: Params, _: Setup) -> Result<Self, JobError> {
        Ok(Self)
    }

    async fn user(&self, _: UserContext) -> Result<NoopUser, Failure> {
        Ok(NoopUser)
    }
}

impl User for NoopUser {
    async fn transaction(&mut self, _: &mut Recorder) -> Result<(), Failure> {
        Ok(())
    }
}
