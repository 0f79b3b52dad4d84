//! What the author of a probe writes.

use igen_job::event::Fact;

/// A one-shot tool or a source of facts about the environment.
pub trait Probe {
    /// Name on the command line; the first word of its facts.
    fn name(&self) -> &'static str;

    /// The facts; what cannot be read here is left out, never guessed.
    fn facts(&self) -> Vec<Fact>;
}
