//! What looks at bodies that are longer than what is kept of them.

use std::any::Any;
use std::fmt::Debug;

/// Looks at bodies that are longer than what is kept of them.
pub trait LongBodies: Debug + Send + Sync {
    /// Such a body comes, whose answer has this head; this is what was kept of it. More of it follows.
    fn begin(&self, head: &[u8], kept: &[u8]) -> Box<dyn LongBody>;
}

/// A body that is longer than what is kept of it, looked at as it passes by.
pub trait LongBody: Any {
    /// The next piece of it.
    fn pass(&mut self, piece: &[u8]);
}
