//! Ways in which the kernel gives processors to a program.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Scheduling of a load or a program.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Scheduling {
    /// Same as other programs, with nice 0.
    Other,
    /// Batch job: no user waits for it.
    Batch,
    /// Only if the processor is otherwise idle.
    Idle,
    /// Nice -10.
    Nice,
    /// Own session that has nice -10 as a whole: if autogroup is on, nice counts within a session only.
    Autogroup,
    /// Same as other programs, in slices of 100 ms (Linux 6.12 and later).
    Slice,
    /// Fixed priority above all other programs, until it waits.
    Fifo,
    /// Fixed priority as `fifo`, in turn with programs of the same priority.
    Rr,
}

impl Scheduling {
    /// All kinds of scheduling, the default first.
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

    /// Returns the name in jobs and on the command line.
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
        found.ok_or_else(|| format!("unknown scheduling `{name}`"))
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
