//! What can be wrong with a block, and how it is called.

/// Sectors of 512 bytes of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sectors {
    pub(super) count: usize,
    /// Where the first of them is: bytes after the begin of the block.
    pub(super) first: u64,
}

impl Sectors {
    /// One more, which lies `distance` bytes after the begin of the block.
    pub(super) fn add(&mut self, distance: u64) {
        if self.count == 0 {
            self.first = distance;
        }
        self.count += 1;
    }

    /// Those of both.
    pub(super) fn and(self, other: Self) -> Self {
        let (one, two) = (self.count > 0, other.count > 0);
        let first = match (one, two) {
            (true, true) => self.first.min(other.first),
            (true, false) => self.first,
            (false, _) => other.first,
        };
        Self {
            count: self.count + other.count,
            first,
        }
    }

    /// In words, of a block at `offset`: `its sector at byte 512 is`, and what follows for one or for many.
    fn say(self, offset: u64, one: &str, many: &str) -> String {
        let first = offset + self.first;
        match self.count {
            1 => format!("its sector at byte {first} {one}"),
            count => format!("{count} of its sectors, the first at byte {first}, {many}"),
        }
    }
}

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
        /// Those that are older.
        older: Sectors,
    },
    /// Zeros where several writes were acknowledged: storage keeps the one or the other of them.
    Zeroed {
        /// Those that hold zeros.
        sectors: Sectors,
    },
    /// What belongs to another place.
    Misplaced {
        /// That place, in bytes.
        from: u64,
    },
    /// A block of iGen's in which bits are wrong, or that was never issued.
    Corrupt {
        /// Those that are wrong.
        sectors: Sectors,
    },
    /// Something in it is not iGen's.
    Foreign {
        /// Those that are not.
        sectors: Sectors,
    },
    /// The system cannot read it.
    Unreadable,
}

impl Fault {
    /// All kinds, in the order in which they are told.
    pub(super) const KINDS: [&'static str; 7] = [
        "lost",
        "torn",
        "zeroed",
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
            Self::Zeroed { .. } => 2,
            Self::Misplaced { .. } => 3,
            Self::Corrupt { .. } => 4,
            Self::Foreign { .. } => 5,
            Self::Unreadable => 6,
        };
        Self::KINDS[index]
    }

    /// In words: `write 4 is there instead of 5`. The block begins at byte `offset`.
    pub(super) fn describe(&self, offset: u64, required: u32) -> String {
        match self {
            Self::Lost { found: Some(found) } => {
                format!("write {found} is there instead of {required}")
            }
            Self::Lost { found: None } => {
                format!("what was there before is there instead of write {required}")
            }
            Self::Torn { older } => {
                let than = format!("older than write {required}");
                older.say(offset, &format!("is {than}"), &format!("are {than}"))
            }
            Self::Zeroed { sectors } => {
                let of = format!("zeros, and not write {required}");
                sectors.say(offset, &format!("holds {of}"), &format!("hold {of}"))
            }
            Self::Misplaced { from } => format!("the block of byte {from} is there"),
            Self::Corrupt { sectors } => {
                sectors.say(offset, "is not as written", "are not as written")
            }
            Self::Foreign { sectors } => {
                let what = "something that iGen has not written";
                sectors.say(offset, &format!("holds {what}"), &format!("hold {what}"))
            }
            Self::Unreadable => "it cannot be read".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_have_names_and_words() {
        let sectors = |count, first| Sectors { count, first };
        let faults = [
            (
                Fault::Lost { found: Some(4) },
                "write 4 is there instead of 5",
            ),
            (
                Fault::Torn {
                    older: sectors(3, 1024),
                },
                "3 of its sectors, the first at byte 9216, are older than write 5",
            ),
            (
                Fault::Zeroed {
                    sectors: sectors(1, 512),
                },
                "its sector at byte 8704 holds zeros, and not write 5",
            ),
            (
                Fault::Misplaced { from: 512 },
                "the block of byte 512 is there",
            ),
            (
                Fault::Corrupt {
                    sectors: sectors(1, 512),
                },
                "its sector at byte 8704 is not as written",
            ),
            (
                Fault::Foreign {
                    sectors: sectors(1, 0),
                },
                "its sector at byte 8192 holds something that iGen has not written",
            ),
            (Fault::Unreadable, "it cannot be read"),
        ];
        for ((fault, words), kind) in faults.iter().zip(Fault::KINDS) {
            assert_eq!(fault.kind(), kind);
            assert_eq!(fault.describe(8192, 5), *words);
        }
    }
}
