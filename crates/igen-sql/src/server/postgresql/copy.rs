//! Loading the rows of a table: COPY in the binary format, over several connections at once.

use std::cell::Cell;

use super::connection::Connection;
use super::error::Error;
use crate::content::{Column, ColumnType, Filled, Table};
use crate::server::protocol::LOADERS;
use crate::value::Value;

/// Rows of one COPY. Its end lets the server write its log in the background; in a longer one the
/// connections wait for that whenever the few buffers that a COPY has must be used again. A load as a
/// whole takes 3 % less time than with 100,000.
const ROWS_PER_COPY: u64 = 20_000;
/// Rows are sent in parts of about this size.
const PART_BYTES: usize = 128 * 1024;
/// What a binary COPY begins with: a signature, flags, no extension.
const SIGNATURE: &[u8] = b"PGCOPY\n\xFF\r\n\0\0\0\0\0\0\0\0\0";
const END: [u8; 2] = (-1_i16).to_be_bytes();
/// 2000-01-01, from which the server counts.
const EPOCH_UNIX_S: i64 = 946_684_800;

/// Loads the rows of `filled`; `on_rows` is told how many have been sent since the last call.
pub(super) async fn load(
    connections: &mut [Connection; LOADERS],
    filled: &Filled<'_>,
    on_rows: &dyn Fn(u64),
) -> Result<(), Error> {
    let work = Work {
        filled,
        next: &Cell::new(0),
        on_rows,
    };
    let [a, b, c, d] = connections;
    tokio::try_join!(work.share(a), work.share(b), work.share(c), work.share(d))?;
    Ok(())
}

/// What connections share.
#[derive(Clone, Copy)]
struct Work<'a> {
    filled: &'a Filled<'a>,
    /// The first row that nobody has taken.
    next: &'a Cell<u64>,
    on_rows: &'a dyn Fn(u64),
}

impl Work<'_> {
    /// Loads rows as long as there are any.
    async fn share(self, connection: &mut Connection) -> Result<(), Error> {
        let table = self.filled.table;
        let mut source = (self.filled.source)();
        loop {
            let first = self.next.get();
            let end = self.filled.rows.min(first + ROWS_PER_COPY);
            if first == end {
                return Ok(());
            }
            self.next.set(end);
            connection.start_copy(&copy(table)).await?;
            let mut next = first;
            while next < end {
                let before = next;
                connection
                    .send_copy(|output| {
                        let start = output.len();
                        if next == first {
                            output.extend_from_slice(SIGNATURE);
                        }
                        while next < end && output.len() - start < PART_BYTES {
                            source.row(next, &mut |values| push_row(output, table.columns, values));
                            next += 1;
                        }
                        if next == end {
                            output.extend(END);
                        }
                    })
                    .await?;
                (self.on_rows)(next - before);
            }
            connection.end_copy().await?;
        }
    }
}

fn copy(table: &Table) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    format!(
        "COPY {} ({}) FROM STDIN (FORMAT BINARY)",
        table.name,
        names.join(", ")
    )
}

/// Appends a row: the number of its values, then each with its length before it.
fn push_row(output: &mut Vec<u8>, columns: &[Column], values: &[Value<'_>]) {
    let count = u16::try_from(values.len()).unwrap_or(u16::MAX);
    output.extend(count.to_be_bytes());
    for (column, value) in columns.iter().zip(values) {
        match (*value, column.kind) {
            (Value::Integer(integer), ColumnType::Key | ColumnType::Integer) => {
                // The schema says that it fits.
                let integer = i32::try_from(integer).unwrap_or(i32::MAX);
                push_value(output, &integer.to_be_bytes());
            }
            (Value::Integer(integer), ColumnType::Amount) => push_numeric(output, integer),
            (Value::Integer(integer), _) => push_value(output, &integer.to_be_bytes()),
            (Value::Text(text), _) => push_value(output, text.as_bytes()),
            (Value::Timestamp(unix_s), _) => {
                let micros = (unix_s - EPOCH_UNIX_S) * 1_000_000;
                push_value(output, &micros.to_be_bytes());
            }
        }
    }
}

fn push_value(output: &mut Vec<u8>, value: &[u8]) {
    let length = u32::try_from(value.len()).unwrap_or(u32::MAX);
    output.extend(length.to_be_bytes());
    output.extend_from_slice(value);
}

/// Appends a whole number as a numeric: digits of base 10,000, no zeros at either end.
fn push_numeric(output: &mut Vec<u8>, integer: i64) {
    const MOST_DIGITS: usize = 5;
    let mut digits = [0_u16; MOST_DIGITS];
    let mut rest = integer.unsigned_abs();
    let mut first = MOST_DIGITS;
    while rest > 0 {
        first -= 1;
        digits[first] = u16::try_from(rest % 10_000).unwrap_or_default();
        rest /= 10_000;
    }
    let digits = &digits[first..];
    let weight = u16::try_from(digits.len()).unwrap_or(1).wrapping_sub(1);
    let zeros = digits.iter().rev().take_while(|digit| **digit == 0).count();
    let digits = &digits[..digits.len() - zeros];
    let count = u16::try_from(digits.len()).unwrap_or_default();
    let sign = if integer < 0 { 0x4000 } else { 0 };
    let length = 8 + 2 * u32::from(count);
    output.extend(length.to_be_bytes());
    for word in [count, if count == 0 { 0 } else { weight }, sign, 2] {
        output.extend(word.to_be_bytes());
    }
    for digit in digits {
        output.extend(digit.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::Checksum;

    fn columns(kinds: &[ColumnType]) -> Vec<Column> {
        kinds
            .iter()
            .map(|&kind| Column { name: "x", kind })
            .collect()
    }

    #[test]
    fn a_row_is_written_as_the_server_wants_it() {
        let mut output = Vec::new();
        push_row(
            &mut output,
            &columns(&[ColumnType::Key, ColumnType::Text(9)]),
            &[Value::Integer(-2), Value::Text("abc")],
        );
        assert_eq!(output, b"\0\x02\0\0\0\x04\xFF\xFF\xFF\xFE\0\0\0\x03abc");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(integer: i64, unix_s in -62_000_000_000_i64..200_000_000_000) {
            // 16 digits and a sign, as far as five digits of base 10,000 surely reach.
            let amount = integer / 1_000;
            let values = [Value::Integer(integer), Value::Integer(amount), Value::Timestamp(unix_s)];
            let mut row = Vec::new();
            push_row(&mut row, &columns(&[ColumnType::BigInteger, ColumnType::Amount, ColumnType::Timestamp]), &values);
            let description = description(&[20, 1_700, 1_114]);
            let read = super::super::row::columns(&description).unwrap_or_default();
            let (mut found, mut expected) = (Checksum::default(), Checksum::default());
            prop_assert!(super::super::row::add(&row, &read, &mut found).is_some());
            expected.row(&values);
            prop_assert_eq!(found, expected);
        }
    }

    fn description(types: &[i32]) -> Vec<u8> {
        let mut body = vec![0, u8::try_from(types.len()).unwrap_or_default()];
        for oid in types {
            body.extend(b"x\0\0\0\0\0\0\0");
            body.extend(oid.to_be_bytes());
            body.extend([0; 8]);
        }
        body
    }
}
