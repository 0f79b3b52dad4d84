//! Kinds of pages that memory can be made of.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Pages {
    /// Smallest pages of the processor, not transparent huge pages.
    #[serde(rename = "4k")]
    Small,
    /// Transparent huge pages, if the kernel has free ones.
    #[serde(rename = "thp")]
    Transparent,
    /// Huge pages of the usual size, from the pool that an administrator reserved.
    #[serde(rename = "hugetlb")]
    Hugetlb,
    /// Huge pages of 2 MiB, from their reserved pool.
    #[serde(rename = "2m")]
    Pool2m,
    /// Huge pages of 1 GiB, from their reserved pool.
    #[serde(rename = "1g")]
    Pool1g,
}

impl Pages {
    /// All kinds of pages.
    pub const ALL: [Self; 5] = [
        Self::Small,
        Self::Transparent,
        Self::Hugetlb,
        Self::Pool2m,
        Self::Pool1g,
    ];

    /// Returns the name in jobs and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Small => "4k",
            Self::Transparent => "thp",
            Self::Hugetlb => "hugetlb",
            Self::Pool2m => "2m",
            Self::Pool1g => "1g",
        }
    }

    /// Returns true if they come from a reserved pool.
    #[must_use]
    pub const fn is_pool(self) -> bool {
        matches!(self, Self::Hugetlb | Self::Pool2m | Self::Pool1g)
    }
}

impl fmt::Display for Pages {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Pages {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|pages| pages.name() == name);
        found.ok_or_else(|| format!("unknown kind of page `{name}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_job() {
        for pages in Pages::ALL {
            assert_eq!(serde_json::json!(pages), pages.name());
            assert_eq!(pages.name().parse(), Ok(pages));
        }
        assert!("4kB".parse::<Pages>().is_err());
    }
}
