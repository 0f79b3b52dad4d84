//! A connection: one write and one read for each statement.

use std::time::Duration;

use igen_net::{Bounds, GRACE, Stream, said};

use super::error::Error;
use super::packet::{HEADER, LONGEST_PAYLOAD, Reader, seal};
use super::row::{Column, add_row};
use super::statement::Statement;
use crate::server::protocol::{Answer, TextRows};
use crate::value::Rows;

const QUERY: u8 = 0x03;
const PREPARE: u8 = 0x16;

/// As many as a table may have.
const MOST_COLUMNS: u64 = 4096;
/// Results of one statement: a call has one for each statement of its procedure.
const MOST_RESULTS: u32 = 1000;

pub(super) const OK: u8 = 0x00;
const LOCAL_FILE: u8 = 0xFB;
/// The end of rows; asks for another plugin during authentication.
pub(super) const END: u8 = 0xFE;
pub(super) const ERROR: u8 = 0xFF;

/// A connection after authentication.
pub struct Connection {
    pub(super) stream: Stream,
    /// Bytes of the packet that is being read, with its header.
    pub(super) current: usize,
    /// Number of the next packet to send, if it belongs to the same exchange.
    pub(super) sequence: u8,
    /// Number of this connection, as the greeting announced it.
    pub(super) number: u32,
    pub(super) mariadb: bool,
    pub(super) caches_metadata: bool,
}

/// How a statement begins to answer.
enum Head {
    Done(Done),
    Rows {
        columns: u64,
        definitions_follow: bool,
    },
    LocalFile,
}

/// How a statement ends.
struct Done {
    changed: u64,
    warnings: u16,
    more_results: bool,
}

impl Connection {
    /// Returns true if the server is MariaDB rather than MySQL.
    pub(super) fn is_mariadb(&self) -> bool {
        self.mariadb
    }

    /// Limits the time of each statement. MySQL limits that of selects only, so that other
    /// statements are limited by their waits for locks.
    pub(super) async fn limit_statements(&mut self, limit: Option<Duration>) -> Result<(), Error> {
        self.stream
            .limit_silence(limit.map(|limit| limit + GRACE))?;
        let limit_s = limit.unwrap_or_default().as_secs_f64();
        let lock_s = limit_s.ceil();
        let limits = match (self.mariadb, limit) {
            (true, _) => format!("max_statement_time = {limit_s}"),
            (false, None) => "max_execution_time = 0".to_owned(),
            (false, Some(_)) => format!(
                "max_execution_time = {}, innodb_lock_wait_timeout = {lock_s}, \
                 lock_wait_timeout = {lock_s}",
                (limit_s * 1e3).ceil()
            ),
        };
        self.query(&format!("SET SESSION autocommit = 1, {limits}"))
            .await
            .map(|_| ())
    }

    /// Runs a prepared statement and reads all of its rows.
    pub(super) async fn execute(
        &mut self,
        statement: &mut Statement,
        parameters: &[i64],
    ) -> Result<Answer, Error> {
        let packet = statement
            .packet(parameters)
            .ok_or(Error::Protocol("wrong number of parameters"))?;
        self.send(packet).await?;
        let mut answer = Answer::default();
        for _result in 0..MOST_RESULTS {
            self.next().await?;
            let done = match self.head()? {
                Head::Done(done) => done,
                Head::Rows {
                    columns,
                    definitions_follow,
                } => {
                    if definitions_follow {
                        self.read_columns(columns, &mut statement.columns).await?;
                    }
                    self.read_rows(&statement.columns, &mut answer.rows).await?
                }
                Head::LocalFile => return Err(MALFORMED),
            };
            // A server may send any number.
            answer.changed = answer.changed.saturating_add(done.changed);
            if !done.more_results {
                statement.has_run();
                return Ok(answer);
            }
        }
        Err(Error::Protocol("more than 1000 results of one statement"))
    }

