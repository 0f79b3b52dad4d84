//! THE list of tools.

use crate::audit::Audit;
use crate::compiler::Compiler;
use crate::pages::Pages;
use crate::pfp::Pfp;
use crate::ripc::Ripc;
use crate::schedule::Schedule;
use crate::shmalloc::Shmalloc;
use crate::tool::Entry;
use crate::tunables::Tunables;

const TOOLS: &[Entry] = &[
    Entry::of::<Pages>(),
    Entry::of::<Shmalloc>(),
    Entry::of::<Compiler>(),
    Entry::of::<Audit>(),
    Entry::of::<Tunables>(),
    Entry::of::<Ripc>(),
    Entry::of::<Pfp>(),
    Entry::of::<Schedule>(),
];

/// All tools that exist.
#[must_use]
pub fn list() -> &'static [Entry] {
    TOOLS
}

/// The tool of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    TOOLS.iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_says_what_it_needs_and_costs_and_every_option_has_a_help() {
        for entry in list() {
            for text in [entry.summary, entry.requirements, entry.overhead] {
                assert!(!text.is_empty(), "{}", entry.name);
            }
            let command = entry.command();
            command.clone().debug_assert();
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{} {argument}", entry.name);
            }
        }
    }
}
