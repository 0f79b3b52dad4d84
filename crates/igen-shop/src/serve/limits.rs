//! What a server bears of its clients.

use std::time::Duration;

/// Longest head of a request.
pub const HEAD_BYTES: usize = 64 << 10;

/// What a server bears of its clients.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// From the end of an answer to the end of the next request's head: a connection on which nothing
    /// is asked for so long is closed. An answer ends when its client has taken its last byte.
    pub idle: Duration,
    /// From a request's head to the end of its body; and how long a client may take nothing of an answer.
    pub transfer: Duration,
    /// From asking the tier behind to the head of its answer.
    pub behind: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(75),
            transfer: Duration::from_secs(30),
            behind: Duration::from_mins(1),
        }
    }
}
