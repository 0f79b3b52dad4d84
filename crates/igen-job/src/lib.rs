//! The types that cross the line between the agent (which measures) and the judge (which plans and
//! analyses). The JSON schema of both directions is generated from here; nobody declares a field twice.
#![forbid(unsafe_code)]

pub mod command;
pub mod error;
pub mod event;
pub mod job;
pub mod load;
pub mod quantity;

pub use command::Command;
pub use error::JobError;
pub use event::Event;
pub use job::{Job, Phases, Placement, Step};
pub use load::{Arrivals, Load};
pub use quantity::{Bytes, Seconds};

/// Version of the protocol between agent and judge; the first event carries it.
pub const PROTOCOL: u32 = 1;
