//! What counts mean: instructions per cycle and their like.

use std::collections::BTreeMap;

/// Counts by the name of their event.
pub(super) type Counts = BTreeMap<&'static str, f64>;

/// Ratios with their names; those whose events were not counted are absent.
pub(super) fn ratios(counts: &Counts) -> Vec<(&'static str, f64)> {
    let ratio = |name, above, below, factor: f64| {
        let below = *counts.get(below)?;
        (below > 0.0).then(|| Some((name, factor * counts.get(above)? / below)))?
    };
    [
        ratio("instructions per cycle", "instructions", "cycles", 1.0),
        ratio(
            "cycles without an instruction, frontend, %",
            "cycles without an instruction, frontend",
            "cycles",
            100.0,
        ),
        ratio(
            "cycles without an instruction, backend, %",
            "cycles without an instruction, backend",
            "cycles",
            100.0,
        ),
        ratio(
            "cache misses per 1,000 instructions",
            "cache misses",
            "instructions",
            1e3,
        ),
        ratio(
            "misses of the first cache per 1,000 instructions",
            "loads that missed the first cache",
            "instructions",
            1e3,
        ),
        ratio(
            "misses of the TLB per 1,000 instructions",
            "loads that missed the TLB",
            "instructions",
            1e3,
        ),
        ratio(
            "branches that were guessed wrong, %",
            "branch misses",
            "branches",
            100.0,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_counts_become_ratios() {
        // A sort of 1 GiB on a processor with counters.
        let counts = Counts::from([
            ("cycles", 2.0e9),
            ("instructions", 3.0e9),
            ("branches", 6.0e8),
            ("branch misses", 1.2e7),
            ("cache misses", 9.0e6),
        ]);
        let expected = [
            ("instructions per cycle", 1.5),
            ("cache misses per 1,000 instructions", 3.0),
            ("branches that were guessed wrong, %", 2.0),
        ];
        assert_eq!(ratios(&counts), expected);
        assert_eq!(ratios(&Counts::new()), []);
        assert_eq!(
            ratios(&Counts::from([("cycles", 0.0), ("instructions", 1.0)])),
            []
        );
    }
}
