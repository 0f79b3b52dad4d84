//! The share of floating-point instructions with its interval, and what it says.

use std::iter::Sum;
use std::ops::{Add, Mul};

use super::window::Counts;

/// Fewer windows say nothing.
pub(super) const ENOUGH: usize = 20;
const RESAMPLES: usize = 1000;
/// What an interval of 95 % leaves to chance.
const BY_CHANCE: f64 = 0.05;

/// Percent, with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub(super) percent: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// What to do with such a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Advice {
    Recommended,
    Possible,
    NotRecommended,
    CannotTell,
}

/// A percentile bootstrap over windows (Efron 1979): windows, not instructions, are what was drawn by chance.
pub(super) fn share(windows: &[Counts], part: fn(&Counts) -> u64) -> Estimate {
    let met: Vec<Met> = windows.iter().map(|window| Met::of(window, part)).collect();
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let mut drawn: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let again = met.iter().map(|_| met[chance.below(met.len())]);
            again.sum::<Met>().percent()
        })
        .collect();
    drawn.sort_by(f64::total_cmp);
    Estimate {
        percent: percent(windows, part),
        low: drawn[RESAMPLES / 40],
        high: drawn[RESAMPLES - 1 - RESAMPLES / 40],
    }
}

/// The percentage of its time for which a program may execute code that so many windows have not met, at 95 %: each one misses
/// it by chance (for many windows the rule of three: 3 of their number).
pub(super) fn unmet_percent(windows: usize) -> f64 {
    100.0 * (1.0 - BY_CHANCE.powf(1.0 / windows.max(1) as f64))
}

/// How many windows leave no more than that; none for 0, which none do.
pub(super) fn windows_for(unmet_percent: f64) -> Option<f64> {
    let windows = BY_CHANCE.ln() / (1.0 - unmet_percent / 100.0).ln();
    (windows.is_finite() && windows > 0.0).then(|| windows.ceil())
}

/// The share without its interval.
pub(super) fn percent(windows: &[Counts], part: fn(&Counts) -> u64) -> f64 {
    let met = windows.iter().map(|window| Met::of(window, part));
    met.sum::<Met>().percent()
}

/// How often code was met, in instructions that all windows count alike, and how many of those are of one kind.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Met {
    pub(super) all: f64,
    pub(super) part: f64,
}

impl Met {
    pub(super) fn of(window: &Counts, part: fn(&Counts) -> u64) -> Self {
        let all = window.weight();
        Self {
            all,
            part: all * part(window) as f64 / window.all.max(1) as f64,
        }
    }

    pub(super) fn percent(self) -> f64 {
        100.0 * self.part / f64::max(self.all, 1.0)
    }
}

impl Add for Met {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            all: self.all + other.all,
            part: self.part + other.part,
        }
    }
}

impl Mul<f64> for Met {
    type Output = Self;

    fn mul(self, times: f64) -> Self {
        Self {
            all: self.all * times,
            part: self.part * times,
        }
    }
}

impl Sum for Met {
    fn sum<I: Iterator<Item = Self>>(each: I) -> Self {
        each.fold(Self::default(), Add::add)
    }
}

impl Estimate {
    /// By the limits: up to `low` recommended, up to `high` possible. Where the interval holds a limit, or there are
    /// few windows, nobody can tell.
    pub(super) fn advice(&self, windows: usize, low: f64, high: f64) -> Advice {
        let between = self.between(low, high);
        between
            .filter(|_| windows >= ENOUGH)
            .unwrap_or(Advice::CannotTell)
    }

    /// As it is told. Windows of which none has met such an instruction have no spread: then the upper end is what they may have
    /// missed, were all of it such instructions. The advice goes by what was met all the same, and says so: at the usual
    /// budget ten seconds have some twenty windows, which may miss 14 %, and it takes 299 of them to exclude 1 %.
    /// Were that held against a program, none could be recommended within two minutes.
    pub(super) fn told(self, windows: usize) -> Self {
        if self.high > 0.0 {
            return self;
        }
        Self {
            high: unmet_percent(windows),
            ..self
        }
    }

    /// The same of a share that was not drawn by chance; none where a limit is within its bounds.
    pub(super) fn between(&self, low: f64, high: f64) -> Option<Advice> {
        let class = |percent: f64| {
            if percent <= low {
                Advice::Recommended
            } else if percent <= high {
                Advice::Possible
            } else {
                Advice::NotRecommended
            }
        };
        (class(self.low) == class(self.high)).then(|| class(self.high))
    }
}

/// Marsaglia's xorshift: enough to choose among threads and windows.
pub(super) struct Chance(pub(super) u64);

impl Chance {
    /// A number below `limit`, which is not 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let wide = u128::from(self.0) * limit as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(number: usize, floating: u64) -> Vec<Counts> {
        let one = Counts {
            all: 200,
            scalar: floating,
            ..Counts::default()
        };
        vec![one; number]
    }

    #[test]
    fn equal_windows_have_no_spread() {
        let told = share(&windows(40, 100), Counts::floating);
        let expected = Estimate {
            percent: 50.0,
            low: 50.0,
            high: 50.0,
        };
        assert_eq!(told, expected);
    }

    #[test]
    fn windows_count_alike_however_long_their_rounds_are() {
        let long = Counts {
            all: 200,
            ..Counts::default()
        };
        let short = Counts {
            all: 100,
            scalar: 100,
            ..Counts::default()
        };
        let told = share(&[long, short].repeat(40), Counts::floating);
        assert!((told.percent - 50.0).abs() < 1e-9, "{told:?}");
        let cut = Counts {
            all: 50,
            scalar: 50,
            ..short
        };
        let told = share(&[long, cut].repeat(40), Counts::floating);
        assert!((told.percent - 100.0 / 3.0).abs() < 1e-9, "{told:?}");
    }

    #[test]
    fn the_interval_decides() {
        let advice =
            |windows: &[Counts]| share(windows, Counts::floating).advice(windows.len(), 1.0, 2.0);
        assert_eq!(advice(&windows(40, 0)), Advice::Recommended);
        assert_eq!(advice(&windows(40, 3)), Advice::Possible);
        assert_eq!(advice(&windows(40, 5)), Advice::NotRecommended);
        assert_eq!(advice(&windows(5, 5)), Advice::CannotTell);
        let mixed = [windows(39, 0), windows(1, 80)].concat();
        assert_eq!(advice(&mixed), Advice::CannotTell);
    }

    #[test]
    fn what_was_never_met_may_have_been_missed() {
        let told = share(&windows(20, 0), Counts::floating).told(20);
        assert!(told.percent == 0.0 && told.low == 0.0);
        assert!((told.high - 13.9).abs() < 0.05, "{told:?}");
        let met = share(&windows(20, 1), Counts::floating);
        assert_eq!(met.told(20), met);
        assert_eq!(windows_for(1.0), Some(299.0));
        assert!(unmet_percent(299) <= 1.0 && unmet_percent(298) > 1.0);
        assert_eq!((windows_for(0.0), windows_for(100.0)), (None, None));
    }

    #[test]
    fn chance_stays_below_its_limit_and_reaches_all() {
        let mut chance = Chance(1);
        let mut seen = [false; 7];
        (0..1000).for_each(|_| seen[chance.below(7)] = true);
        assert_eq!(seen, [true; 7]);
    }
}
