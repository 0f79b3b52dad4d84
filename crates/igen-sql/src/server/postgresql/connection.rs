//! A connection: one write and one read for each statement.

use std::time::Duration;

use igen_net::{Bounds, GRACE, Stream, said};

use super::error::Error;
use super::message::{self, Field, HEADER, Reader};
use super::row::{self, Column};
use super::statement::{Statement, numbered};
use crate::server::protocol::{Answer, TextRows};

const INT8: u32 = 20;

pub(super) const MALFORMED: Error = Error::Protocol("malformed answer");

/// A connection after authentication.
pub struct Connection {
    pub(super) stream: Stream,
    /// Bytes of the message that is being read, with its header.
    pub(super) current: usize,
    /// Number of the server's process, as `BackendKeyData` announced it.
    pub(super) process: Option<u32>,
}

/// How a statement ended.
#[derive(Debug, Default)]
struct Ended {
    answer: Answer,
    /// It was a rollback, perhaps instead of a commit.
    rolled_back: bool,
}

impl Connection {
    /// Returns true if nobody on the way can read along.
    pub(super) fn is_private(&self) -> bool {
        self.stream.is_private()
    }

    /// Lets the server end statements that take longer than `limit`; one that does not even do that
    /// counts as gone.
    pub(super) async fn limit_statements(&mut self, limit: Option<Duration>) -> Result<(), Error> {
        let limit_ms = limit.unwrap_or_default().as_millis();
        self.stream
            .limit_silence(limit.map(|limit| limit + GRACE))?;
        self.query(&format!("SET statement_timeout = {limit_ms}"))
            .await
            .map(|_| ())
    }

    /// Prepares `sql` under `name`; its parameters are integers of 64 bits.
    pub(super) async fn prepare(&mut self, name: &str, sql: &str) -> Result<Statement, Error> {
        let (sql, parameters) = numbered(sql);
        let output = self.stream.output();
        message::push(output, b'P', |body| {
            message::push_text(body, name);
            message::push_text(body, &sql);
            body.extend(u16::try_from(parameters).unwrap_or(u16::MAX).to_be_bytes());
            for _ in 0..parameters {
                body.extend(INT8.to_be_bytes());
            }
        });
        message::push(output, b'D', |body| {
            body.push(b'S');
            message::push_text(body, name);
        });
        message::push(output, b'S', |_| ());
        self.flush().await?;
        let (mut columns, mut failed) = (Vec::new(), None);
        let mut bounds = Bounds::default();
        loop {
            match self.next().await? {
                b'T' => columns = row::columns(self.body()).ok_or(MALFORMED)?,
                b'Z' => break,
                b'E' => failed = Some(Error::of_message(self.body())),
                _ => bounds.aside().map_err(Error::Protocol)?,
            }
            bounds.part(self.current).map_err(Error::Protocol)?;
        }
        match failed {
            Some(error) => Err(error),
            None => Ok(Statement::new(name, parameters, columns)),
        }
    }

    /// Runs a prepared statement and reads all of its rows.
    pub(super) async fn execute(
        &mut self,
        statement: &mut Statement,
        parameters: &[i64],
    ) -> Result<Answer, Error> {
        let messages = statement
            .messages(parameters)
            .ok_or(Error::Protocol("wrong number of parameters"))?;
        self.stream.output().extend_from_slice(messages);
        self.flush().await?;
        Ok(self.end(&statement.columns).await?.answer)
    }

    /// Runs a statement without rows, a message that `query_message` made; `false` for a rollback, perhaps
    /// instead of a commit.
    pub(super) async fn control(&mut self, message: &[u8]) -> Result<bool, Error> {
        self.stream.output().extend_from_slice(message);
        self.flush().await?;
        Ok(!self.end(&[]).await?.rolled_back)
    }

    /// Reads an answer up to the server's readiness for the next statement.
    async fn end(&mut self, columns: &[Column]) -> Result<Ended, Error> {
        let mut ended = Ended::default();
        let mut failed = None;
        let mut bounds = Bounds::default();
        loop {
            let kind = self.next().await?;
            let body = self.body();
            match kind {
                b'D' => {
                    row::add(body, columns, &mut ended.answer.rows.checksum).ok_or(MALFORMED)?;
                    ended.answer.rows.count += 1;
                }
                b'Z' => return failed.map_or(Ok(ended), Err),
                b'C' => {
                    ended.answer.changed = changed(body);
                    ended.rolled_back = body == b"ROLLBACK\0";
                    bounds.aside().map_err(Error::Protocol)?;
                }
                b'E' => {
                    failed = Some(Error::of_message(body));
                    bounds.aside().map_err(Error::Protocol)?;
                }
                // Bound, no data, notices, changed parameters.
                b'2' | b'n' | b'N' | b'S' | b'I' => bounds.aside().map_err(Error::Protocol)?,
                _ => return Err(MALFORMED),
            }
        }
    }

