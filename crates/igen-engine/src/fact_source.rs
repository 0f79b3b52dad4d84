//! What the author of a source of facts writes.

use igen_job::Fact;

/// A source of facts about the environment.
pub trait FactSource {
    /// Name on the command line; the first word of its facts.
    fn name(&self) -> &'static str;

    /// The facts; what cannot be read here is left out, never guessed.
    fn facts(&self) -> Vec<Fact>;
}
