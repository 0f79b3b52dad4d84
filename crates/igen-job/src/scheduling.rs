//! Ways in which the kernel gives processors to a program.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a load, or a program, is scheduled.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Scheduling {
    /// As everything else, with nice 0.
    Other,
    /// As a job that nobody waits for.
    Batch,
    /// Only when nobody else wants the processor.
    Idle,
    /// With nice -10.
    Nice,
    /// In a session of its own that has nice -10 as a whole: where autogroup is on, nice counts within a
    /// session only.
    Autogroup,
    /// As everything else, in slices of 100 ms (Linux 6.12 and later).
    Slice,
    /// At a fixed priority above everything else, until it waits.
    Fifo,
    /// The same, in turns with its like.
    Rr,
}

impl Scheduling {
    /// All of them, the usual one first.
    pub const ALL: [Self; 8] = [
        Self::Other,
        Self::Batch,
        Self::Idle,
        Self::Nice,
        Self::Autogroup,
        Self::Slice,
        Self::Fifo,
        Self::Rr,
    ];

    /// Its name in jobs and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Other => "other",
            Self::Batch => "batch",
            Self::Idle => "idle",
            Self::Nice => "nice",
            Self::Autogroup => "autogroup",
            Self::Slice => "slice",
            Self::Fifo => "fifo",
            Self::Rr => "rr",
        }
    }

    /// Returns true if a program that never waits would keep a processor for itself.
    #[must_use]
    pub const fn is_fixed(self) -> bool {
        matches!(self, Self::Fifo | Self::Rr)
    }
}

impl fmt::Display for Scheduling {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Scheduling {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|way| way.name() == name);
        found.ok_or_else(|| format!("there is no way `{name}` to schedule"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_job() {
        for way in Scheduling::ALL {
            assert_eq!(serde_json::json!(way), way.name());
            assert_eq!(way.name().parse(), Ok(way));
        }
        assert!("deadline".parse::<Scheduling>().is_err());
    }
}
