//! Loading the rows of a table: from memory, over several connections at once.

use std::cell::Cell;

use super::connection::{Connection, query_packet};
use super::error::Error;
use crate::content::{Filled, Table};
use crate::server::protocol::LOADERS;
use crate::value::{Value, timestamp_text};

/// Rows of one statement: small enough that undoing it takes no time.
const ROWS_PER_STATEMENT: u64 = 50_000;
/// Rows are sent in parts of about this size.
const PART_BYTES: usize = 128 * 1024;

/// How rows reach the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// LOAD DATA LOCAL INFILE, which is the fastest.
    LoadData,
    /// INSERT of many rows, where the server has switched `local_infile` off.
    Insert,
}

/// Loads the rows of `filled`; `on_rows` is told how many have been sent since the last call. Where the
/// server locks a table with keys of its own for a whole LOAD DATA (`innodb_autoinc_lock_mode = 1`,
/// MariaDB's default) the connections take turns.
pub(super) async fn load(
    connections: &mut [Connection; LOADERS],
    way: Way,
    filled: &Filled<'_>,
    on_rows: &dyn Fn(u64),
) -> Result<(), Error> {
    let next = Cell::new(0);
    let work = Work {
        way,
        filled,
        next: &next,
        on_rows,
    };
    let [a, b, c, d] = connections;
    tokio::try_join!(work.share(a), work.share(b), work.share(c), work.share(d))?;
    Ok(())
}

/// What connections share.
#[derive(Clone, Copy)]
struct Work<'a> {
    way: Way,
    filled: &'a Filled<'a>,
    /// The first row that nobody has taken.
    next: &'a Cell<u64>,
    on_rows: &'a dyn Fn(u64),
}

