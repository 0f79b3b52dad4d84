//! What a connection writes to the write-ahead log.
//!
//! The pages are SQLite's own count. It has none of flushes: with synchronous=full each commit flushes
//! the log once, with normal never (<https://sqlite.org/pragma.html#pragma_synchronous>). Those of
//! checkpoints, about three in 240 commits of `bank`, are not in it: 6,045 counted, 6,126 calls of fsync
//! in all by strace.

use rusqlite::{Connection, ffi};

use crate::settings::{Settings, Synchronous};
use crate::value::LogWritten;

/// Header before each page in the log.
const FRAME_HEADER_BYTES: u64 = 24;

/// Counts the commits that flush.
#[derive(Debug)]
pub(super) struct Log {
    flushes_at_commit: bool,
    writes: bool,
    flushes: u64,
    page_bytes: u64,
}

impl Log {
    /// The log of a connection to a database with pages of so many bytes.
    pub(super) fn of(settings: &Settings, page_bytes: u64) -> Self {
        Self {
            flushes_at_commit: settings.synchronous.unwrap_or_default() == Synchronous::Full,
            writes: false,
            flushes: 0,
            page_bytes,
        }
    }

    /// A transaction began.
    pub(super) fn begun(&mut self, writes: bool) {
        self.writes = writes;
    }

    /// It was committed.
    pub(super) fn committed(&mut self) {
        self.flushes += u64::from(self.writes && self.flushes_at_commit);
    }

    /// What `connection` has written to the log since it was last asked.
    pub(super) fn take(&mut self, connection: &Connection) -> LogWritten {
        let pages = take_pages_written(connection);
        LogWritten {
            writes: pages,
            flushes: std::mem::take(&mut self.flushes),
            bytes: pages * (FRAME_HEADER_BYTES + self.page_bytes),
        }
    }
}

/// Pages that the connection has written to the log since it was last asked.
#[expect(unsafe_code, reason = "rusqlite has no safe way to sqlite3_db_status")]
fn take_pages_written(connection: &Connection) -> u64 {
    let (mut pages, mut highest) = (0, 0);
    // SAFETY: the handle is open as long as the connection is borrowed, and both integers are there to
    // be written to.
    let code = unsafe {
        ffi::sqlite3_db_status(
            connection.handle(),
            ffi::SQLITE_DBSTATUS_CACHE_WRITE,
            &raw mut pages,
            &raw mut highest,
            1,
        )
    };
    if code == ffi::SQLITE_OK {
        u64::try_from(pages).unwrap_or_default()
    } else {
        0
    }
}
