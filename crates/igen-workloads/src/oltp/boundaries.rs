//! What one transaction is, for the report.

use igen_drivers::database::Database;

use super::params::{Mode, Params};

/// One sentence on the boundaries of a transaction.
pub(super) fn text(target: &str, params: &Params) -> String {
    let embedded = Database::blocks(target);
    let place = if embedded {
        "in process"
    } else {
        "each waited for"
    };
    match (params.mode, params.read_only) {
        (Mode::Transaction, false) if embedded => {
            "one database transaction: BEGIN IMMEDIATE, six prepared statements, COMMIT (8 round trips, \
             in process); the wait for SQLite's one writer, a look every 0.5 ms, is in BEGIN, which is \
             part of the response time and of no operation"
                .to_owned()
        }
        (Mode::Transaction, false) => format!(
            "one database transaction: BEGIN, six prepared statements, COMMIT (8 round trips, {place}); \
             BEGIN is part of the response time and of no operation; after a deadlock or a \
             serialization failure it is run again within the same response time"
        ),
        (Mode::Transaction, true) => format!(
            "one read-only database transaction: BEGIN, four prepared selects, COMMIT \
             (6 round trips, {place})"
        ),
        (Mode::Autocommit, false) => format!(
            "six prepared statements, each a database transaction of its own (6 round trips, {place})"
        ),
        (Mode::Autocommit, true) => format!(
            "four prepared selects, each a database transaction of its own (4 round trips, {place})"
        ),
    }
}
