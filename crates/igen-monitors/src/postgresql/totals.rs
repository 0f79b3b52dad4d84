//! The server's counters. Which columns a view has depends on the server's version: each row comes as JSON,
//! and what is not in it is left out.

use serde_json::{Map, Value};

use crate::server::Totals;

/// The views of this version that are read.
pub(super) const VIEWS: &str = "SELECT viewname FROM pg_views WHERE schemaname = 'pg_catalog' \
    AND viewname IN ('pg_stat_database', 'pg_stat_wal', 'pg_stat_bgwriter', 'pg_stat_checkpointer', \
    'pg_stat_io')";

/// View, column, name of the counter, and what one unit of the column is in the counter's.
const COUNTERS: &[(&str, &str, &str, f64)] = &[
    ("pg_stat_database", "xact_commit", "commits", 1.0),
    ("pg_stat_database", "xact_rollback", "rollbacks", 1.0),
    ("pg_stat_database", "blks_read", "blocks_read", 1.0),
    ("pg_stat_database", "blks_hit", "blocks_hit", 1.0),
    ("pg_stat_database", "tup_returned", "rows_scanned", 1.0),
    ("pg_stat_database", "tup_fetched", "rows_fetched", 1.0),
    ("pg_stat_database", "tup_inserted", "rows_inserted", 1.0),
    ("pg_stat_database", "tup_updated", "rows_updated", 1.0),
    ("pg_stat_database", "tup_deleted", "rows_deleted", 1.0),
    ("pg_stat_database", "deadlocks", "deadlocks", 1.0),
    ("pg_stat_database", "temp_bytes", "temporary_bytes", 1.0),
    ("pg_stat_wal", "wal_records", "log_records", 1.0),
    ("pg_stat_wal", "wal_fpi", "log_full_page_images", 1.0),
    ("pg_stat_wal", "wal_bytes", "log_bytes", 1.0),
    ("pg_stat_wal", "wal_buffers_full", "log_buffers_full", 1.0),
    // Up to PostgreSQL 17; then in pg_stat_io.
    ("pg_stat_wal", "wal_write", "log_writes", 1.0),
    ("pg_stat_wal", "wal_sync", "log_flushes", 1.0),
    // Up to PostgreSQL 16; then in pg_stat_checkpointer.
    (
        "pg_stat_bgwriter",
        "checkpoints_timed",
        "checkpoints_timed",
        1.0,
    ),
    (
        "pg_stat_bgwriter",
        "checkpoints_req",
        "checkpoints_requested",
        1.0,
    ),
    (
        "pg_stat_bgwriter",
        "buffers_checkpoint",
        "checkpoint_blocks",
        1.0,
    ),
    (
        "pg_stat_bgwriter",
        "checkpoint_write_time",
        "checkpoint_write_s",
        1e-3,
    ),
    (
        "pg_stat_bgwriter",
        "checkpoint_sync_time",
        "checkpoint_sync_s",
        1e-3,
    ),
    (
        "pg_stat_bgwriter",
        "buffers_clean",
        "background_blocks",
        1.0,
    ),
    ("pg_stat_bgwriter", "buffers_backend", "session_blocks", 1.0),
    (
        "pg_stat_checkpointer",
        "num_timed",
        "checkpoints_timed",
        1.0,
    ),
    (
        "pg_stat_checkpointer",
        "num_requested",
        "checkpoints_requested",
        1.0,
    ),
    (
        "pg_stat_checkpointer",
        "buffers_written",
        "checkpoint_blocks",
        1.0,
    ),
    (
        "pg_stat_checkpointer",
        "write_time",
        "checkpoint_write_s",
        1e-3,
    ),
    (
        "pg_stat_checkpointer",
        "sync_time",
        "checkpoint_sync_s",
        1e-3,
    ),
];

/// Columns of `pg_stat_io` by its `object`; the rows of all kinds of processes are added up.
const IO_COUNTERS: &[(&str, &str, &str)] = &[
    ("relation", "reads", "data_reads"),
    ("relation", "writes", "data_writes"),
    ("relation", "extends", "data_extends"),
    ("relation", "fsyncs", "data_flushes"),
    // From PostgreSQL 18 on.
    ("wal", "writes", "log_writes"),
    ("wal", "fsyncs", "log_flushes"),
];

/// One statement for all views that there are: rows of name and JSON.
pub(super) fn sql(views: &[Vec<Option<String>>]) -> String {
    let selects: Vec<String> = views
        .iter()
        .flatten()
        .flatten()
        .map(|view| {
            let condition = match view.as_str() {
                "pg_stat_database" => " WHERE x.datname = current_database()",
                "pg_stat_io" => {
                    " WHERE x.reads > 0 OR x.writes > 0 OR x.extends > 0 OR x.fsyncs > 0"
                }
                _ => "",
            };
            format!("SELECT '{view}', to_json(x) FROM {view} x{condition}")
        })
        .collect();
    selects.join(" UNION ALL ")
}

