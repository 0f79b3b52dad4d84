//! Resources that a tier used, from any source.

use std::collections::HashSet;

/// Resources that a source used so far, and its present processes.
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
