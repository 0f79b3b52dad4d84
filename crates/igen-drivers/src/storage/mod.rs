//! Files and block devices, read and written with several I/Os in flight.

mod buffer;
mod error;
mod queue;
mod ring;
mod volume;

pub use buffer::{ALIGNMENT_BYTES, Buffer};
pub use error::reason;
pub use queue::{Completion, Engine, Queue};
pub use volume::{Access, Direct, Volume};
