//! The four tables: as many bytes in each, in records of 19 to 8,232 bytes.

use igen_sql::content::{Column, ColumnType, Table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
                    kind: ColumnType::Integer,
                },
                Column {
                    name: "payload",
                    kind: ColumnType::Text($bytes),
                },
            ],
        };
    };
}

table!(TEN, "ten", 10);
table!(HUNDRED, "hundred", 100);
table!(THOUSAND, "thousand", 1_000);
table!(PAGE, "page", 8_000);
