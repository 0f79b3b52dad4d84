//! What one transaction is, and what of its log is counted, for the report.

use igen_sql::database::Database;

use super::params::Form;

/// What the counters of SQLite's log count.
pub(super) const SQLITE_LOG: &str = "log_writes: pages written to the write-ahead log, counted by \
    SQLite (SQLITE_DBSTATUS_CACHE_WRITE); log_bytes: those pages with their headers of 24 bytes; \
    log_flushes: one for each commit with synchronous=full, none with normal; flushes and writes of \
    checkpoints are not counted";

/// One sentence on the boundaries of a transaction.
pub(super) fn text(target: &str, form: Form) -> &'static str {
    match form {
        Form::Statements if Database::blocks(target) => {
            "one database transaction: BEGIN IMMEDIATE, update account, select its balance, update \
             teller, update branch, insert history, COMMIT (7 round trips, in process); BEGIN includes the \
             wait for SQLite's single writer, polled every 0.5 ms; BEGIN is part of the response time, but \
             not of an operation"
        }
        Form::Statements => {
            "one database transaction: BEGIN, update account, select its balance, update teller, update \
             branch, insert history, COMMIT (7 round trips, one after another); BEGIN is part of the \
             response time, but not of an operation; after a deadlock or a serialization failure the \
             transaction is retried within the same response time"
        }
        Form::Procedure => {
            "one call of a stored function, as one database transaction, that updates account, teller \
             and branch, inserts history and returns the account's balance (1 round trip); after a deadlock \
             or a serialization failure the call is retried within the same response time"
        }
    }
}
