//! iGen's load engine: users, pacers, phases, recorders. A workload says what a transaction is;
//! everything else, from the intended start to the snapshot, happens here, once.

pub mod failure;
pub mod monitor;
pub mod probe;
pub mod progress;
pub mod recorder;
pub mod workload;

pub use failure::Failure;
pub use monitor::Monitor;
pub use probe::Probe;
pub use progress::Progress;
pub use recorder::Recorder;
pub use workload::{Setup, User, UserContext, Workload};
