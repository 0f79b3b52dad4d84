//! DuckDB's errors as failures of a transaction.

use igen_engine::{Failure, FailureKind};

/// Why a statement failed, from a text such as `Catalog Error: Table ... does not exist!`.
pub(super) fn failure(text: &str) -> Failure {
    let first = text.lines().next().unwrap_or_default().trim();
    let kind = first.split_once(" Error:").map_or("", |(kind, _)| kind);
    match kind {
        "TransactionContext" | "Transaction" if first.contains("onflict") => {
            Failure::new(FailureKind::Conflict, "transaction conflict")
        }
        "Constraint" if first.contains("onflict") => {
            Failure::new(FailureKind::Conflict, "write-write conflict")
        }
        "Constraint" => Failure::new(FailureKind::Other, "constraint violated"),
        "Out of Memory" => Failure::new(FailureKind::Other, "out of memory"),
        "FATAL" => Failure::anew(FailureKind::Other, "database is damaged"),
        _ if disk_full(first) => Failure::new(FailureKind::Device, "database or disk is full"),
        "IO" => Failure::anew(FailureKind::Device, "disk I/O error"),
        _ => Failure::new(FailureKind::Other, first.to_owned()),
    }
}

/// Returns true if the disk, or the limit for temporary files, is full.
pub(super) fn disk_full(text: &str) -> bool {
    text.contains("No space left") || text.contains("out of disk space")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_errors_are_told_apart_without_keys_in_the_reason() {
        for (text, expected) in [
            (
                "TransactionContext Error: Conflict on update!",
                Failure::new(FailureKind::Conflict, "transaction conflict"),
            ),
            (
                "Constraint Error: Duplicate key \"o_id: 17\" violates primary key constraint.",
                Failure::new(FailureKind::Other, "constraint violated"),
            ),
            (
                "IO Error: Could not write file \"/data/a.db\": No space left on device",
                Failure::new(FailureKind::Device, "database or disk is full"),
            ),
            (
                "IO Error: Could not read file \"/data/a.db\"",
                Failure::anew(FailureKind::Device, "disk I/O error"),
            ),
            (
                "Catalog Error: Table with name x does not exist!\nDid you mean \"y\"?",
                Failure::new(
                    FailureKind::Other,
                    "Catalog Error: Table with name x does not exist!",
                ),
            ),
        ] {
            assert_eq!(failure(text), expected, "{text}");
        }
    }
}
