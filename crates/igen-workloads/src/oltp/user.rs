//! One user: a connection and its transactions.

use std::hint::black_box;

use igen_engine::{Failure, Recorder, User};
use igen_sql::session::Session;

use super::generate::ORDERS_PER_CUSTOMER;
use super::keys::{Chooser, Keys};
use super::params::{Mode, Params};
use super::statements::{
    COMMIT, DELETE_ORDER, INSERT_ORDER, OPERATIONS, SELECT_CUSTOMER, SELECT_LAST_ORDER,
    SELECT_ORDERS, SELECT_OTHER,
};
use crate::conflict::{self, Attempt};

/// `retries` counts the times that a user found SQLite locked and tried again; `conflicts` the
/// transactions that were begun again after a deadlock or a serialization failure; `missed_deletes`
/// the deletes that were run again because another user's transaction had just deleted that order.
pub(super) const COUNTERS: &[&str] = &[
    "rows_read",
    "rows_written",
    "statements",
    "retries",
    "conflicts",
    "missed_deletes",
];

const ROWS_READ: usize = 0;
const ROWS_WRITTEN: usize = 1;
const STATEMENTS: usize = 2;
const RETRIES: usize = 3;
const CONFLICTS: usize = 4;
const MISSED_DELETES: usize = 5;

/// A delete that misses so often in a row fails.
const MOST_DELETES: u32 = 10;

/// A user of `oltp`.
pub struct OltpUser {
    session: Session,
    chooser: Chooser,
    mode: Mode,
    read_only: bool,
}

impl User for OltpUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let keys = self.chooser.next();
        conflict::until_none(self, keys, recorder).await?;
        self.session.check()
    }
}

impl Attempt for OltpUser {
    type Keys = Keys;
    const RETRIES: usize = RETRIES;
    const CONFLICTS: usize = CONFLICTS;

    fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    async fn attempt(&mut self, keys: Keys, recorder: &mut Recorder) -> Result<(), Failure> {
        match self.mode {
            Mode::Transaction => self.database_transaction(keys, recorder).await,
            Mode::Autocommit => self.statements(keys, recorder).await,
        }
    }
}

impl OltpUser {
    pub(super) fn new(session: Session, chooser: Chooser, params: &Params) -> Self {
        Self {
            session,
            chooser,
            mode: params.mode,
            read_only: params.read_only,
        }
    }

    async fn database_transaction(
        &mut self,
        keys: Keys,
        recorder: &mut Recorder,
    ) -> Result<(), Failure> {
        self.session.begin(!self.read_only).await?;
        self.statements(keys, recorder).await?;
        recorder.time(COMMIT, self.session.commit()).await
    }

    async fn statements(&mut self, keys: Keys, recorder: &mut Recorder) -> Result<(), Failure> {
        let customer = keys.customer;
        self.select(SELECT_CUSTOMER, customer, 1, recorder).await?;
        self.select(SELECT_ORDERS, customer, ORDERS_PER_CUSTOMER, recorder)
            .await?;
        self.select(SELECT_LAST_ORDER, customer, 1, recorder)
            .await?;
        self.select(SELECT_OTHER, keys.other, 1, recorder).await?;
        if self.read_only {
            return Ok(());
        }
        let order = [customer, keys.quantity, keys.amount];
        if self.change(INSERT_ORDER, &order, recorder).await? != 1 {
            return Err(wrong_rows(INSERT_ORDER));
        }
        for _try in 0..MOST_DELETES {
            match self.change(DELETE_ORDER, &[customer], recorder).await? {
                1 => return Ok(()),
                // Another user's transaction for the same customer has deleted the oldest order
                // between this one's look for it and its delete; servers with row locks let that
                // happen. The next look finds the next one, so that the size stays constant.
                0 => recorder.count(MISSED_DELETES, 1),
                _ => break,
            }
        }
        Err(wrong_rows(DELETE_ORDER))
    }

    /// Runs a select that must return at least `least` rows: more than ten orders are there where
    /// another user is between its insert and its delete in autocommit mode.
    async fn select(
        &mut self,
        operation: usize,
        key: i64,
        least: u32,
        recorder: &mut Recorder,
    ) -> Result<(), Failure> {
        let select = async {
            let rows = self.session.select(operation, &[key]).await?;
            if rows.count < u64::from(least) {
                return Err(wrong_rows(operation));
            }
            Ok(rows)
        };
        let rows = recorder.time(operation, select).await?;
        black_box(rows.checksum);
        recorder.count(ROWS_READ, rows.count);
        recorder.count(STATEMENTS, 1);
        Ok(())
    }

    /// Runs a statement that changes rows; returns how many.
    async fn change(
        &mut self,
        operation: usize,
        parameters: &[i64],
        recorder: &mut Recorder,
    ) -> Result<u64, Failure> {
        let change = self.session.execute(operation, parameters);
        let rows = recorder.time(operation, change).await?;
        recorder.count(ROWS_WRITTEN, rows);
        recorder.count(STATEMENTS, 1);
        Ok(rows)
    }
}

fn wrong_rows(operation: usize) -> Failure {
    Failure::new(format!("{}: wrong number of rows", OPERATIONS[operation]))
}
