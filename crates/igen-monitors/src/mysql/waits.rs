//! What each session waits for, from the performance schema.

use std::collections::BTreeMap;

use super::sessions::{INNODB_LOCK, relation, state, transaction_sql};
use crate::server::{Relation, Waits};

/// Waits are collected: the schema is on, and so is its table of current waits.
pub(super) const CONSUMER_IS_ON: &str = "SELECT 1 FROM performance_schema.setup_consumers \
    WHERE NAME = 'events_waits_current' AND ENABLED = 'YES' AND @@performance_schema = 1";

/// Sessions of the database but the monitor's own, a row for each wait that has not ended: one wait may
/// lie in another, the innermost comes last.
pub(super) fn sample_sql(transactions: bool, locks: Option<&str>) -> String {
    let [columns, joins] = transaction_sql(transactions, locks, "p.PROCESSLIST_ID");
    format!(
        "SELECT p.PROCESSLIST_ID, p.PROCESSLIST_COMMAND, {columns}, w.EVENT_NAME, w.OBJECT_TYPE, \
         w.OBJECT_NAME, w.INDEX_NAME, s.STATE FROM performance_schema.threads p \
         LEFT JOIN performance_schema.events_waits_current w \
         ON w.THREAD_ID = p.THREAD_ID AND w.END_EVENT_ID IS NULL \
         LEFT JOIN information_schema.PROCESSLIST s ON s.ID = p.PROCESSLIST_ID{joins} \
         WHERE p.TYPE = 'FOREGROUND' AND p.PROCESSLIST_ID <> CONNECTION_ID() \
         AND p.PROCESSLIST_DB = DATABASE() ORDER BY w.EVENT_ID"
    )
}

/// Adds one moment.
pub(super) fn add(waits: &mut Waits, rows: &[Vec<Option<String>>]) {
    waits.begin_moment();
    let sessions: BTreeMap<_, _> = rows.iter().map(|row| (row.first(), row)).collect();
    for row in sessions.into_values() {
        let text = |index: usize| row.get(index).and_then(Option::as_deref);
        match (text(1).unwrap_or_default(), text(2)) {
            ("Query" | "Execute", Some("LOCK WAIT")) => {
                waits.add_locked(1);
                waits.add_active(INNODB_LOCK, relation(text(3), text(4)).as_ref(), 1);
            }
            ("Query" | "Execute", _) => {
                // MariaDB's wait for the flush of its log is a state, but no instrument.
                let event = match text(5).and_then(|name| name.strip_prefix("wait/")) {
                    Some(event) => event.to_owned(),
                    None => state(text(9)),
                };
                waits.add_active(&event, object(text(6), text(7), text(8)).as_ref(), 1);
            }
            ("Sleep", Some(_)) => waits.add_idle_in_transaction(1),
            ("Sleep", None) => waits.add_idle(1),
            _ => (),
        }
    }
}

/// What a wait is about: a table and its index, or the file of a table.
fn object(kind: Option<&str>, name: Option<&str>, index: Option<&str>) -> Option<Relation> {
    let name = name?;
    match kind? {
        "TABLE" => Some(Relation {
            name: match index {
                None | Some("PRIMARY") => format!("table {name}"),
                Some(index) => format!("index {index} of {name}"),
            },
            told_by: "object",
        }),
        "FILE" => {
            let table = name.rsplit('/').next()?.strip_suffix(".ibd")?;
            Some(Relation {
                name: format!("table {table}"),
                told_by: "file",
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: [&str; 10]) -> Vec<Option<String>> {
        values
            .map(|value| (!value.is_empty()).then(|| value.to_owned()))
            .to_vec()
    }

    #[test]
    fn the_innermost_wait_counts() {
        let handler = "wait/io/table/sql/handler";
        let data = "wait/io/file/innodb/innodb_data_file";
        let log = "wait/io/file/innodb/innodb_log_file";
        let rows = [
            [
                "1", "Execute", "RUNNING", "", "", handler, "TABLE", "orders", "by_day", "",
            ],
            [
                "1",
                "Execute",
                "RUNNING",
                "",
                "",
                data,
                "FILE",
                "./shop/orders.ibd",
                "",
                "",
            ],
            [
                "2", "Execute", "RUNNING", "", "", handler, "TABLE", "orders", "by_day", "",
            ],
            [
                "3",
                "Execute",
                "LOCK WAIT",
                "`shop`.`orders`",
                "PRIMARY",
                handler,
                "TABLE",
                "orders",
                "",
                "",
            ],
            [
                "4",
                "Query",
                "",
                "",
                "",
                log,
                "FILE",
                "./ib_logfile0",
                "",
                "Commit",
            ],
            ["5", "Query", "RUNNING", "", "", "", "", "", "", ""],
            ["6", "Sleep", "RUNNING", "", "", "idle", "", "", "", ""],
            ["7", "Sleep", "", "", "", "", "", "", "", ""],
            [
                "8",
                "Query",
                "",
                "",
                "",
                "idle",
                "",
                "",
                "",
                "Updating status",
            ],
        ]
        .map(row);
        let mut waits = Waits::default();
        add(&mut waits, &rows);
        let expected = BTreeMap::from([
            ("sampled_moments", 1.0),
            ("sampled_active", 6.0),
            ("sampled_idle_in_transaction", 1.0),
            ("sampled_idle", 1.0),
            (
                "wait_samples.io/file/innodb/innodb_data_file@file:table orders",
                1.0,
            ),
            (
                "wait_samples.io/table/sql/handler@object:index by_day of orders",
                1.0,
            ),
            ("wait_samples.lock.innodb@lock:table orders", 1.0),
            ("wait_samples.io/file/innodb/innodb_log_file", 1.0),
            ("wait_samples.running", 1.0),
            ("wait_samples.state.Updating status", 1.0),
        ]);
        let counters: BTreeMap<String, f64> = waits.counters().collect();
        let found: BTreeMap<&str, f64> = counters
            .iter()
            .map(|(name, count)| (&**name, *count))
            .collect();
        assert_eq!(found, expected);
    }
}
