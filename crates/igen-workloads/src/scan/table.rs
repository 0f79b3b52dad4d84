//! The four tables: as many bytes in each, in records of 19 to 8,232 bytes.

use igen_sql::content::{Column, Content, Filled, Kind, Metadata, Table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::generate::{Generator, Rows};

/// Changes whenever a loaded database stops being usable.
const VERSION: i64 = 1;

/// Space for blocks of DuckDB that are not full, beside a quarter more than the nominal size: SQLite
/// takes a sixth more for the smallest records.
const SPARE_BYTES: u64 = 4 << 20;

/// A table, named after the bytes of its payload.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Name {
    /// 10 bytes of payload, 19 a record as published.
    #[default]
    Ten,
    /// 100 bytes of payload, 112 a record as published.
    Hundred,
    /// 1,000 bytes of payload, 1,029 a record as published.
    Thousand,
    /// 8,000 bytes of payload, 8,232 a record as published.
    Page,
}

impl Name {
    pub(super) const ALL: [Self; 4] = [Self::Ten, Self::Hundred, Self::Thousand, Self::Page];

    /// How the database knows it.
    pub(super) fn table(self) -> &'static Table {
        match self {
            Self::Ten => &TEN,
            Self::Hundred => &HUNDRED,
            Self::Thousand => &THOUSAND,
            Self::Page => &PAGE,
        }
    }

    /// Letters of the payload.
    pub(super) fn payload_bytes(self) -> u16 {
        match self {
            Self::Ten => 10,
            Self::Hundred => 100,
            Self::Thousand => 1_000,
            Self::Page => 8_000,
        }
    }

    /// Bytes of a record in the database that the published figures were measured with. Nominal:
    /// other engines need more or fewer, but MB/s shall be comparable.
    pub(super) fn record_bytes(self) -> u64 {
        match self {
            Self::Ten => 19,
            Self::Hundred => 112,
            Self::Thousand => 1_029,
            Self::Page => 8_232,
        }
    }

    /// Records of a table of `size_bytes`.
    pub(super) fn rows(self, size_bytes: u64) -> u64 {
        size_bytes / self.record_bytes()
    }
}

macro_rules! table {
    ($constant:ident, $name:literal, $bytes:literal) => {
        const $constant: Table = Table {
            name: $name,
            columns: &[
                Column {
                    name: "a",
                    kind: Kind::Integer,
                },
                Column {
                    name: "payload",
                    kind: Kind::Text($bytes),
                },
            ],
        };
    };
}

table!(TEN, "ten", 10);
table!(HUNDRED, "hundred", 100);
table!(THOUSAND, "thousand", 1_000);
table!(PAGE, "page", 8_000);

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
