//! What a workload wants to be in a database: tables, their rows and indexes, declared once for all
//! engines. Each driver writes the SQL of its dialect and loads the rows the fastest way it knows.

use std::collections::BTreeMap;

use crate::value::Value;

/// Said while another process loads the database.
pub(crate) const WAITING: &str = "waiting for another process to load the database";

/// A table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns, in order; all of them are not null.
    pub columns: &'static [Column],
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: ColumnType,
}

/// Types of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// A primary key of 32 bits.
    Key,
    /// A primary key of 64 bits, which the database assigns to rows that come without one.
    Identity,
    /// An integer of 32 bits.
    Integer,
    /// An integer of 64 bits.
    BigInteger,
    /// An amount: decimal(12,2), always a whole number here.
    Amount,
    /// A text of so many characters, blanks added at its end.
    Character(u16),
    /// A text of at most so many characters.
    Text(u16),
    /// Date and time without time zone, in whole seconds.
    Timestamp,
}

/// An index of one column, created after the rows: sorting once is faster than inserting in random
/// order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: &'static str,
    /// The table.
    pub table: &'static str,
    /// The column.
    pub column: &'static str,
}

/// Figures that a database was loaded with, by name: version, seed, sizes. Whoever finds other
/// figures finds another database.
pub type Metadata = BTreeMap<String, i64>;

/// Everything that a workload wants to be in a database; loaded as a whole or not at all.
pub struct Content<'a> {
    /// The workload, under whose name the metadata are kept.
    pub workload: &'static str,
    /// Figures that tell this content from another.
    pub metadata: Metadata,
    /// The tables.
    pub tables: Vec<Filled<'a>>,
    /// Indexes beside the primary keys.
    pub indexes: &'static [Index],
    /// Space it takes at most, for a check before an embedded database is loaded.
    pub bytes: u64,
}

impl Content<'_> {
    /// Returns the number of rows in all tables.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|filled| filled.rows).sum()
    }
}

/// A table and its rows.
pub struct Filled<'a> {
    /// The table.
    pub table: &'static Table,
    /// Number of rows.
    pub rows: u64,
    /// Makes a source of the rows, one for each thread that loads a part of them.
    pub source: Box<dyn Fn() -> Box<dyn RowSource> + Send + Sync + 'a>,
}

/// Makes the rows of one table, each from its number alone, so that threads can share the work and
/// loading needs no memory.
pub trait RowSource: Send {
    /// Hands the row of number `index`, counted from 0, to `write`: a value for each column.
    fn row(&mut self, index: u64, write: &mut dyn FnMut(&[Value<'_>]));
}

/// Content of a database under the names of a workload's tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing, or what an interrupted load left and the next one replaces.
    Nothing,
    /// Data that iGen loaded, with these figures.
    Igen(Metadata),
    /// Data that iGen loaded and that changed later: the reason why they cannot be used, such as
    /// `without its table orders`.
    Damaged(String),
    /// Any other data: the reason why they are not iGen's, such as `a table orders that iGen did not create`.
    Foreign(String),
}
