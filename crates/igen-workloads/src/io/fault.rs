//! What can be wrong with a block, and how it is called.

/// What is wrong with a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A whole block, but of an older write; `None` where it is older than the ledger.
    Lost {
        /// Which write.
        found: Option<u32>,
    },
    /// In part of an older write.
    Torn {
        /// Sectors of 512 bytes that are older.
        older: usize,
    },
    /// What belongs to another place.
    Misplaced {
        /// That place, in bytes.
        from: u64,
    },
    /// A block of iGen's in which bits are wrong, or that was never issued.
    Corrupt {
        /// Sectors of 512 bytes that are wrong.
        sectors: usize,
    },
    /// Nothing in it is iGen's.
    Foreign,
    /// The system cannot read it.
    Unreadable,
}

impl Fault {
    /// All kinds, in the order in which they are told.
    pub(super) const KINDS: [&'static str; 6] = [
        "lost",
        "torn",
        "misplaced",
        "corrupt",
        "foreign",
        "unreadable",
    ];

    /// One of `KINDS`.
    pub(super) fn kind(&self) -> &'static str {
        let index = match self {
            Self::Lost { .. } => 0,
            Self::Torn { .. } => 1,
            Self::Misplaced { .. } => 2,
            Self::Corrupt { .. } => 3,
            Self::Foreign => 4,
            Self::Unreadable => 5,
        };
        Self::KINDS[index]
    }

    /// In words: `write 4 is there instead of 5`.
    pub(super) fn describe(&self, required: u32) -> String {
        match self {
            Self::Lost { found: Some(found) } => {
                format!("write {found} is there instead of {required}")
            }
            Self::Lost { found: None } => {
                format!("what was there before is there instead of write {required}")
            }
            Self::Torn { older } => {
                format!("{older} of its sectors are older than write {required}")
            }
            Self::Misplaced { from } => format!("the block of byte {from} is there"),
            Self::Corrupt { sectors } => format!("{sectors} of its sectors are not as written"),
            Self::Foreign => "something is there that iGen has not written".to_owned(),
            Self::Unreadable => "it cannot be read".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_have_names_and_words() {
        let faults = [
            (
                Fault::Lost { found: Some(4) },
                "write 4 is there instead of 5",
            ),
            (
                Fault::Torn { older: 3 },
                "3 of its sectors are older than write 5",
            ),
            (
                Fault::Misplaced { from: 512 },
                "the block of byte 512 is there",
            ),
            (
                Fault::Corrupt { sectors: 1 },
                "1 of its sectors are not as written",
            ),
            (
                Fault::Foreign,
                "something is there that iGen has not written",
            ),
            (Fault::Unreadable, "it cannot be read"),
        ];
        for ((fault, words), kind) in faults.iter().zip(Fault::KINDS) {
            assert_eq!(fault.kind(), kind);
            assert_eq!(fault.describe(5), *words);
        }
    }
}
