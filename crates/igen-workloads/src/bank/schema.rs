//! Tables of `DebitCredit` v1, under the names and sizes of the definition of 1985: rows of 100 bytes,
//! of the history 50, by the widths of their columns.

use igen_sql::content::{Column, ColumnType, Content, Filled, Metadata, Table};

use super::generate::{Empty, Generator, Rows, filler_length};

/// Changes whenever a loaded database stops being usable.
const VERSION: i64 = 1;
/// Size of a loaded SQLite database; a test compares it with the size that it has.
pub(super) const BYTES_PER_BRANCH: u64 = 979_000;

const fn column(name: &'static str, kind: ColumnType) -> Column {
    Column { name, kind }
}

#[expect(clippy::cast_possible_truncation)]
const fn filler(name: &'static str, rows: Rows) -> Column {
    column(name, ColumnType::Character(filler_length(rows) as u16))
}

const BRANCHES: Table = Table {
    name: "branches",
    columns: &[
        column("b_id", ColumnType::Key),
        column("b_balance", ColumnType::BigInteger),
        filler("b_filler", Rows::Branches),
    ],
};

const TELLERS: Table = Table {
    name: "tellers",
    columns: &[
        column("t_id", ColumnType::Key),
        column("t_b_id", ColumnType::Integer),
        column("t_balance", ColumnType::BigInteger),
        filler("t_filler", Rows::Tellers),
    ],
};

const ACCOUNTS: Table = Table {
    name: "accounts",
    columns: &[
        column("a_id", ColumnType::Key),
        column("a_b_id", ColumnType::Integer),
        column("a_balance", ColumnType::BigInteger),
        filler("a_filler", Rows::Accounts),
    ],
};

/// A sequential file: no key, no index. The numbers of run, session and transaction stand where the
/// definition has nothing but filler.
const HISTORY: Table = Table {
    name: "history",
    columns: &[
        column("h_a_id", ColumnType::Integer),
        column("h_t_id", ColumnType::Integer),
        column("h_b_id", ColumnType::Integer),
        column("h_amount", ColumnType::Integer),
        column("h_time", ColumnType::Timestamp),
        column("h_run", ColumnType::Integer),
        column("h_session", ColumnType::Integer),
        column("h_number", ColumnType::Integer),
        column("h_filler", ColumnType::Character(14)),
    ],
};

/// What one database holds.
pub(super) fn content(workload: &'static str, generator: Generator) -> Content<'static> {
    let figures = [
        ("version", VERSION),
        ("seed", generator.seed().cast_signed()),
        ("branches", generator.branches()),
    ];
    let filled = |(table, rows): (&'static Table, Rows)| Filled {
        table,
        rows: generator.count(rows).cast_unsigned(),
        source: Box::new(move || generator.source(rows)),
    };
    let tables = [
        (&BRANCHES, Rows::Branches),
        (&TELLERS, Rows::Tellers),
        (&ACCOUNTS, Rows::Accounts),
    ];
    let history = Filled {
        table: &HISTORY,
        rows: 0,
        source: Box::new(|| Box::new(Empty)),
    };
    Content {
        workload,
        metadata: figures
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect::<Metadata>(),
        tables: tables.into_iter().map(filled).chain([history]).collect(),
        indexes: &[],
        bytes: generator.branches().cast_unsigned() * BYTES_PER_BRANCH,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_100_bytes_and_those_of_the_history_50() {
        let bytes = |table: &Table| -> u32 {
            let width = |column: &Column| match column.kind {
                ColumnType::Key | ColumnType::Integer => 4,
                ColumnType::BigInteger | ColumnType::Timestamp => 8,
                ColumnType::Character(length) => length.into(),
                other => panic!("{other:?} has no fixed width"),
            };
            table.columns.iter().map(width).sum()
        };
        for (table, expected) in [
            (&BRANCHES, 100),
            (&TELLERS, 100),
            (&ACCOUNTS, 100),
            (&HISTORY, 50),
        ] {
            assert_eq!(bytes(table), expected, "{}", table.name);
        }
    }
}
