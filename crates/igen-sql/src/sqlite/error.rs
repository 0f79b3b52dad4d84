//! SQLite's errors as failures of a transaction.

use igen_engine::{Failure, FailureKind};
use rusqlite::ErrorCode;

/// Why a statement failed. The user is created anew if its connection cannot recover.
pub(super) fn failure(error: &rusqlite::Error) -> Failure {
    let Some(code) = error.sqlite_error() else {
        return Failure::new(FailureKind::Other, error.to_string());
    };
    match code.code {
        ErrorCode::DatabaseBusy => Failure::new(FailureKind::Other, "database is locked"),
        ErrorCode::DiskFull => Failure::new(FailureKind::Device, "database or disk is full"),
        ErrorCode::CannotOpen => {
            Failure::anew(FailureKind::Other, "unable to open the database file")
        }
        ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt => {
            Failure::anew(FailureKind::Other, "database is damaged")
        }
        ErrorCode::ReadOnly => Failure::anew(FailureKind::Other, "database is read-only"),
        ErrorCode::SystemIoFailure => Failure::anew(FailureKind::Device, "disk I/O error"),
        // The text of the statement or of a missing table, which no two tables share.
        ErrorCode::Unknown => Failure::new(FailureKind::Other, error.to_string()),
        _ => Failure::new(
            FailureKind::Other,
            rusqlite::ffi::code_to_str(code.extended_code),
        ),
    }
}
