//! What a tier has used, from whichever source.

use std::collections::HashSet;

/// What a source has used so far, and who it is now.
#[derive(Debug, Default)]
pub(super) struct Usage {
    pub(super) user_s: f64,
    pub(super) system_s: f64,
    pub(super) throttled_s: Option<f64>,
    pub(super) memory: Option<GroupMemory>,
    pub(super) pids: HashSet<u32>,
}

/// What a control group is charged with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GroupMemory {
    pub(super) bytes: f64,
    pub(super) anonymous_bytes: Option<f64>,
}
