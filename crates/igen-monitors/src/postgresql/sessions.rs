//! What each session does or waits for, and on which table.

use super::process::Identity;
use crate::server::{RUNNING, Relation, Seen, Waits, number};

/// Tables of the users.
pub(super) const TABLES: &str = "SELECT c.relname FROM pg_class c \
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p') \
    AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')";

/// Sessions of clients on the whole server, and whether this user may not know what they do: the sessions of other
/// roles, for whoever lacks `pg_monitor`.
pub(super) const CLIENTS: &str = "SELECT pid, usename, host(client_addr), application_name, state, state_change, \
    NOT (pg_has_role('pg_read_all_stats', 'USAGE') OR pg_has_role(usesysid, 'USAGE')) \
    FROM pg_stat_activity WHERE usename IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend'";

const TRANSACTION_STATES: [&str; 2] = ["idle in transaction", "idle in transaction (aborted)"];

/// Sessions in the same state. The statement is there where it may tell the table, the process where it
/// waits for a lock.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    state: String,
    /// `Lock.tuple`; `running` for no wait.
    event: String,
    locked: Option<u32>,
    statement: Option<String>,
    sessions: u64,
}

/// Sessions of the database but the monitor's own.
pub(super) fn sample_sql(identity: &Identity) -> String {
    format!(
        "SELECT state, wait_event_type, wait_event, \
         CASE WHEN wait_event_type = 'Lock' THEN pid END, \
         CASE WHEN wait_event_type IN ('Lock', 'BufferPin') OR wait_event LIKE 'Buffer%' \
         OR wait_event LIKE 'DataFile%' THEN left(query, 500) END, count(*) \
         FROM pg_stat_get_activity(NULL) WHERE datid = {} AND pid <> {} \
         AND backend_type IN ('client backend', 'parallel worker') GROUP BY 1, 2, 3, 4, 5",
        identity.database, identity.pid
    )
}

/// Returns the session of a row of `CLIENTS`.
pub(super) fn seen(row: &[Option<String>]) -> Option<Seen> {
    let text = |index: usize| row.get(index).cloned().flatten();
    let hidden = text(6).as_deref() == Some("t");
    Some(Seen {
        number: number(row.first())?,
        user: text(1).unwrap_or_default(),
        from: text(2).unwrap_or_default(),
        application: text(3).unwrap_or_default(),
        runs: text(4).as_deref() == Some("active"),
        mark: (!hidden).then(|| text(5).unwrap_or_default()),
    })
}

impl Group {
    /// From a row of `sample_sql`; `None` for a session of which nothing may be known.
    pub(super) fn of(row: &[Option<String>]) -> Option<Self> {
        let text = |index: usize| row.get(index)?.as_deref();
        let state = text(0)?;
        let event = match (text(1), text(2)) {
            (Some(kind), Some(event)) => format!("{kind}.{event}"),
            _ => RUNNING.to_owned(),
        };
        let active = state == "active";
        Some(Self {
            state: state.to_owned(),
            locked: text(3).filter(|_| active).and_then(|pid| pid.parse().ok()),
            statement: text(4).filter(|_| active).map(str::to_owned),
            event,
            sessions: number(row.get(5))?,
        })
    }
}

/// Asks for the relations of the locks that sessions wait for; `None` where none does. A session that
/// waits for another transaction holds a lock on the row's tuple meanwhile, which has a relation.
pub(super) fn locks_sql(database: u32, groups: &[Group]) -> Option<String> {
    let pids: Vec<String> = groups
        .iter()
        .filter_map(|group| group.locked.map(|pid| pid.to_string()))
        .collect();
    (!pids.is_empty()).then(|| {
        format!(
            "SELECT l.pid, CASE WHEN c.relkind IN ('i', 'I') THEN 'index ' ELSE 'table ' END || c.relname \
             FROM pg_locks l JOIN pg_class c ON c.oid = l.relation \
             WHERE l.database = {database} AND l.pid IN ({}) \
             AND (NOT l.granted OR l.locktype IN ('tuple', 'page')) ORDER BY l.granted",
            pids.join(", ")
        )
    })
}

/// Process and relation from the rows of `locks_sql`.
pub(super) fn locks(rows: &[Vec<Option<String>>]) -> Vec<(u32, String)> {
    rows.iter()
        .filter_map(|row| match row.as_slice() {
            [Some(pid), Some(relation)] => Some((pid.parse().ok()?, relation.clone())),
            _ => None,
        })
        .collect()
}

/// Adds one moment.
pub(super) fn add(waits: &mut Waits, groups: &[Group], locks: &[(u32, String)], tables: &[String]) {
    waits.begin_moment();
    for group in groups {
        match group.state.as_str() {
            "active" | "fastpath function call" => {
                if group.locked.is_some() {
                    waits.add_locked(group.sessions);
                }
                let relation = relation(group, locks, tables);
                waits.add_active(&group.event, relation.as_ref(), group.sessions);
            }
            "idle" => waits.add_idle(group.sessions),
            state if TRANSACTION_STATES.contains(&state) => {
                waits.add_idle_in_transaction(group.sessions);
            }
            _ => (),
        }
    }
}

