//! What each session does, from the list of processes and InnoDB's transactions and locks.

use crate::server::{RUNNING, Relation, Waits, number};

pub(super) const MAY_READ_TRANSACTIONS: &str = "SELECT COUNT(*) FROM information_schema.INNODB_TRX";
/// MariaDB, and MySQL up to 5.7.
pub(super) const HAS_INNODB_LOCKS: &str = "SELECT COUNT(*) FROM information_schema.INNODB_LOCKS";
/// MySQL from 8.0 on.
pub(super) const HAS_DATA_LOCKS: &str = "SELECT COUNT(*) FROM performance_schema.data_locks";

/// The locks that transactions `t` wait for: columns `relation` and `part`.
pub(super) const INNODB_LOCKS: &str = "SELECT lock_id, lock_table AS relation, lock_index AS part \
    FROM information_schema.INNODB_LOCKS";
pub(super) const DATA_LOCKS: &str = "SELECT ENGINE_LOCK_ID AS lock_id, OBJECT_NAME AS relation, \
    INDEX_NAME AS part FROM performance_schema.data_locks WHERE LOCK_STATUS = 'WAITING'";

/// Event of a session that waits for a row or table of InnoDB.
pub(super) const INNODB_LOCK: &str = "lock.innodb";

/// The state of a transaction, and the lock it waits for, of the session whose id is `id`: columns and
/// joins.
pub(super) fn transaction_sql(transactions: bool, locks: Option<&str>, id: &str) -> [String; 2] {
    let trx = format!(" LEFT JOIN information_schema.INNODB_TRX t ON t.trx_mysql_thread_id = {id}");
    match (transactions, locks) {
        (false, _) => ["NULL, NULL, NULL".to_owned(), String::new()],
        (true, None) => ["t.trx_state, NULL, NULL".to_owned(), trx],
        (true, Some(locks)) => [
            "t.trx_state, l.relation, l.part".to_owned(),
            format!("{trx} LEFT JOIN ({locks}) l ON l.lock_id = t.trx_requested_lock_id"),
        ],
    }
}

/// Sessions of the database but the monitor's own.
pub(super) fn sample_sql(transactions: bool, locks: Option<&str>) -> String {
    let [columns, joins] = transaction_sql(transactions, locks, "p.ID");
    format!(
        "SELECT p.COMMAND, p.STATE, {columns}, COUNT(*) FROM information_schema.PROCESSLIST p{joins} \
         WHERE p.ID <> CONNECTION_ID() AND p.DB = DATABASE() GROUP BY 1, 2, 3, 4, 5"
    )
}

/// Adds one moment.
pub(super) fn add(waits: &mut Waits, rows: &[Vec<Option<String>>]) {
    waits.begin_moment();
    for row in rows {
        let text = |index: usize| row.get(index).and_then(Option::as_deref);
        let Some(sessions) = number(row.get(5)) else {
            continue;
        };
        match (text(0).unwrap_or_default(), text(2)) {
            ("Query" | "Execute", Some("LOCK WAIT")) => {
                waits.add_locked(sessions);
                waits.add_active(INNODB_LOCK, relation(text(3), text(4)).as_ref(), sessions);
            }
            ("Query" | "Execute", _) => waits.add_active(&state(text(1)), None, sessions),
            ("Sleep", Some(_)) => waits.add_idle_in_transaction(sessions),
            ("Sleep", None) => waits.add_idle(sessions),
            _ => (),
        }
    }
}

/// A step of a statement, as the list of processes names it.
pub(super) fn state(state: Option<&str>) -> String {
    match state {
        None | Some("" | "executing" | "Executing") => RUNNING.to_owned(),
        Some(state) => format!("state.{state}"),
    }
}

/// What a lock of InnoDB is about: rows are locked in an index, the primary one being the table itself.
pub(super) fn relation(table: Option<&str>, index: Option<&str>) -> Option<Relation> {
    let table = table?.replace('`', "");
    let table = table.rsplit('.').next()?;
    Some(Relation {
        name: match index {
            None | Some("PRIMARY" | "GEN_CLUST_INDEX") => format!("table {table}"),
            Some(index) => format!("index {index} of {table}"),
        },
        told_by: "lock",
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn row(values: [&str; 6]) -> Vec<Option<String>> {
        values
            .map(|value| (!value.is_empty()).then(|| value.to_owned()))
            .to_vec()
    }

    #[test]
    fn a_moment_of_contention() {
        let rows = [
            [
                "Execute",
                "Updating",
                "LOCK WAIT",
                "`shop`.`orders`",
                "orders_by_customer",
                "2",
            ],
            [
                "Execute",
                "Searching rows for update",
                "LOCK WAIT",
                "`shop`.`orders`",
                "PRIMARY",
                "6",
            ],
            ["Execute", "Statistics", "LOCK WAIT", "", "", "1"],
            ["Execute", "Update", "RUNNING", "", "", "4"],
            ["Query", "Commit", "", "", "", "3"],
            ["Query", "", "RUNNING", "", "", "1"],
            ["Sleep", "", "RUNNING", "", "", "5"],
            ["Sleep", "", "", "", "", "7"],
            ["Daemon", "InnoDB purge", "", "", "", "1"],
        ]
        .map(row);
        let mut waits = Waits::default();
        add(&mut waits, &rows);
        let expected = BTreeMap::from([
            ("sampled_moments", 1.0),
            ("sampled_active", 17.0),
            ("sampled_idle_in_transaction", 5.0),
            ("sampled_idle", 7.0),
            (
                "wait_samples.lock.innodb@lock:index orders_by_customer of orders",
                2.0,
            ),
            ("wait_samples.lock.innodb@lock:table orders", 6.0),
            ("wait_samples.lock.innodb", 1.0),
            ("wait_samples.state.Update", 4.0),
            ("wait_samples.state.Commit", 3.0),
            ("wait_samples.running", 1.0),
        ]);
        let counters: BTreeMap<String, f64> = waits.counters().collect();
        let found: BTreeMap<&str, f64> = counters
            .iter()
            .map(|(name, count)| (&**name, *count))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn only_what_may_be_read_is_asked_for() {
        assert!(!sample_sql(false, None).contains("INNODB"));
        assert!(sample_sql(true, None).contains("INNODB_TRX"));
        assert!(!sample_sql(true, None).contains("LOCKS"));
        assert!(sample_sql(true, Some(INNODB_LOCKS)).contains("INNODB_LOCKS"));
    }
}
