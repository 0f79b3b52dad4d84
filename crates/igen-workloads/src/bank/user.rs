//! One user: a connection and its transactions.

use std::hint::black_box;

use igen_engine::{Failure, FailureKind, Recorder, User};
use igen_sql::session::Session;

use super::journal::JournalWriter;
use super::keys::{Chooser, Keys};
use super::params::Form;
use super::statements::{
    CALL, COMMIT, INSERT_HISTORY, OPERATIONS, SELECT_BALANCE, UPDATE_ACCOUNT, UPDATE_BRANCH,
    UPDATE_TELLER,
};
use crate::conflict::{Conflicting, Retries, until_none};

/// `retries` counts the times that a user found SQLite locked and tried again; `conflicts` the
/// transactions that were begun again after a deadlock or a serialization failure; the counters of the
/// log are of SQLite (servers count theirs themselves): pages, flushes for commits, bytes.
pub(super) const COUNTERS: &[&str] = &[
    "rows_read",
    "rows_written",
    "statements",
    "retries",
    "conflicts",
    "log_writes",
    "log_flushes",
    "log_bytes",
];

const ROWS_READ: usize = 0;
const ROWS_WRITTEN: usize = 1;
const STATEMENTS: usize = 2;
const LOCKED: usize = 3;
const CONFLICTS: usize = 4;
const LOG_WRITES: usize = 5;
const LOG_FLUSHES: usize = 6;
const LOG_BYTES: usize = 7;

/// A user of `bank`.
pub struct BankUser {
    session: Session,
    chooser: Chooser,
    retries: Retries,
    form: Form,
    journal: JournalWriter,
}

impl User for BankUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let keys = self.chooser.next();
        let done = until_none(self, recorder, async |user: &mut Self, recorder| {
            user.attempt(keys, recorder).await
        });
        if let Err(failure) = done.await {
            self.journal.fail();
            return Err(failure);
        }
        self.journal.acknowledge();
        self.count_log(recorder);
        self.session.check()
    }
}

impl Conflicting for BankUser {
    const LOCKED: usize = LOCKED;
    const CONFLICTS: usize = CONFLICTS;

    fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    fn retries(&mut self) -> &mut Retries {
        &mut self.retries
    }
}

impl BankUser {
    pub(super) fn new(
        session: Session,
        chooser: Chooser,
        retries: Retries,
        form: Form,
        journal: JournalWriter,
    ) -> Self {
        Self {
            session,
            chooser,
            retries,
            form,
            journal,
        }
    }

    /// Runs the transaction once; after a conflict the database has rolled it back.
    async fn attempt(&mut self, keys: Keys, recorder: &mut Recorder) -> Result<(), Failure> {
        let result = match self.form {
            Form::Statements => self.statements(keys, recorder).await,
            Form::Procedure => self.call(keys, recorder).await,
        };
        if matches!(&result, Err(failure) if failure.reason.kind == FailureKind::Conflict) {
            self.journal.withdraw();
        }
        result
    }

    async fn statements(&mut self, keys: Keys, recorder: &mut Recorder) -> Result<(), Failure> {
        let Keys {
            account,
            teller,
            branch,
            amount,
        } = keys;
        let [run, session, number] = self.journal.stamp();
        self.session.begin(true).await?;
        self.change(UPDATE_ACCOUNT, &[amount, account], recorder)
            .await?;
        self.balance(SELECT_BALANCE, SELECT_BALANCE, &[account], recorder)
            .await?;
        self.change(UPDATE_TELLER, &[amount, teller], recorder)
            .await?;
        self.change(UPDATE_BRANCH, &[amount, branch], recorder)
            .await?;
        let entry = [account, teller, branch, amount, run, session, number];
        self.change(INSERT_HISTORY, &entry, recorder).await?;
        self.journal.send();
        recorder.time(COMMIT, self.session.commit()).await
    }

    async fn call(&mut self, keys: Keys, recorder: &mut Recorder) -> Result<(), Failure> {
        let [run, session, number] = self.journal.stamp();
        let parameters = [
            keys.account,
            keys.teller,
            keys.branch,
            keys.amount,
            run,
            session,
            number,
        ];
        self.journal.send();
        self.balance(0, CALL, &parameters, recorder).await
    }

    /// Runs a statement that changes one row.
    async fn change(
        &mut self,
        operation: usize,
        parameters: &[i64],
        recorder: &mut Recorder,
    ) -> Result<(), Failure> {
        let change = async {
            match self.session.execute(operation, parameters).await? {
                1 => Ok(()),
                _ => Err(wrong_rows(operation)),
            }
        };
        recorder.time(operation, change).await?;
        recorder.count(ROWS_WRITTEN, 1);
        recorder.count(STATEMENTS, 1);
        Ok(())
    }

    /// Runs a statement that returns one row, the new balance.
    async fn balance(
        &mut self,
        statement: usize,
        operation: usize,
        parameters: &[i64],
        recorder: &mut Recorder,
    ) -> Result<(), Failure> {
        let select = async {
            let rows = self.session.select(statement, parameters).await?;
            if rows.count != 1 {
                return Err(wrong_rows(operation));
            }
            Ok(rows)
        };
        let rows = recorder.time(operation, select).await?;
        black_box(rows.checksum);
        recorder.count(ROWS_READ, 1);
        recorder.count(STATEMENTS, 1);
        Ok(())
    }

    fn count_log(&mut self, recorder: &mut Recorder) {
        let log = self.session.take_log();
        recorder.count(LOG_WRITES, log.writes);
        recorder.count(LOG_FLUSHES, log.flushes);
        recorder.count(LOG_BYTES, log.bytes);
    }
}

fn wrong_rows(operation: usize) -> Failure {
    Failure::new(FailureKind::Check, "wrong number of rows").in_step(OPERATIONS[operation])
}
