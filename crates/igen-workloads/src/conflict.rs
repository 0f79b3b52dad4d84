//! Transactions that are run again after a deadlock or a serialization failure, within the same
//! response time.

use igen_engine::{Failure, Recorder};
use igen_sql::session::Session;

/// A transaction that finds so many conflicts in a row fails.
const MOST_CONFLICTS: u32 = 10;

/// A user whose transactions may find conflicts with those of others.
pub(crate) trait Attempt {
    /// What a transaction is about: the same whenever it is run again.
    type Keys: Copy;
    /// The counter of times that the user found SQLite locked and tried again.
    const RETRIES: usize;
    /// The counter of transactions that were begun again.
    const CONFLICTS: usize;

    /// The connection.
    fn session(&mut self) -> &mut Session;

    /// Runs the transaction once. What a failed attempt leaves open is rolled back afterwards.
    async fn attempt(&mut self, keys: Self::Keys, recorder: &mut Recorder) -> Result<(), Failure>;
}

/// Runs a transaction until it finds no conflict. A failure has left no transaction open.
pub(crate) async fn until_none<U: Attempt>(
    user: &mut U,
    keys: U::Keys,
    recorder: &mut Recorder,
) -> Result<(), Failure> {
    let mut conflicts = 0;
    loop {
        let result = user.attempt(keys, recorder).await;
        recorder.count(U::RETRIES, user.session().take_retries());
        let Err(failure) = result else {
            return Ok(());
        };
        if !failure.lost {
            user.session().rollback().await;
        }
        conflicts += 1;
        if !failure.conflict || conflicts > MOST_CONFLICTS {
            return Err(failure);
        }
        recorder.count(U::CONFLICTS, 1);
    }
}
