//! The users of one load that this agent drives, and one of them.

/// The users of one load of a job that this agent drives. Those of all loads are numbered through, in the
/// order of the loads: a load that grows keeps numbers for the most that it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OwnUsers {
    /// Number of the load's first user among those of the whole job.
    pub(crate) first: u32,
    /// Place of its first own user among the agent's own of all loads.
    pub(crate) first_own: u32,
    /// At the begin.
    pub(crate) at_begin: u32,
    /// Ever.
    pub(crate) most: u32,
}

/// A user of this agent: place of its load, and its ordinal among the agent's users of that load.
pub(crate) type Member = (usize, u32);
