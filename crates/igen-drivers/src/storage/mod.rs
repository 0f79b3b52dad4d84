//! Files and block devices, read and written with several I/Os in flight, and what stands below them.

pub mod backing;
pub mod block_device;
mod buffer;
mod error;
pub mod inspect;
pub mod mounts;
mod queue;
mod ring;
mod volume;

pub use buffer::{ALIGNMENT_BYTES, Buffer};
pub use error::reason;
pub use queue::{Completion, Engine, Queue};
pub use volume::{Access, Direct, Volume};
