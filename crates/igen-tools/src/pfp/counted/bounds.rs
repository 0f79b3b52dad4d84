//! From counts to the share of floating-point instructions: what it is at least, and at most.

use super::lists::{List, Part, Rest, Sort};
use crate::pfp::share::Estimate;

/// What the counts say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    /// None where it is not counted apart.
    pub(super) arithmetic: Option<Estimate>,
    /// With comparisons and conversions; none where these are not counted.
    pub(super) floating: Option<Estimate>,
}

/// Shares in percent of all `instructions`; `counts` are those of the list's parts, in its order. The share itself is what
/// it is at most: where a count stands for one instruction.
pub(super) fn bounds(list: &List, instructions: f64, counts: &[f64]) -> Bounds {
    let percent = |count: f64| (100.0 * count / instructions.max(1.0)).min(100.0);
    let share = |wanted: &dyn Fn(Sort) -> bool| {
        let of = |factor: &dyn Fn(&Part) -> f64| -> f64 {
            let parts = list.parts.iter().zip(counts);
            let wanted = parts.filter(|(part, _)| wanted(part.sort));
            wanted.map(|(part, count)| factor(part) * count).sum()
        };
        let (low, high) = (percent(of(&|part| part.at_least)), percent(of(&|_| 1.0)));
        Estimate {
            percent: high,
            low,
            high,
        }
    };
    Bounds {
        arithmetic: (list.rest != Rest::Within).then(|| share(&|sort| sort == Sort::Arithmetic)),
        floating: (list.rest != Rest::Unknown).then(|| share(&|_| true)),
    }
}

impl Bounds {
    /// The share that decides: of all, or, where comparisons and conversions are not counted, of arithmetic: then it is only known
    /// from below.
    pub(super) fn decides(self) -> Option<Estimate> {
        self.floating.or(self.arithmetic)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::lists::list;
    use super::super::processor::Processor;
    use super::*;

    fn rounded(share: Option<Estimate>) -> Option<(f64, f64)> {
        let round = |percent: f64| (1000.0 * percent).round() / 1000.0;
        share.map(|share| {
            assert!((share.percent - share.high).abs() < 1e-9);
            (round(share.low), round(share.high))
        })
    }

    fn of(processor: Processor, instructions: f64, counts: &[f64]) -> [Option<(f64, f64)>; 2] {
        let list = list(processor).unwrap();
        assert_eq!(list.parts.len(), counts.len());
        let bounds = bounds(list, instructions, counts);
        [rounded(bounds.arithmetic), rounded(bounds.floating)]
    }

    #[test]
    fn recorded_counts_become_shares() {
        let (family, model) = (6, 0x5e);
        let skylake = Processor::Intel { family, model };
        // Published for a second of the video encoder Kvazaar by `perf stat`: instructions, and scalars of double precision.
        let recorded = of(skylake, 37_286_804_623.0, &[111_710_950.0, 0.0, 0.0]);
        assert_eq!(recorded, [Some((0.15, 0.3)), None]);
        // 100 fused instructions of 256 bits count as 200, and 300 others as 300: 400 of 1,000.
        let fused = of(skylake, 1000.0, &[300.0, 0.0, 200.0]);
        assert_eq!(fused, [Some((25.0, 50.0)), None]);
    }

    #[test]
    fn every_kind_of_list_has_the_share_within_its_bounds() {
        let amd = |family, model| Processor::Amd { family, model };
        // 10 instructions on 8 numbers each, in 1,000.
        assert_eq!(
            of(amd(0x17, 0x31), 1000.0, &[80.0]),
            [Some((0.5, 8.0)), None]
        );
        // Each kind once, twice as often as the one before: 1 to 32 are arithmetic, 64 and 128 are not.
        let kinds = (0..16).map(|kind| f64::from(1 << (kind % 8)));
        // And 51 of which some may be arithmetic.
        let counts: Vec<f64> = kinds
            .chain([10.0, 20.0, 18.0, 0.0, 1.0, 1.0, 1.0])
            .collect();
        assert_eq!(
            of(amd(0x1a, 0x02), 5100.0, &counts),
            [Some((1.235, 3.471)), Some((5.0, 11.0))]
        );
        let arm = |part, counts: &[f64]| of(Processor::Arm { part }, 1000.0, counts);
        assert_eq!(arm(0xd0c, &[100.0, 50.0]), [None, Some((10.0, 15.0))]);
        // Without scalars a program in vectors is not one without floating point.
        assert_eq!(arm(0xd40, &[0.0, 150.0, 50.0]), [None, Some((0.0, 20.0))]);
        assert_eq!(arm(0xd49, &[1.0, 20.0, 100.0]), [None, Some((12.1, 12.1))]);
    }

    #[test]
    fn a_share_is_never_above_all() {
        let zen = Processor::Amd {
            family: 0x17,
            model: 0x31,
        };
        assert_eq!(of(zen, 10.0, &[160.0]), [Some((100.0, 100.0)), None]);
        assert_eq!(of(zen, 0.0, &[0.0]), [Some((0.0, 0.0)), None]);
    }
}
