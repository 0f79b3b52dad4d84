//! What one transaction is, for the report.

use igen_sql::{duckdb, sqlite};

use super::params::{Mode, Params};

/// One sentence on the boundaries of a transaction.
pub(super) fn text(target: &str, params: &Params) -> String {
    let engine = target.split_once(':').map_or("", |(scheme, _)| scheme);
    let place = match engine {
        sqlite::SCHEME | duckdb::SCHEME => "in process",
        _ => "one after another",
    };
    match (params.mode, params.read_only) {
        (Mode::Transaction, false) => {
            let (begin, wait) = match engine {
                sqlite::SCHEME => (
                    "BEGIN IMMEDIATE",
                    "BEGIN includes the wait for SQLite's single writer, polled every 0.5 ms; BEGIN is part \
                     of the response time, but not of an operation",
                ),
                duckdb::SCHEME => (
                    "BEGIN",
                    "BEGIN is part of the response time, but not of an operation; writers do not wait for each \
                     other: a transaction whose rows another one has changed is retried within the same \
                     response time",
                ),
                _ => (
                    "BEGIN",
                    "BEGIN is part of the response time, but not of an operation; after a deadlock or a \
                     serialization failure the transaction is retried within the same response time",
                ),
            };
            format!(
                "one database transaction: {begin}, six prepared statements, COMMIT (8 round trips, \
                 {place}); {wait}"
            )
        }
        (Mode::Transaction, true) => format!(
            "one read-only database transaction: BEGIN, four prepared selects, COMMIT \
             (6 round trips, {place})"
        ),
        (Mode::Autocommit, false) => format!(
            "six prepared statements, each in its own database transaction (6 round trips, {place})"
        ),
        (Mode::Autocommit, true) => format!(
            "four prepared selects, each in its own database transaction (4 round trips, {place})"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_is_described_by_its_own_way_to_keep_writers_apart() {
        const WAYS: [&str; 3] = [
            "SQLite's single writer",
            "another one has changed",
            "deadlock",
        ];
        for (engine, place, way) in [
            ("sqlite", "in process", WAYS[0]),
            ("duckdb", "in process", WAYS[1]),
            ("postgresql", "one after another", WAYS[2]),
            ("mysql", "one after another", WAYS[2]),
        ] {
            for (mode, read_only) in [
                (Mode::Transaction, false),
                (Mode::Transaction, true),
                (Mode::Autocommit, false),
                (Mode::Autocommit, true),
            ] {
                let params = Params {
                    mode,
                    read_only,
                    ..Params::default()
                };
                let said = text(&format!("{engine}:///shop"), &params);
                assert!(said.contains(place), "{engine}: {said}");
                let writes_together = mode == Mode::Transaction && !read_only;
                for other in WAYS {
                    let expected = writes_together && way == other;
                    assert_eq!(said.contains(other), expected, "{engine}: {said}");
                }
                assert_eq!(
                    said.contains("IMMEDIATE"),
                    writes_together && engine == "sqlite"
                );
            }
        }
    }
}
