//! Connections to an open database file and their prepared statements.

use std::ptr::null_mut;

use igen_engine::{Failure, FailureKind};

use super::functions::{Handle, Library, RawResult};
use super::{Answer, SUCCESS, c_text, text_of};
use crate::duckdb::error::failure;
use crate::duckdb::shared::Shared;

/// A connection; it may move to another thread, but serves one at a time.
pub(in crate::duckdb) struct Connection {
    pub(super) library: &'static Library,
    pub(super) handle: Handle,
    /// Given up after the connection is closed.
    _file: Shared,
}

// SAFETY: DuckDB binds a connection to no thread, and `&mut` keeps it to one at a time.
unsafe impl Send for Connection {}

impl Connection {
    pub(in crate::duckdb) fn new(file: Shared) -> Result<Self, Failure> {
        let Some(instance) = file.instance() else {
            return Err(Failure::anew(FailureKind::Other, "the database is closed"));
        };
        let library = instance.library;
        let mut handle = null_mut();
        // SAFETY: the database is open; `handle` is a place for a handle.
        let state = unsafe { (library.duckdb_connect)(instance.handle, &raw mut handle) };
        if state != SUCCESS {
            return Err(Failure::anew(FailureKind::Other, "unable to connect"));
        }
        Ok(Self {
            library,
            handle,
            _file: file,
        })
    }

    /// Runs statements and returns the outcome of the last one.
    pub(in crate::duckdb) fn query(&mut self, sql: &str) -> Result<Answer, Failure> {
        let sql = c_text(sql)?;
        let mut raw = RawResult::EMPTY;
        // SAFETY: the connection is live, the text ends with a zero byte, `raw` is a place for a
        // result, which `Answer` frees whatever the outcome.
        let state = unsafe { (self.library.duckdb_query)(self.handle, sql.as_ptr(), &raw mut raw) };
        Answer::new(self.library, raw, state)
    }

    /// Prepares a statement, which must be dropped before the connection.
    pub(in crate::duckdb) fn prepare(&mut self, sql: &str) -> Result<Prepared, Failure> {
        let library = self.library;
        let sql = c_text(sql)?;
        let mut handle = null_mut();
        // SAFETY: as for a query; `Prepared` frees the handle whatever the outcome.
        let state = unsafe { (library.duckdb_prepare)(self.handle, sql.as_ptr(), &raw mut handle) };
        let prepared = Prepared { library, handle };
        if state == SUCCESS {
            return Ok(prepared);
        }
        // SAFETY: a failed statement keeps its error until it is freed.
        let text = unsafe { text_of((library.duckdb_prepare_error)(handle)) };
        Err(failure(&text))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and nobody uses it any more.
        unsafe { (self.library.duckdb_disconnect)(&raw mut self.handle) };
    }
}

/// A prepared statement. It keeps what it needs of its connection alive.
pub(in crate::duckdb) struct Prepared {
    library: &'static Library,
    handle: Handle,
}

// SAFETY: as for a connection, with which it moves.
unsafe impl Send for Prepared {}

impl Prepared {
    /// Runs the statement with integers for its placeholders.
    pub(in crate::duckdb) fn run(&mut self, parameters: &[i64]) -> Result<Answer, Failure> {
        let library = self.library;
        for (position, parameter) in (1..).zip(parameters) {
            // SAFETY: the statement is live; a position that it does not have is an error.
            let state = unsafe { (library.duckdb_bind_int64)(self.handle, position, *parameter) };
            if state != SUCCESS {
                return Err(Failure::new(
                    FailureKind::Other,
                    "the statement has fewer placeholders",
                ));
            }
        }
        let mut raw = RawResult::EMPTY;
        // SAFETY: the statement is live and `raw` a place for a result, which `Answer` frees.
        let state = unsafe { (library.duckdb_execute_prepared)(self.handle, &raw mut raw) };
        Answer::new(library, raw, state)
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // SAFETY: freed once; a failed preparation must be freed too, and null may be.
        unsafe { (self.library.duckdb_destroy_prepare)(&raw mut self.handle) };
    }
}
