//! Tables of iGenOLTP v1.
//!
//! Amounts are whole numbers: decimal(12,2) holds them exactly in every database, in SQLite too
//! (which keeps them as integers), and statements take integer parameters only.

use igen_sql::content::{Column, ColumnType, Content, Filled, Index, Metadata, Table};

use super::generate::{CustomerSource, Generator, OrderSource};

/// Changes whenever a loaded database stops being usable.
const VERSION: i64 = 2;
/// Space that must be free on SQLite: a quarter more than it takes, for the sort of the index and
/// the log.
const NEEDED_BYTES_PER_CUSTOMER: u64 = BYTES_PER_CUSTOMER + BYTES_PER_CUSTOMER / 4;
/// Size of a loaded SQLite database; a test compares it with the size that it has.
pub(super) const BYTES_PER_CUSTOMER: u64 = 1_171;

const fn column(name: &'static str, kind: ColumnType) -> Column {
    Column { name, kind }
}

const CUSTOMERS: Table = Table {
    name: "customers",
    columns: &[
        column("c_id", ColumnType::Key),
        column("c_name", ColumnType::Text(40)),
        column("c_address", ColumnType::Text(60)),
        column("c_city", ColumnType::Text(30)),
        column("c_phone", ColumnType::Character(16)),
        column("c_credit", ColumnType::Amount),
        column("c_balance", ColumnType::Amount),
        column("c_since", ColumnType::Timestamp),
    ],
};

const ORDERS: Table = Table {
    name: "orders",
    columns: &[
        column("o_id", ColumnType::Identity),
        column("o_c_id", ColumnType::Integer),
        column("o_date", ColumnType::Timestamp),
        column("o_status", ColumnType::Character(1)),
        column("o_qty", ColumnType::Integer),
        column("o_amount", ColumnType::Amount),
        column("o_item", ColumnType::Text(30)),
        column("o_comment", ColumnType::Text(60)),
    ],
};

const INDEXES: &[Index] = &[Index {
    name: "orders_by_customer",
    table: "orders",
    column: "o_c_id",
}];

/// What one shard holds.
pub(super) fn content(workload: &'static str, generator: Generator) -> Content<'static> {
    let figures = [
        ("version", VERSION),
        ("seed", generator.seed().cast_signed()),
        ("customers", generator.customers()),
        (FIRST_CUSTOMER, generator.first_customer()),
    ];
    Content {
        workload,
        metadata: figures
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect::<Metadata>(),
        tables: vec![
            Filled {
                table: &CUSTOMERS,
                rows: generator.customers().cast_unsigned(),
                source: Box::new(move || Box::new(CustomerSource::new(generator))),
            },
            Filled {
                table: &ORDERS,
                rows: generator.orders().cast_unsigned(),
                source: Box::new(move || Box::new(OrderSource::new(generator))),
            },
        ],
        indexes: INDEXES,
        bytes: generator.customers().cast_unsigned() * NEEDED_BYTES_PER_CUSTOMER,
    }
}

/// The figure that says which shard a database holds.
pub(super) const FIRST_CUSTOMER: &str = "first_customer";
