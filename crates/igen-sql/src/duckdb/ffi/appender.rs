//! DuckDB's fast way in: rows without SQL.

use std::ptr::{null, null_mut};

use super::functions::{Handle, Library, Timestamp};
use super::{Connection, SUCCESS, c_text, text_of};
use crate::duckdb::error::failure;
use crate::value::Value;
use igen_engine::Failure;

/// Appends rows to one table; `close` writes the last ones.
pub(in crate::duckdb) struct Appender<'a> {
    library: &'static Library,
    handle: Handle,
    /// Nobody else uses the connection meanwhile.
    _connection: &'a mut Connection,
}

impl<'a> Appender<'a> {
    pub(in crate::duckdb) fn new(
        connection: &'a mut Connection,
        table: &str,
    ) -> Result<Self, Failure> {
        let table = c_text(table)?;
        let mut handle = null_mut();
        // SAFETY: the connection is live, the text ends with a zero byte, null is the default
        // schema; the handle is freed whatever the outcome.
        let state = unsafe {
            (connection.library.duckdb_appender_create)(
                connection.handle,
                null(),
                table.as_ptr(),
                &raw mut handle,
            )
        };
        let appender = Self {
            library: connection.library,
            handle,
            _connection: connection,
        };
        appender.checked(state)?;
        Ok(appender)
    }

    /// Appends a row.
    pub(in crate::duckdb) fn append(&mut self, row: &[Value<'_>]) -> Result<(), Failure> {
        let library = self.library;
        for value in row {
            // SAFETY: the appender is live and copies a text before it returns.
            let state = unsafe {
                match *value {
                    Value::Integer(integer) => (library.duckdb_append_int64)(self.handle, integer),
                    Value::Text(text) => (library.duckdb_append_varchar_length)(
                        self.handle,
                        text.as_ptr().cast(),
                        text.len() as u64,
                    ),
                    Value::Timestamp(unix_s) => {
                        let timestamp = Timestamp(unix_s.saturating_mul(1_000_000));
                        (library.duckdb_append_timestamp)(self.handle, timestamp)
                    }
                }
            };
            self.checked(state)?;
        }
        // SAFETY: the appender is live.
        let state = unsafe { (library.duckdb_appender_end_row)(self.handle) };
        self.checked(state)
    }

    /// Writes what was appended.
    pub(in crate::duckdb) fn close(self) -> Result<(), Failure> {
        // SAFETY: the appender is live.
        let state = unsafe { (self.library.duckdb_appender_close)(self.handle) };
        self.checked(state)
    }

    fn checked(&self, state: u32) -> Result<(), Failure> {
        if state == SUCCESS {
            return Ok(());
        }
        // SAFETY: the appender keeps its error until it is freed.
        let text = unsafe { text_of((self.library.duckdb_appender_error)(self.handle)) };
        Err(failure(&text))
    }
}

impl Drop for Appender<'_> {
    fn drop(&mut self) {
        // SAFETY: freed once, before its connection.
        unsafe { (self.library.duckdb_appender_destroy)(&raw mut self.handle) };
    }
}
