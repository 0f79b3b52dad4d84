//! Work that is run again after a deadlock or a serialization failure, within the same response time.
//!
//! The unit that is run again is the one that the database has rolled back: the transaction, or in
//! autocommit mode the statement. To repeat more than that would repeat what is committed already.

use std::time::Duration;

use igen_engine::{Failure, FailureKind, Recorder, Then};
use igen_job::{JobError, Seconds};
use igen_sql::session::Session;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::random::below;

/// Retries when a job does not set them.
const RETRIES: u32 = 100;
/// Most retries that a job may set.
const MOST_RETRIES: u32 = 1_000;
/// Longest backoff that a job may set.
const MOST_BACKOFF_S: f64 = 10.0;
/// The wait is doubled at most this often.
const MOST_DOUBLINGS: u32 = 10;

/// Retries after a conflict, flattened into a workload's parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Retry {
    /// Retries after a conflict such as a deadlock, 0 to 1,000.
    ///
    /// The transaction is retried, in autocommit mode the statement. It fails if the last retry finds a conflict.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 100))]
    pub conflict_retries: Option<u32>,
    /// Longest wait before the first retry, up to 10s; doubles with each retry.
    ///
    /// The wait is drawn at random, from 0 on, and counts as response time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 0.0))]
    pub conflict_backoff_s: Option<Seconds>,
}

impl Retry {
    /// Checks the ranges.
    pub(crate) fn check(&self) -> Result<(), JobError> {
        let out_of_range = |name: &str, range: &str| {
            Err(JobError::at(format!("params.{name}"), "out of range").hint(format!("use {range}")))
        };
        if self
            .conflict_retries
            .is_some_and(|retries| retries > MOST_RETRIES)
        {
            return out_of_range("conflict_retries", &format!("0 to {MOST_RETRIES}"));
        }
        if self
            .conflict_backoff_s
            .is_some_and(|backoff| !(0.0..=MOST_BACKOFF_S).contains(&backoff.0))
        {
            return out_of_range(
                "conflict_backoff_s",
                &format!("0 to {MOST_BACKOFF_S} seconds"),
            );
        }
        Ok(())
    }
}

/// One user's retries.
pub(crate) struct Retries {
    most: u32,
    backoff_ns: u64,
    random: Xoshiro256PlusPlus,
}

impl Retries {
    /// The retries of a user whose random numbers come from `seed`.
    pub(crate) fn new(retry: &Retry, seed: u64) -> Self {
        let backoff_s = retry.conflict_backoff_s.map_or(0.0, |backoff| backoff.0);
        // `check` has refused what does not fit.
        let backoff = Duration::try_from_secs_f64(backoff_s).unwrap_or_default();
        Self {
            most: retry.conflict_retries.unwrap_or(RETRIES),
            backoff_ns: u64::try_from(backoff.as_nanos()).unwrap_or(u64::MAX),
            // Not the numbers that the user's keys come from.
            random: Xoshiro256PlusPlus::seed_from_u64(!seed),
        }
    }

    /// Draws the wait before the retry of that number, counted from 0.
    fn wait_ns(&mut self, retry: u32) -> u64 {
        if self.backoff_ns == 0 {
            return 0;
        }
        below(
            &mut self.random,
            self.backoff_ns << retry.min(MOST_DOUBLINGS),
        )
    }
}

/// A user whose work may find conflicts with that of other users.
pub(crate) trait Conflicting {
    /// The counter of times that the user found SQLite locked and tried again.
    const LOCKED: usize;
    /// The counter of retries.
    const CONFLICTS: usize;

    /// Returns the connection.
    fn session(&mut self) -> &mut Session;

    /// Returns the user's retries.
    fn retries(&mut self) -> &mut Retries;
}

/// Runs `unit`, which the database rolls back as a whole, until it finds no conflict. A failure has left
/// no transaction open.
pub(crate) async fn until_none<U: Conflicting, T>(
    user: &mut U,
    recorder: &mut Recorder,
    mut unit: impl AsyncFnMut(&mut U, &mut Recorder) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut retry = 0;
    loop {
        let result = unit(user, recorder).await;
        recorder.count(U::LOCKED, user.session().take_retries());
        let failure = match result {
            Ok(done) => return Ok(done),
            Err(failure) => failure,
        };
        if failure.then != Then::Anew {
            user.session().rollback().await;
        }
        if failure.reason.kind != FailureKind::Conflict || retry == user.retries().most {
            return Err(failure);
        }
        recorder.count(U::CONFLICTS, 1);
        let wait_ns = user.retries().wait_ns(retry);
        if wait_ns > 0 {
            recorder.wait(wait_ns).await;
        }
        retry += 1;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use proptest::prelude::*;

    use super::*;

    fn retry(retries: Option<u32>, backoff_s: Option<f64>) -> Retry {
        Retry {
            conflict_retries: retries,
            conflict_backoff_s: backoff_s.map(Seconds),
        }
    }

    #[test]
    fn what_is_out_of_range_is_refused_with_its_path() {
        for (given, expected) in [
            (retry(None, None), None),
            (retry(Some(0), Some(0.0)), None),
            (retry(Some(1_000), Some(10.0)), None),
            (retry(Some(1_001), None), Some("params.conflict_retries")),
            (retry(None, Some(-1.0)), Some("params.conflict_backoff_s")),
            (retry(None, Some(10.1)), Some("params.conflict_backoff_s")),
            (
                retry(None, Some(f64::NAN)),
                Some("params.conflict_backoff_s"),
            ),
        ] {
            let found = given.check().err().map(|error| error.path);
            assert_eq!(found.as_deref(), expected, "{given:?}");
        }
    }

    proptest! {
        #[test]
        fn a_wait_stays_below_the_doubled_backoff(
            backoff_ms in 1_u32..10_000,
            number in 0_u32..2_000,
            seed: u64,
        ) {
            let backoff_s = f64::from(backoff_ms) / 1e3;
            let mut retries = Retries::new(&retry(None, Some(backoff_s)), seed);
            let most_ns = backoff_s * 1e9 * f64::from(1 << number.min(MOST_DOUBLINGS));
            prop_assert!(retries.wait_ns(number) as f64 <= most_ns);
        }

        #[test]
        fn nobody_waits_who_did_not_ask_for_it(number in 0_u32..2_000, seed: u64) {
            prop_assert_eq!(Retries::new(&retry(None, None), seed).wait_ns(number), 0);
        }
    }
}