/// From the rows that `sql` gives.
pub(super) fn of(rows: &[Vec<Option<String>>]) -> Totals {
    let mut totals = Totals::default();
    for row in rows {
        let [Some(view), Some(json)] = row.as_slice() else {
            continue;
        };
        let Ok(columns) = serde_json::from_str::<Map<String, Value>>(json) else {
            continue;
        };
        let value = |column: &str| columns.get(column).and_then(Value::as_f64);
        if view == "pg_stat_io" {
            let object = columns.get("object").and_then(Value::as_str);
            for (_, column, counter) in IO_COUNTERS.iter().filter(|(of, ..)| Some(*of) == object) {
                totals.count(counter, value(column).unwrap_or_default());
            }
        }
        for (_, column, counter, unit) in COUNTERS.iter().filter(|(of, ..)| of == view) {
            if let Some(value) = value(column) {
                totals.count(counter, value * unit);
            }
        }
        if let Some(connections) = value("numbackends") {
            totals.gauges.insert("connections".to_owned(), connections);
        }
    }
    totals
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn read(rows: &[(&str, &str)]) -> BTreeMap<String, f64> {
        let rows: Vec<Vec<Option<String>>> = rows
            .iter()
            .map(|(view, json)| vec![Some((*view).to_owned()), Some((*json).to_owned())])
            .collect();
        of(&rows).counters
    }

    fn counters(expected: &[(&str, f64)]) -> BTreeMap<String, f64> {
        expected
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect()
    }

    #[test]
    fn the_views_of_version_15() {
        let found = read(&[
            (
                "pg_stat_database",
                r#"{"datname":"shop","numbackends":17,"xact_commit":1766,"xact_rollback":1,
                "blks_read":1996,"blks_hit":92370,"tup_returned":129956,"tup_fetched":7627,
                "tup_inserted":101794,"tup_updated":5072,"tup_deleted":0,"conflicts":0,"temp_files":4,
                "temp_bytes":2031616,"deadlocks":3,"checksum_failures":null,"stats_reset":null}"#,
            ),
            (
                "pg_stat_wal",
                r#"{"wal_records":43576,"wal_fpi":1739,"wal_bytes":23733481,"wal_buffers_full":813,
                "wal_write":3265,"wal_sync":1716,"wal_write_time":0,"wal_sync_time":0,
                "stats_reset":"2026-11-21T05:57:21.536374+00:00"}"#,
            ),
            (
                "pg_stat_bgwriter",
                r#"{"checkpoints_timed":1,"checkpoints_req":2,"checkpoint_write_time":1500,
                "checkpoint_sync_time":0,"buffers_checkpoint":272,"buffers_clean":5,"buffers_backend":2068}"#,
            ),
        ]);
        let expected = counters(&[
            ("commits", 1766.0),
            ("rollbacks", 1.0),
            ("blocks_read", 1996.0),
            ("blocks_hit", 92370.0),
            ("rows_scanned", 129_956.0),
            ("rows_fetched", 7627.0),
            ("rows_inserted", 101_794.0),
            ("rows_updated", 5072.0),
            ("rows_deleted", 0.0),
            ("deadlocks", 3.0),
            ("temporary_bytes", 2_031_616.0),
            ("log_records", 43576.0),
            ("log_full_page_images", 1739.0),
            ("log_bytes", 23_733_481.0),
            ("log_buffers_full", 813.0),
            ("log_writes", 3265.0),
            ("log_flushes", 1716.0),
            ("checkpoints_timed", 1.0),
            ("checkpoints_requested", 2.0),
            ("checkpoint_write_s", 1.5),
            ("checkpoint_sync_s", 0.0),
            ("checkpoint_blocks", 272.0),
            ("background_blocks", 5.0),
            ("session_blocks", 2068.0),
        ]);
        assert_eq!(found, expected);
    }

    #[test]
    fn version_18_has_its_log_and_checkpoints_elsewhere() {
        let found = read(&[
            (
                "pg_stat_wal",
                r#"{"wal_records":4,"wal_fpi":1,"wal_bytes":900}"#,
            ),
            (
                "pg_stat_io",
                r#"{"backend_type":"client backend","object":"wal","context":"normal","reads":null,
                "writes":30,"write_bytes":245760,"extends":null,"fsyncs":20}"#,
            ),
            (
                "pg_stat_io",
                r#"{"backend_type":"walwriter","object":"wal","context":"normal","writes":3,"fsyncs":2}"#,
            ),
            (
                "pg_stat_io",
                r#"{"backend_type":"client backend","object":"relation","reads":7,"writes":0,
                "extends":1,"fsyncs":0}"#,
            ),
            (
                "pg_stat_checkpointer",
                r#"{"num_timed":2,"num_requested":1,"write_time":250.0}"#,
            ),
            (
                "pg_stat_bgwriter",
                r#"{"buffers_clean":5,"maxwritten_clean":0}"#,
            ),
        ]);
        let expected = counters(&[
            ("log_records", 4.0),
            ("log_full_page_images", 1.0),
            ("log_bytes", 900.0),
            ("log_writes", 33.0),
            ("log_flushes", 22.0),
            ("data_reads", 7.0),
            ("data_writes", 0.0),
            ("data_extends", 1.0),
            ("data_flushes", 0.0),
            ("checkpoints_timed", 2.0),
            ("checkpoints_requested", 1.0),
            ("checkpoint_write_s", 0.25),
            ("background_blocks", 5.0),
        ]);
        assert_eq!(found, expected);
    }

    #[test]
    fn only_views_that_exist_are_asked() {
        let views = ["pg_stat_database", "pg_stat_wal"].map(|view| vec![Some(view.to_owned())]);
        let sql = sql(&views);
        assert_eq!(sql.matches("to_json").count(), 2);
        assert!(!sql.contains("pg_stat_io"));
    }

    #[test]
    fn nothing_is_made_up() {
        assert!(read(&[("pg_stat_wal", "{}"), ("pg_stat_database", "no JSON")]).is_empty());
        assert!(of(&[vec![None, None], vec![]]).counters.is_empty());
    }
}
