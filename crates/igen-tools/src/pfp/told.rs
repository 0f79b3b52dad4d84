//! What is told of a share, however it was found.

use std::str::FromStr;

use igen_job::tool::{Table, Verdict};
use serde_json::json;

use super::share::{Advice, Estimate};

pub(super) const ENDED_EARLY: &str =
    "the program ended early: these figures cover its run until then";
/// Shares in percent: up to the first, a processor of this kind is recommended; above the second it is not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Thresholds {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl FromStr for Thresholds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once(',').and_then(|(low, high)| {
            let (low, high) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
            (0.0 <= low && low <= high && high <= 100.0).then_some(Self { low, high })
        });
        numbers.ok_or_else(|| "use two percentages, the lower first, such as 1,2".to_owned())
    }
}

/// What follows from a share that `text` tells.
pub(super) fn advised(advice: Advice, method: impl Into<String>, text: &str) -> Verdict {
    let processors = format!("{text}: processors with few floating-point units");
    match advice {
        Advice::Recommended => Verdict::good(method, format!("{processors} are recommended")),
        Advice::Possible => Verdict::finding(method, format!("{processors} are possible")),
        Advice::NotRecommended => {
            Verdict::finding(method, format!("{processors} are not recommended"))
        }
        Advice::CannotTell => Verdict::finding(method, format!("{text}: cannot tell")),
    }
}

/// `1 window`, `2 windows`.
pub(super) fn counted_windows(windows: u64) -> String {
    format!("{windows} window{}", if windows == 1 { "" } else { "s" })
}

/// A table of shares with their bounds.
pub(super) fn shares(
    title: &str,
    shares: impl IntoIterator<Item = (&'static str, Estimate)>,
) -> Table {
    let columns = [
        "floating_point",
        "share_percent",
        "low_percent",
        "high_percent",
    ];
    let mut table = Table::new("shares", title, &columns);
    for (name, share) in shares {
        table.row([
            json!(name),
            json!(share.percent),
            json!(share.low),
            json!(share.high),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_two_shares_in_order() {
        let read = |text: &str| Thresholds::from_str(text).ok();
        let usual = Thresholds {
            low: 1.0,
            high: 2.0,
        };
        assert_eq!(read("1,2"), Some(usual));
        for wrong in ["2,1", "1", "-1,2", "1,200", "a,b", "NaN,2"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
