//! SQLite's errors as failures of a transaction.

use igen_engine::Failure;
use rusqlite::ErrorCode;

/// Why a statement failed. The user is lost where its connection cannot recover.
pub(super) fn failure(error: &rusqlite::Error) -> Failure {
    let Some(code) = error.sqlite_error() else {
        return Failure::new(error.to_string());
    };
    match code.code {
        ErrorCode::DatabaseBusy => Failure::new("database is locked"),
        ErrorCode::DiskFull => Failure::new("database or disk is full"),
        ErrorCode::CannotOpen => Failure::lost("unable to open the database file"),
        ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt => {
            Failure::lost("database is damaged")
        }
        ErrorCode::ReadOnly => Failure::lost("database is read-only"),
        ErrorCode::SystemIoFailure => Failure::lost("disk I/O error"),
        // The text of the statement or of a missing table, which no two tables share.
        ErrorCode::Unknown => Failure::new(error.to_string()),
        _ => Failure::new(rusqlite::ffi::code_to_str(code.extended_code)),
    }
}
