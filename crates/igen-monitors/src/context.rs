//! What monitors are opened with.

use igen_engine::host::Emit;
use igen_engine::{Clock, Monitor};
use igen_job::{Credentials, Tier};

use crate::of_interest::OfInterest;

/// Ready to be read.
pub type Monitors = Vec<Box<dyn Monitor>>;

/// What monitors need to know of the job and of the process around them.
pub struct Context {
    pub(crate) pids: Vec<u32>,
    pub(crate) targets: Vec<String>,
    pub(crate) tiers: Vec<Tier>,
    pub(crate) credentials: Credentials,
    pub(crate) emit: Emit,
    pub(crate) clock: Clock,
    pub(crate) of_interest: OfInterest,
}

impl Context {
    /// `pids` are the processes that the `process` monitor follows beside the agent, `targets` the
    /// systems under test. Events of monitors with threads of their own go to `emit`, with times of
    /// `clock`.
    #[must_use]
    pub fn new(pids: &[u32], targets: &[String], emit: Emit, clock: Clock) -> Self {
        Self {
            pids: pids.to_vec(),
            targets: targets.to_vec(),
            tiers: Vec::new(),
            credentials: Credentials::None,
            emit,
            clock,
            of_interest: OfInterest::new(pids),
        }
    }

    /// The same with passwords, keys and certificates for servers that are read.
    #[must_use]
    pub fn with_credentials(self, credentials: Credentials) -> Self {
        Self {
            credentials,
            ..self
        }
    }

    /// The same with the tiers that the monitor `tier` tells apart: those of this machine.
    #[must_use]
    pub fn with_tiers(self, tiers: &[Tier]) -> Self {
        Self {
            tiers: tiers
                .iter()
                .filter(|tier| tier.host.is_none())
                .cloned()
                .collect(),
            ..self
        }
    }
}
