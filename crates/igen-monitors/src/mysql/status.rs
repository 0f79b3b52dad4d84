//! The server's counters.

use std::collections::HashMap;

use crate::server::Totals;

/// Status variable, name of the counter, and what one unit of the variable is in the counter's.
const COUNTERS: &[(&str, &str, f64)] = &[
    ("Com_commit", "commits", 1.0),
    ("Com_rollback", "rollbacks", 1.0),
    ("Questions", "statements", 1.0),
    ("Innodb_buffer_pool_reads", "blocks_read", 1.0),
    ("Innodb_rows_read", "rows_fetched", 1.0),
    ("Innodb_rows_inserted", "rows_inserted", 1.0),
    ("Innodb_rows_updated", "rows_updated", 1.0),
    ("Innodb_rows_deleted", "rows_deleted", 1.0),
    ("Innodb_row_lock_waits", "lock_waits", 1.0),
    ("Innodb_row_lock_time", "lock_wait_s", 1e-3),
    ("Innodb_deadlocks", "deadlocks", 1.0),
    ("Innodb_log_writes", "log_writes", 1.0),
    ("Innodb_os_log_written", "log_bytes", 1.0),
    ("Innodb_log_waits", "log_buffers_full", 1.0),
    ("Innodb_data_reads", "data_reads", 1.0),
    ("Innodb_data_writes", "data_writes", 1.0),
    ("Innodb_data_fsyncs", "data_flushes", 1.0),
    ("Created_tmp_disk_tables", "temporary_tables_on_disk", 1.0),
];

const GAUGES: &[(&str, &str)] = &[
    ("Threads_connected", "connections"),
    ("Threads_running", "running_sessions"),
    ("Innodb_row_lock_current_waits", "current_lock_waits"),
    ("Innodb_checkpoint_age", "checkpoint_age_bytes"),
];

const CACHE_REQUESTS: &str = "Innodb_buffer_pool_read_requests";
const LOG_FLUSHES: &str = "Innodb_os_log_fsyncs";
const DATA_FLUSHES: &str = "Innodb_data_fsyncs";

/// Asks for what is read.
pub(super) fn sql() -> String {
    let names = COUNTERS.iter().map(|(name, ..)| *name);
    let names = names.chain(GAUGES.iter().map(|(name, _)| *name));
    let names: Vec<String> = names
        .chain([CACHE_REQUESTS, LOG_FLUSHES])
        .map(|name| format!("'{name}'"))
        .collect();
    format!(
        "SHOW GLOBAL STATUS WHERE Variable_name IN ({})",
        names.join(", ")
    )
}

/// From the rows that `sql` gives; what this server does not have is left out.
pub(super) fn of(rows: &[Vec<Option<String>>]) -> Totals {
    let status: HashMap<&str, f64> = rows
        .iter()
        .filter_map(|row| match row.as_slice() {
            [Some(name), Some(value)] => Some((name.as_str(), value.parse().ok()?)),
            _ => None,
        })
        .collect();
    let mut totals = Totals::default();
    for (name, counter, unit) in COUNTERS {
        if let Some(value) = status.get(name) {
            totals.count(counter, value * unit);
        }
    }
    if let (Some(requests), Some(reads)) = (
        status.get(CACHE_REQUESTS),
        status.get("Innodb_buffer_pool_reads"),
    ) {
        totals.count("blocks_hit", (requests - reads).max(0.0));
    }
    if let Some(flushes) = status.get(LOG_FLUSHES).or(status.get(DATA_FLUSHES)) {
        totals.count("log_flushes", *flushes);
    }
    for (name, gauge) in GAUGES {
        if let Some(value) = status.get(name) {
            totals.gauges.insert((*gauge).to_owned(), *value);
        }
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rows: &[(&str, &str)]) -> Totals {
        let rows: Vec<Vec<Option<String>>> = rows
            .iter()
            .map(|(name, value)| vec![Some((*name).to_owned()), Some((*value).to_owned())])
            .collect();
        of(&rows)
    }

    #[test]
    fn variables_become_counters_with_units() {
        let totals = read(&[
            ("Com_commit", "4207"),
            ("Innodb_row_lock_time", "1500"),
            ("Innodb_buffer_pool_read_requests", "914"),
            ("Innodb_buffer_pool_reads", "165"),
            ("Threads_running", "3"),
            ("Innodb_os_log_fsyncs", "20"),
            ("Innodb_data_fsyncs", "90"),
        ]);
        for (name, expected) in [
            ("commits", 4207.0),
            ("lock_wait_s", 1.5),
            ("blocks_hit", 749.0),
            ("blocks_read", 165.0),
            ("log_flushes", 20.0),
            ("data_flushes", 90.0),
        ] {
            let found = totals.counters[name];
            assert!((found - expected).abs() < 1e-9, "{name}: {found}");
        }
        assert_eq!(totals.counters.len(), 6);
        assert_eq!(totals.gauges.len(), 1);
    }

    #[test]
    fn without_a_count_of_log_flushes_that_of_all_stands_for_it() {
        let totals = read(&[
            ("Innodb_data_fsyncs", "1506"),
            ("Innodb_log_writes", "many"),
        ]);
        assert_eq!(
            totals.counters.get("log_flushes"),
            totals.counters.get("data_flushes")
        );
        assert!(!totals.counters.contains_key("log_writes"));
    }

    #[test]
    fn every_variable_is_asked_for() {
        let sql = sql();
        for name in ["Com_commit", "Threads_running", CACHE_REQUESTS, LOG_FLUSHES] {
            assert!(sql.contains(&format!("'{name}'")), "{name}");
        }
    }
}
