//! What the author of a monitor writes.

use igen_job::event::Reading;

/// A periodic sampler. One file: a pure parse and a thin read.
pub trait Monitor: Send {
    /// Name on the command line and in every reading.
    fn name(&self) -> &'static str;

    /// Appends the present values. `at_s` of the readings is filled in by the engine.
    fn read(&mut self, readings: &mut Vec<Reading>) -> std::io::Result<()>;
}