    /// Runs statements that are not prepared, and reads the rows of the last one.
    pub(super) async fn query(&mut self, sql: &str) -> Result<TextRows, Error> {
        self.stream.output().extend(query_message(sql));
        self.flush().await?;
        let (mut rows, mut failed) = (TextRows::new(), None);
        let mut bounds = Bounds::default();
        loop {
            let kind = self.next().await?;
            let body = self.body();
            match kind {
                b'T' => rows.clear(),
                b'D' => {
                    bounds.part(self.current).map_err(Error::Protocol)?;
                    rows.push(text_row(body).ok_or(MALFORMED)?);
                }
                b'Z' => return failed.map_or(Ok(rows), Err),
                b'E' => {
                    failed = Some(Error::of_message(body));
                    bounds.aside().map_err(Error::Protocol)?;
                }
                // Also the end of each of several statements.
                _ => bounds.aside().map_err(Error::Protocol)?,
            }
        }
    }

    /// Starts a COPY, whose rows `send_copy` sends.
    pub(super) async fn start_copy(&mut self, sql: &str) -> Result<(), Error> {
        self.stream.output().extend(query_message(sql));
        self.flush().await?;
        let mut bounds = Bounds::default();
        loop {
            match self.next().await? {
                b'G' => return Ok(()),
                b'E' => {
                    let error = Error::of_message(self.body());
                    self.ready().await?;
                    return Err(error);
                }
                b'N' => bounds.aside().map_err(Error::Protocol)?,
                _ => return Err(MALFORMED),
            }
        }
    }

    /// Sends what `write` appends as a part of the rows of a COPY.
    pub(super) async fn send_copy(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Error> {
        message::push(self.stream.output(), b'd', write);
        match self.flush().await {
            // The server says why before it stops to read.
            Err(_) => self.end_copy().await.map(|_| ()),
            sent => sent,
        }
    }

    /// Ends a COPY; returns the number of rows.
    pub(super) async fn end_copy(&mut self) -> Result<u64, Error> {
        self.stream.output().clear();
        message::push(self.stream.output(), b'c', |_| ());
        let _ = self.flush().await;
        self.end(&[]).await.map(|ended| ended.answer.changed)
    }

    pub(super) fn output(&mut self) -> &mut Vec<u8> {
        self.stream.output()
    }

    pub(super) async fn flush(&mut self) -> Result<(), Error> {
        Ok(self.stream.flush().await?)
    }

    /// Goes on to the next message; returns its type.
    #[inline]
    pub(super) async fn next(&mut self) -> Result<u8, Error> {
        self.stream.consume(std::mem::take(&mut self.current));
        loop {
            let input = self.stream.input();
            if let Some((kind, body)) = message::header(input).map_err(Error::Protocol)?
                && input.len() >= HEADER + body
            {
                self.current = HEADER + body;
                return Ok(kind);
            }
            self.stream.fill().await?;
        }
    }

    /// The body of the message that is being read.
    #[inline]
    pub(super) fn body(&self) -> &[u8] {
        self.stream
            .input()
            .get(HEADER..self.current)
            .unwrap_or_default()
    }
}

/// A message that runs statements that are not prepared.
pub(super) fn query_message(sql: &str) -> Vec<u8> {
    let mut query = Vec::new();
    message::push(&mut query, b'Q', |body| message::push_text(body, sql));
    query
}

/// Rows that a command changed: the last word of its tag, `INSERT 0 1`, `DELETE 1`, `COPY 5`.
fn changed(tag: &[u8]) -> u64 {
    let tag = tag.strip_suffix(b"\0").unwrap_or(tag);
    let digits = tag
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    tag[tag.len() - digits..]
        .iter()
        .fold(0, |number: u64, digit| {
            number
                .wrapping_mul(10)
                .wrapping_add(u64::from(digit - b'0'))
        })
}

fn text_row(body: &[u8]) -> Option<Vec<Option<String>>> {
    let mut reader = Reader::new(body);
    let columns = reader.i16()?;
    (0..columns)
        .map(|_| {
            Some(match reader.field()? {
                Field::Null => None,
                Field::Bytes(text) => Some(said(text)),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_ends_in_the_number_of_rows() {
        for (tag, rows) in [
            (&b"INSERT 0 1\0"[..], 1),
            (b"DELETE 12\0", 12),
            (b"COPY 1000000", 1_000_000),
            (b"BEGIN\0", 0),
            (b"", 0),
        ] {
            assert_eq!(changed(tag), rows);
        }
    }
}
