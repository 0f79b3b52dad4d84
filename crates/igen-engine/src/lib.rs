//! iGen's load engine: users, pacers, phases, recorders. A workload says what a transaction is;
//! everything else, from the intended start to the snapshot, happens here, once.

#![forbid(unsafe_code)]

mod alarm;
pub mod arrivals;
mod begin;
mod canary;
pub mod clock;
mod control;
mod drive;
mod emit;
pub mod entry;
pub mod fact_source;
pub mod failure;
pub mod host;
mod interval;
mod launch;
mod load;
mod load_statistics;
pub mod monitor;
mod own_users;
pub mod pacer;
#[cfg(feature = "paused-clock")]
pub mod paused;
mod placement;
pub mod progress;
mod punctual;
pub mod queue;
pub mod recorder;
pub mod report;
pub mod run;
mod series_total;
mod snapshots;
mod step;
mod stood_still;
pub mod stop;
pub mod think;
mod thread_limits;
pub mod thread_statistics;
pub mod timer;
mod users;
pub mod workload;

pub use clock::Clock;
pub use entry::WorkloadEntry;
pub use fact_source::FactSource;
pub use failure::{Failure, FailureKind, Reason, Then};
pub use host::Host;
pub use monitor::Monitor;
pub use progress::ProgressReporter;
pub use recorder::Recorder;
pub use report::Report;
pub use workload::{Rate, RunDefaults, Setup, User, UserContext, Workload};