    /// Runs a statement without rows, a packet that `query_packet` made; `true`, because this server never
    /// rolls back instead of what was asked for.
    pub(super) async fn control(&mut self, packet: &[u8]) -> Result<bool, Error> {
        self.send(packet).await?;
        self.end().await.map(|_| true)
    }

    /// Prepares a statement.
    pub(super) async fn prepare(&mut self, sql: &str) -> Result<Statement, Error> {
        self.send(&packet(PREPARE, sql.as_bytes())).await?;
        self.next().await?;
        if self.payload().first() == Some(&ERROR) {
            return Err(Error::of_packet(self.payload()));
        }
        let mut reader = Reader::new(self.payload());
        let _ok = reader.byte();
        let (Some(id), Some(columns), Some(parameters)) =
            (reader.u32(), reader.u16(), reader.u16())
        else {
            return Err(MALFORMED);
        };
        let mut bounds = Bounds::default();
        for _parameter in 0..parameters {
            self.next().await?;
            bounds.part(self.current).map_err(Error::Protocol)?;
        }
        let mut described = Vec::new();
        self.read_columns(columns.into(), &mut described).await?;
        Ok(Statement::new(id, parameters.into(), described))
    }

    /// Runs a statement that is not prepared, and reads its rows.
    pub(super) async fn query(&mut self, sql: &str) -> Result<TextRows, Error> {
        self.send(&query_packet(sql)).await?;
        self.next().await?;
        let mut rows = TextRows::new();
        match self.head()? {
            Head::Done(_) => (),
            Head::Rows {
                columns,
                definitions_follow,
            } => {
                let mut bounds = Bounds::default();
                for _column in 0..if definitions_follow { columns } else { 0 } {
                    self.next().await?;
                    bounds.part(self.current).map_err(Error::Protocol)?;
                }
                loop {
                    self.next().await?;
                    bounds.part(self.current).map_err(Error::Protocol)?;
                    match self.payload() {
                        [END | ERROR, ..] => break,
                        row => rows.push(text_row(row, columns).ok_or(MALFORMED)?),
                    }
                }
                self.done()?;
            }
            Head::LocalFile => return Err(MALFORMED),
        }
        Ok(rows)
    }

    /// Starts a LOAD DATA LOCAL INFILE, whose rows `send_rows` sends.
    pub(super) async fn start_load(&mut self, sql: &str) -> Result<(), Error> {
        self.send(&query_packet(sql)).await?;
        self.next().await?;
        match self.head()? {
            Head::LocalFile => Ok(()),
            _ => Err(MALFORMED),
        }
    }

    /// Ends a load of `rows` rows. The server changes what does not fit and leaves out what is there
    /// already, with a warning: here that is an error.
    pub(super) async fn end_load(&mut self, rows: u64) -> Result<(), Error> {
        self.send_rows(|_nothing| ()).await?;
        let done = self.end().await?;
        if (done.changed, done.warnings) == (rows, 0) {
            return Ok(());
        }
        let warnings = self.query("SHOW WARNINGS LIMIT 1").await?;
        let warning = warnings.into_iter().flatten().flatten().next_back();
        Err(Error::Refused {
            text: format!(
                "only {} of {rows} rows were loaded: {}",
                done.changed,
                warning.unwrap_or_default()
            ),
            hint: "",
        })
    }