/// What the lock says, else the one table that the statement names.
fn relation(group: &Group, locks: &[(u32, String)], tables: &[String]) -> Option<Relation> {
    let of_lock = locks.iter().find(|(pid, _)| Some(*pid) == group.locked);
    if let Some((_, name)) = of_lock {
        return Some(Relation {
            name: name.clone(),
            told_by: "lock",
        });
    }
    let table = only_table(group.statement.as_deref()?, tables)?;
    Some(Relation {
        name: format!("table {table}"),
        told_by: "statement",
    })
}

/// The table that a statement names, if it names one only.
fn only_table<'a>(statement: &str, tables: &'a [String]) -> Option<&'a str> {
    let words: Vec<&str> = statement
        .split(|sign: char| !sign.is_alphanumeric() && sign != '_')
        .collect();
    let mut named = tables
        .iter()
        .filter(|table| words.iter().any(|word| word.eq_ignore_ascii_case(table)));
    named
        .next()
        .filter(|_| named.next().is_none())
        .map(String::as_str)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeMap;

    use super::*;

    fn group(values: [&str; 6]) -> Option<Group> {
        let row = values.map(|value| (!value.is_empty()).then(|| value.to_owned()));
        Group::of(&row)
    }

    fn tables() -> Vec<String> {
        ["branches", "tellers", "orders"]
            .map(str::to_owned)
            .to_vec()
    }

    #[test]
    fn a_moment_of_a_hot_row() {
        let update = "UPDATE branches SET balance = balance + $1 WHERE id = $2";
        let groups: Vec<Group> = [
            ["active", "Lock", "tuple", "71", update, "1"],
            ["active", "Lock", "transactionid", "72", update, "1"],
            ["active", "Lock", "transactionid", "73", update, "1"],
            [
                "active",
                "LWLock",
                "BufferContent",
                "",
                "INSERT INTO Orders VALUES ($1)",
                "2",
            ],
            ["active", "IO", "WALSync", "", "", "3"],
            ["active", "", "", "", "", "4"],
            ["idle in transaction", "Client", "ClientRead", "", "", "5"],
            [
                "idle in transaction (aborted)",
                "Client",
                "ClientRead",
                "",
                "",
                "1",
            ],
            ["idle", "Client", "ClientRead", "", "", "6"],
            ["disabled", "", "", "", "", "7"],
        ]
        .into_iter()
        .map(|values| group(values).unwrap())
        .collect();
        let locks = [
            (71, "table branches".to_owned()),
            (73, "index branches_pkey".to_owned()),
            (73, "table branches".to_owned()),
        ];
        let mut waits = Waits::default();
        add(&mut waits, &groups, &locks, &tables());
        let expected = BTreeMap::from([
            ("sampled_moments", 1.0),
            ("sampled_active", 12.0),
            ("sampled_idle_in_transaction", 6.0),
            ("sampled_idle", 6.0),
            ("wait_samples.Lock.tuple@lock:table branches", 1.0),
            (
                "wait_samples.Lock.transactionid@lock:index branches_pkey",
                1.0,
            ),
            (
                "wait_samples.Lock.transactionid@statement:table branches",
                1.0,
            ),
            (
                "wait_samples.LWLock.BufferContent@statement:table orders",
                2.0,
            ),
            ("wait_samples.IO.WALSync", 3.0),
            ("wait_samples.running", 4.0),
        ]);
        let counters: BTreeMap<String, f64> = waits.counters().collect();
        let found: BTreeMap<&str, f64> = counters
            .iter()
            .map(|(name, count)| (&**name, *count))
            .collect();
        assert_eq!(found, expected);
        let [_, (_, locked)] = waits.gauges();
        assert!((locked - 3.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_session_of_which_nothing_may_be_known_is_left_out() {
        assert_eq!(group(["", "", "", "", "", "1"]), None);
        assert_eq!(Group::of(&[]), None);
    }

    #[test]
    fn locks_are_asked_for_only_where_somebody_waits() {
        let runs = group(["active", "", "", "", "", "4"]).unwrap();
        let waits = group(["active", "Lock", "tuple", "71", "x", "1"]).unwrap();
        assert_eq!(locks_sql(5, &[runs]), None);
        let sql = locks_sql(5, &[waits]).unwrap();
        assert!(sql.contains("l.database = 5 AND l.pid IN (71)"));
    }

    #[test]
    fn a_statement_tells_the_table_only_where_it_names_one() {
        for (statement, table) in [
            ("DELETE FROM orders WHERE id = $1", Some("orders")),
            ("select * from ORDERS o where o.id = 1", Some("orders")),
            ("SELECT * FROM orders JOIN tellers USING (id)", None),
            ("SELECT * FROM orders_by_day", None),
            ("COMMIT", None),
        ] {
            assert_eq!(only_table(statement, &tables()), table, "{statement}");
        }
    }
}
