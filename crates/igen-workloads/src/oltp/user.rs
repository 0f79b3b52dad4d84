//! One user: a connection and its transactions.

use std::hint::black_box;

use igen_engine::{Failure, FailureKind, Recorder, User};
use igen_sql::session::Session;

use super::generate::ORDERS_PER_CUSTOMER;
use super::keys::{Chooser, Keys};
use super::params::{Mode, Params};
use super::statements::{
    COMMIT, DELETE_ORDER, INSERT_ORDER, OPERATIONS, SELECT_CUSTOMER, SELECT_LAST_ORDER,
    SELECT_ORDERS, SELECT_OTHER,
};
use crate::conflict::{Conflicting, Retries, until_none};

/// `retries` counts the times that a user found SQLite locked and tried again; `conflicts` the
/// transactions (in autocommit mode statements) that were run again after a deadlock or a serialization
/// failure; `missed_deletes` the deletes that were run again because another user's transaction had just
/// deleted that order.
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
const LOCKED: usize = 3;
const CONFLICTS: usize = 4;
const MISSED_DELETES: usize = 5;

/// A delete that misses so often in a row fails. Each miss is another user's delete of the same customer's
/// oldest order, so hundreds of users of one customer may miss as often: this only bounds the loop.
const MOST_DELETES: u32 = 10_000;

/// A user of `oltp`.
pub struct OltpUser {
    session: Session,
    chooser: Chooser,
    retries: Retries,
    /// The customer for whom an order was inserted and committed, and none deleted yet: autocommit only. The
    /// user deletes it before anything else, so that it never leaves more than one order too many.
    owed: Option<i64>,
    mode: Mode,
    read_only: bool,
}

impl User for OltpUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let keys = self.chooser.next();
        match self.mode {
            Mode::Transaction => {
                until_none(self, recorder, async |user: &mut Self, recorder| {
                    user.database_transaction(keys, recorder).await
                })
                .await?;
            }
            Mode::Autocommit => {
                if let Some(customer) = self.owed {
                    self.delete(customer, recorder).await?;
                }
                self.statements(keys, recorder).await?;
            }
        }
        self.session.check()
    }
}

impl Conflicting for OltpUser {
    const LOCKED: usize = LOCKED;
    const CONFLICTS: usize = CONFLICTS;

    fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    fn retries(&mut self) -> &mut Retries {
        &mut self.retries
    }
}

impl OltpUser {
    pub(super) fn new(
        session: Session,
        chooser: Chooser,
        retries: Retries,
        params: &Params,
    ) -> Self {
        Self {
            session,
            chooser,
            retries,
            owed: None,
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
        if self.mode == Mode::Autocommit {
            self.owed = Some(customer);
        }
        self.delete(customer, recorder).await
    }

    /// Deletes a customer's oldest order.
    async fn delete(&mut self, customer: i64, recorder: &mut Recorder) -> Result<(), Failure> {
        for _try in 0..MOST_DELETES {
            match self.change(DELETE_ORDER, &[customer], recorder).await? {
                1 => {
                    self.owed = None;
                    return Ok(());
                }
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
        let rows = self
            .statement(recorder, async |user: &mut Self, recorder| {
                let select = async {
                    let rows = user.session.select(operation, &[key]).await?;
                    if rows.count < u64::from(least) {
                        return Err(wrong_rows(operation));
                    }
                    Ok(rows)
                };
                recorder.time(operation, select).await
            })
            .await?;
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
        let rows = self
            .statement(recorder, async |user: &mut Self, recorder| {
                let change = user.session.execute(operation, parameters);
                recorder.time(operation, change).await
            })
            .await?;
        recorder.count(ROWS_WRITTEN, rows);
        recorder.count(STATEMENTS, 1);
        Ok(rows)
    }

    /// Runs one statement; in autocommit mode until it finds no conflict.
    async fn statement<T>(
        &mut self,
        recorder: &mut Recorder,
        mut statement: impl AsyncFnMut(&mut Self, &mut Recorder) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        match self.mode {
            Mode::Transaction => statement(self, recorder).await,
            Mode::Autocommit => until_none(self, recorder, statement).await,
        }
    }
}

fn wrong_rows(operation: usize) -> Failure {
    Failure::new(FailureKind::Check, "wrong number of rows").in_step(OPERATIONS[operation])
}