    /// Sends what `write` appends as a part of the rows of a load; nothing ends it.
    pub(super) async fn send_rows(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Error> {
        let output = self.stream.output();
        let start = output.len();
        output.extend([0; HEADER]);
        write(output);
        seal(output, start, self.sequence);
        self.sequence = self.sequence.wrapping_add(1);
        Ok(self.stream.flush().await?)
    }

    /// Reads the answer to a statement without rows.
    async fn end(&mut self) -> Result<Done, Error> {
        self.next().await?;
        match self.head()? {
            Head::Done(done) => Ok(done),
            _ => Err(MALFORMED),
        }
    }

    async fn send(&mut self, packet: &[u8]) -> Result<(), Error> {
        self.stream.output().extend_from_slice(packet);
        Ok(self.stream.flush().await?)
    }

    /// Goes on to the next packet.
    pub(super) async fn next(&mut self) -> Result<(), Error> {
        self.stream.consume(std::mem::take(&mut self.current));
        loop {
            let input = self.stream.input();
            if let Some(&[low, middle, high, sequence]) = input.first_chunk() {
                let length = u32::from_le_bytes([low, middle, high, 0]) as usize;
                if length == LONGEST_PAYLOAD {
                    return Err(Error::Protocol("an answer of more than 16 MiB"));
                }
                if input.len() >= HEADER + length {
                    self.current = HEADER + length;
                    self.sequence = sequence.wrapping_add(1);
                    return Ok(());
                }
            }
            self.stream.fill().await?;
        }
    }

    /// The payload of the packet that is being read.
    pub(super) fn payload(&self) -> &[u8] {
        self.stream
            .input()
            .get(HEADER..self.current)
            .unwrap_or_default()
    }

    fn head(&self) -> Result<Head, Error> {
        match self.payload() {
            [OK, ..] => self.done().map(Head::Done),
            [ERROR, ..] => Err(Error::of_packet(self.payload())),
            [LOCAL_FILE, ..] => Ok(Head::LocalFile),
            payload => {
                let mut reader = Reader::new(payload);
                let columns = reader.integer().filter(|columns| *columns <= MOST_COLUMNS);
                let columns = columns.ok_or(MALFORMED)?;
                Ok(Head::Rows {
                    columns,
                    definitions_follow: !self.caches_metadata || reader.byte() == Some(1),
                })
            }
        }
    }

    /// Reads how a statement, or its rows, ended.
    fn done(&self) -> Result<Done, Error> {
        const MORE_RESULTS: u16 = 8;
        let mut reader = Reader::new(self.payload());
        if reader.byte() == Some(ERROR) {
            return Err(Error::of_packet(self.payload()));
        }
        let (Some(changed), Some(_identity), Some(status), Some(warnings)) = (
            reader.integer(),
            reader.integer(),
            reader.u16(),
            reader.u16(),
        ) else {
            return Err(MALFORMED);
        };
        Ok(Done {
            changed,
            warnings,
            more_results: status & MORE_RESULTS != 0,
        })
    }

    async fn read_columns(&mut self, count: u64, columns: &mut Vec<Column>) -> Result<(), Error> {
        columns.clear();
        let mut bounds = Bounds::default();
        for _column in 0..count {
            self.next().await?;
            bounds.part(self.current).map_err(Error::Protocol)?;
            columns.push(Column::of_packet(self.payload()).ok_or(MALFORMED)?);
        }
        Ok(())
    }

    async fn read_rows(&mut self, columns: &[Column], rows: &mut Rows) -> Result<Done, Error> {
        loop {
            self.next().await?;
            match self.payload() {
                row @ [OK, ..] => {
                    add_row(row, columns, &mut rows.checksum).ok_or(MALFORMED)?;
                    rows.count += 1;
                }
                [END | ERROR, ..] => return self.done(),
                _ => return Err(MALFORMED),
            }
        }
    }
}

const MALFORMED: Error = Error::Protocol("malformed answer");

/// A packet that runs a statement that is not prepared.
pub(super) fn query_packet(sql: impl AsRef<[u8]>) -> Vec<u8> {
    packet(QUERY, sql.as_ref())
}

fn packet(command: u8, sql: &[u8]) -> Vec<u8> {
    let mut packet = vec![0; HEADER];
    packet.push(command);
    packet.extend_from_slice(sql);
    seal(&mut packet, 0, 0);
    packet
}

fn text_row(payload: &[u8], columns: u64) -> Option<Vec<Option<String>>> {
    const NULL: u8 = 0xFB;
    let mut reader = Reader::new(payload);
    let mut row = Vec::new();
    for _column in 0..columns {
        row.push(if reader.rest().first() == Some(&NULL) {
            reader.byte()?;
            None
        } else {
            Some(said(reader.text()?))
        });
    }
    Some(row)
}
