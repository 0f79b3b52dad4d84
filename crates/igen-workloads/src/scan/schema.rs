//! What is loaded into a database: some of the tables, and their rows.

use igen_sql::content::{Content, Filled, Metadata};

use super::generate::{Generator, Rows};
use super::table::Name;

/// Changes whenever a loaded database stops being usable.
const VERSION: i64 = 1;

/// Space for blocks of DuckDB that are not full, beside a quarter more than the nominal size: SQLite
/// takes a sixth more for the smallest records.
const SPARE_BYTES: u64 = 4 << 20;

/// A database with `tables` of `size_bytes` each.
pub(super) fn content(
    workload: &'static str,
    seed: u64,
    tables: &[Name],
    size_bytes: u64,
) -> Content<'static> {
    let rows = tables.iter().map(|name| {
        let rows = i64::try_from(name.rows(size_bytes)).unwrap_or(i64::MAX);
        (format!("rows_{}", name.table().name), rows)
    });
    let figures = [("version", VERSION), ("seed", seed.cast_signed())];
    let figures = figures.map(|(name, value)| (name.to_owned(), value));
    Content {
        workload,
        metadata: figures.into_iter().chain(rows).collect::<Metadata>(),
        tables: tables
            .iter()
            .map(|&name| Filled {
                table: name.table(),
                rows: name.rows(size_bytes),
                source: Box::new(move || Box::new(Rows::new(Generator::new(seed, name)))),
            })
            .collect(),
        indexes: &[],
        bytes: SPARE_BYTES + size_bytes.saturating_mul(tables.len() as u64) / 4 * 5,
    }
}