impl Work<'_> {
    /// Loads rows as long as there are any.
    async fn share(self, connection: &mut Connection) -> Result<(), Error> {
        let mut source = (self.filled.source)();
        loop {
            let first = self.next.get();
            let end = self.filled.rows.min(first + ROWS_PER_STATEMENT);
            if first == end {
                return Ok(());
            }
            self.next.set(end);
            let mut rows = Rows {
                next: first,
                end,
                write: |index: u64, write: &mut dyn FnMut(&[Value<'_>])| source.row(index, write),
            };
            match self.way {
                Way::LoadData => self.load_data(connection, &mut rows).await?,
                Way::Insert => self.insert(connection, &mut rows).await?,
            }
        }
    }

    async fn load_data(
        self,
        connection: &mut Connection,
        rows: &mut Rows<impl WriteRow>,
    ) -> Result<(), Error> {
        let all = rows.end - rows.next;
        connection.start_load(&load_data(self.filled.table)).await?;
        while rows.next < rows.end {
            let before = rows.next;
            connection
                .send_rows(|output| rows.fill(output, push_line))
                .await?;
            (self.on_rows)(rows.next - before);
        }
        connection.end_load(all).await
    }

    async fn insert(
        self,
        connection: &mut Connection,
        rows: &mut Rows<impl WriteRow>,
    ) -> Result<(), Error> {
        let start = insert_into(self.filled.table);
        let mut sql = Vec::with_capacity(2 * PART_BYTES);
        while rows.next < rows.end {
            let before = rows.next;
            sql.clear();
            sql.extend(start.bytes());
            rows.fill(&mut sql, push_tuple);
            let _comma = sql.pop();
            connection.control(&query_packet(&sql)).await?;
            (self.on_rows)(rows.next - before);
        }
        Ok(())
    }
}

trait WriteRow: FnMut(u64, &mut dyn FnMut(&[Value<'_>])) {}
impl<F: FnMut(u64, &mut dyn FnMut(&[Value<'_>]))> WriteRow for F {}

/// The rows of one statement that are not yet written.
struct Rows<W> {
    next: u64,
    end: u64,
    write: W,
}

impl<W: WriteRow> Rows<W> {
    /// Appends rows to `output` until it is as long as a part should be.
    fn fill(&mut self, output: &mut Vec<u8>, push: fn(&mut Vec<u8>, &[Value<'_>])) {
        while self.next < self.end && output.len() < PART_BYTES {
            (self.write)(self.next, &mut |values| push(output, values));
            self.next += 1;
        }
    }
}

fn load_data(table: &Table) -> String {
    format!(
        "LOAD DATA LOCAL INFILE 'rows' INTO TABLE {} CHARACTER SET utf8mb4 ({})",
        table.name,
        columns(table)
    )
}

fn insert_into(table: &Table) -> String {
    format!("INSERT INTO {} ({}) VALUES ", table.name, columns(table))
}

fn columns(table: &Table) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    names.join(", ")
}

/// Appends a row as a line of LOAD DATA.
fn push_line(output: &mut Vec<u8>, values: &[Value<'_>]) {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            output.push(b'\t');
        }
        match *value {
            Value::Integer(integer) => push_integer(output, integer),
            Value::Text(text) => push_escaped(output, text),
            Value::Timestamp(unix_s) => output.extend(timestamp_text(unix_s)),
        }
    }
    output.push(b'\n');
}

/// Appends a row as a tuple of INSERT, and a comma.
fn push_tuple(output: &mut Vec<u8>, values: &[Value<'_>]) {
    for (index, value) in values.iter().enumerate() {
        output.push(if index == 0 { b'(' } else { b',' });
        match *value {
            Value::Integer(integer) => push_integer(output, integer),
            Value::Text(text) => {
                output.push(b'\'');
                push_escaped(output, text);
                output.push(b'\'');
            }
            Value::Timestamp(unix_s) => {
                output.push(b'\'');
                output.extend(timestamp_text(unix_s));
                output.push(b'\'');
            }
        }
    }
    output.extend(b"),");
}

/// Appends `text` for LOAD DATA and for INSERT alike.
fn push_escaped(output: &mut Vec<u8>, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'\t' => output.extend(b"\\t"),
            b'\n' => output.extend(b"\\n"),
            b'\r' => output.extend(b"\\r"),
            0 => output.extend(b"\\0"),
            b'\\' | b'\'' => output.extend([b'\\', byte]),
            _ => output.push(byte),
        }
    }
}

/// Appends the digits of `integer`. (Formatting would take most of the client's time.)
fn push_integer(output: &mut Vec<u8>, integer: i64) {
    const MOST_DIGITS: usize = 20;
    if integer < 0 {
        output.push(b'-');
    }
    let mut digits = [0; MOST_DIGITS];
    let mut start = MOST_DIGITS;
    let mut rest = integer.unsigned_abs();
    loop {
        start -= 1;
        digits[start] = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    output.extend_from_slice(&digits[start..]);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rows_are_written_for_both_ways() {
        let row = [
            Value::Integer(-7),
            Value::Text("it's\ta \\ and\nmore\0"),
            Value::Timestamp(0),
        ];
        let (mut line, mut tuple) = (Vec::new(), Vec::new());
        push_line(&mut line, &row);
        push_tuple(&mut tuple, &row);
        assert_eq!(
            String::from_utf8(line).unwrap(),
            "-7\tit\\'s\\ta \\\\ and\\nmore\\0\t1970-01-01 00:00:00\n"
        );
        assert_eq!(
            String::from_utf8(tuple).unwrap(),
            "(-7,'it\\'s\\ta \\\\ and\\nmore\\0','1970-01-01 00:00:00'),"
        );
    }

    proptest! {
        #[test]
        fn integers_are_written_in_full(integer: i64) {
            let mut output = Vec::new();
            push_integer(&mut output, integer);
            prop_assert_eq!(String::from_utf8(output).unwrap(), integer.to_string());
        }
    }

    #[test]
    fn the_least_integer_is_written() {
        let mut output = Vec::new();
        push_integer(&mut output, i64::MIN);
        assert_eq!(output, b"-9223372036854775808");
    }
}
