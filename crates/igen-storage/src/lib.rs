//! Files and block devices, read and written with several I/Os in flight, and what stands below them.

pub mod backing;
pub mod block_device;
mod buffer;
mod completion;
mod error;
pub mod inspect;
pub mod mounts;
mod opened;
mod queue;
mod ring;
mod shared_words;
mod volume;
mod written;

pub use buffer::{ALIGNMENT_BYTES, Buffer};
pub use completion::Completion;
pub use error::reason;
pub use opened::{look_at, open_again};
pub use queue::{Engine, Queue};
pub use shared_words::SharedWords;
pub use volume::{Access, Direct, Volume};
