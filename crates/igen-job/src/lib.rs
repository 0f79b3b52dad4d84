//! The types that cross the line between the agent (which measures) and the judge (which plans and
//! analyses). The JSON schema of both directions is generated from here; nobody declares a field twice.
#![forbid(unsafe_code)]

pub mod command;
pub mod credentials;
mod declare;
pub mod error;
pub mod event;
pub mod fact;
pub mod fact_type;
pub mod facts;
pub mod failure;
pub mod job;
pub mod load;
pub mod monitor_line;
pub mod pages;
pub mod persona;
pub mod placement;
pub mod quantity;
pub mod scheduling;
pub mod share;
pub mod think_time;
pub mod tier;
mod tier_host;
pub mod tool;

pub use command::{Begin, Command};
pub use credentials::Credentials;
pub use error::JobError;
pub use event::Event;
pub use fact::Fact;
pub use failure::{FailureKind, Reason};
pub use job::{Job, Phases, Step};
pub use load::{Arrivals, Load};
pub use monitor_line::{MonitorAsk, MonitorLine};
pub use pages::Pages;
pub use persona::{JobLoad, Persona};
pub use placement::{OnTasks, OnThreads, Placement};
pub use quantity::{Bytes, Seconds};
pub use scheduling::Scheduling;
pub use share::Share;
pub use think_time::{ThinkTime, TimeDistribution};
pub use tier::{Tier, TierMatch};
pub use tool::ToolLine;

/// Version of the protocol between agent and judge: jobs say it, and the first event.
pub const PROTOCOL: u32 = 4;
