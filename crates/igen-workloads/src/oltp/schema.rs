//! Tables of iGenOLTP v1, in the driver's dialect.
//!
//! Amounts are whole numbers: decimal(12,2) holds them exactly in every database, in SQLite too
//! (which keeps them as integers), and statements take integer parameters only.

use igen_drivers::sqlite::{IDENTITY, Session};
use igen_engine::Failure;

/// Changes whenever a loaded database stops being usable.
pub(super) const VERSION: i64 = 1;

/// Creates the tables, without index, and says whose they are.
pub(super) fn create_tables(metadata: Metadata) -> String {
    format!(
        "CREATE TABLE igen_metadata (
            workload VARCHAR(20) NOT NULL,
            version INTEGER NOT NULL,
            seed BIGINT NOT NULL,
            customers INTEGER NOT NULL);
        INSERT INTO igen_metadata (workload, version, seed, customers)
            VALUES ('oltp', {version}, {seed}, {customers});
        CREATE TABLE customers (
            c_id INTEGER PRIMARY KEY,
            c_name VARCHAR(40) NOT NULL,
            c_address VARCHAR(60) NOT NULL,
            c_city VARCHAR(30) NOT NULL,
            c_phone CHAR(16) NOT NULL,
            c_credit DECIMAL(12,2) NOT NULL,
            c_balance DECIMAL(12,2) NOT NULL,
            c_since TIMESTAMP NOT NULL);
        CREATE TABLE orders (
            o_id {IDENTITY},
            o_c_id INTEGER NOT NULL,
            o_date TIMESTAMP NOT NULL,
            o_status CHAR(1) NOT NULL,
            o_qty INTEGER NOT NULL,
            o_amount DECIMAL(12,2) NOT NULL,
            o_item VARCHAR(30) NOT NULL,
            o_comment VARCHAR(60) NOT NULL);",
        version = metadata.version,
        seed = metadata.seed.cast_signed(),
        customers = metadata.customers,
    )
}

/// Creates the index, after the rows: sorting once is faster than inserting in random order.
pub(super) const CREATE_INDEX: &str = "CREATE INDEX orders_by_customer ON orders (o_c_id)";

pub(super) const INSERT_CUSTOMER: &str = "INSERT INTO customers \
    (c_id, c_name, c_address, c_city, c_phone, c_credit, c_balance, c_since) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

pub(super) const INSERT_ORDER: &str = "INSERT INTO orders \
    (o_id, o_c_id, o_date, o_status, o_qty, o_amount, o_item, o_comment) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

/// With what a database was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Metadata {
    pub(super) version: i64,
    pub(super) seed: u64,
    pub(super) customers: u32,
}

impl Metadata {
    /// Reads it from a database; `None` if the database is iGen's, but not this workload's.
    pub(super) fn read(session: &Session) -> Result<Option<Self>, Failure> {
        let row = session.integers(
            "SELECT version, seed, customers FROM igen_metadata WHERE workload = 'oltp'",
        )?;
        Ok(row.as_deref().and_then(|row| match *row {
            [version, seed, customers] => Some(Self {
                version,
                seed: seed.cast_unsigned(),
                customers: u32::try_from(customers).ok()?,
            }),
            _ => None,
        }))
    }
}
