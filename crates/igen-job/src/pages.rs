//! Kinds of pages that memory can be made of.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Pages {
    /// The processor's smallest ones: no transparent huge ones.
    #[serde(rename = "4k")]
    Small,
    /// Transparent huge ones, where the kernel finds them.
    #[serde(rename = "thp")]
    Transparent,
    /// Huge ones that an administrator has set aside, of the usual size.
    #[serde(rename = "hugetlb")]
    Hugetlb,
    /// The same, of 2 MiB.
    #[serde(rename = "2m")]
    Pool2m,
    /// The same, of 1 GiB.
    #[serde(rename = "1g")]
    Pool1g,
}

impl Pages {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Small,
        Self::Transparent,
        Self::Hugetlb,
        Self::Pool2m,
        Self::Pool1g,
    ];

    /// Its name in jobs and on the command line.
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

    /// Returns true if an administrator has set them aside.
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
        found.ok_or_else(|| format!("there are no pages `{name}`"))
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
