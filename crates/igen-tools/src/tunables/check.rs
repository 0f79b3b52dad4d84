//! One check as data: what is looked at, what is good, why, and who says so.

use super::area::Area;
use super::machine::Machine;

/// How it stands with a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// As it should be.
    Pass,
    /// Worth knowing.
    Info,
    /// Probably better otherwise: it depends on the load.
    Check,
    /// Wrong for nearly every load.
    Fail,
}

impl State {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Info => "INFO",
            Self::Check => "CHECK",
            Self::Fail => "FAIL",
        }
    }

    /// Good, or else this.
    pub(super) fn unless(self, good: bool) -> Self {
        if good { Self::Pass } else { self }
    }
}

/// What a check has found: a state and the present value. `None`: there is no such knob here.
pub(super) type Found = Option<(State, String)>;

/// A check.
pub(super) struct Check {
    pub(super) area: Area,
    pub(super) name: &'static str,
    pub(super) good: &'static str,
    pub(super) why: &'static str,
    /// Where that is written.
    pub(super) source: &'static str,
    /// What would be changed.
    pub(super) change: &'static str,
    pub(super) judge: fn(&Machine) -> Found,
}

impl Check {
    /// Returns true if it is the same one: two areas have settings of the same name.
    pub(super) fn is(&self, other: &Self) -> bool {
        (self.area, self.name) == (other.area, other.name)
    }
}
