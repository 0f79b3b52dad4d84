//! What the author of a tool writes, and what the list makes of it.

use std::time::Duration;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use igen_job::tool::Verdict;
use igen_job::{JobError, Seconds};

use crate::emit::Emit;

/// A one-shot tool. It changes nothing of the machine unless that is its purpose.
pub trait Tool {
    /// Name on the command line.
    const NAME: &'static str;
    /// Summary in one line.
    const SUMMARY: &'static str;
    /// Requirements, and what is missing without them.
    const REQUIREMENTS: &'static str;
    /// Cost for the machine.
    const OVERHEAD: &'static str;
    /// Examples of its arguments.
    const EXAMPLES: &'static [&'static str];
    /// Meaning of the number of its verdict, if it can have one.
    const FIGURE: Option<&'static str> = None;
    /// Its options.
    type Args: Args;

    /// Runs the tool and returns its verdict; tables and notes go to `emit`. An error means that the tool cannot run
    /// here or with these options.
    fn run(args: Self::Args, emit: &mut Emit) -> Result<Verdict, JobError>;
}

/// Entry of a tool in the list.
pub struct Entry {
    /// Name on the command line.
    pub name: &'static str,
    /// Summary in one line.
    pub summary: &'static str,
    /// Requirements.
    pub requirements: &'static str,
    /// Cost for the machine.
    pub overhead: &'static str,
    /// Examples of its arguments.
    pub examples: &'static [&'static str],
    /// Meaning of the number of its verdict, if it can have one.
    pub figure: Option<&'static str>,
    arguments: fn(Command) -> Command,
    run: fn(&ArgMatches, &mut Emit) -> Result<Verdict, JobError>,
}

impl Entry {
    /// Returns the entry of a tool.
    #[must_use]
    pub const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            summary: T::SUMMARY,
            requirements: T::REQUIREMENTS,
            overhead: T::OVERHEAD,
            examples: T::EXAMPLES,
            figure: T::FIGURE,
            arguments: T::Args::augment_args,
            run: run::<T>,
        }
    }

    /// Returns its part of the command line.
    #[must_use]
    pub fn command(&self) -> Command {
        let more = format!(
            "Requirements: {}\nOverhead: {}",
            self.requirements, self.overhead
        );
        // Its arguments may bring a text of their own: the tool's stands.
        (self.arguments)(Command::new(self.name))
            .about(self.summary)
            .long_about(None)
            .after_help(more)
    }

    /// Runs the tool with the arguments that its `command` parsed.
    pub fn run(&self, matches: &ArgMatches, emit: &mut Emit) -> Result<Verdict, JobError> {
        (self.run)(matches, emit)
    }
}

/// Returns the time of a tool; refuses 0, because empty results would look like a good verdict.
pub(crate) fn duration(seconds: Seconds) -> Result<Duration, JobError> {
    Duration::try_from_secs_f64(seconds.0)
        .ok()
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| JobError::at("DURATION", "not a valid time").hint("use a time such as 10s"))
}

fn run<T: Tool>(matches: &ArgMatches, emit: &mut Emit) -> Result<Verdict, JobError> {
    let args =
        T::Args::from_arg_matches(matches).map_err(|error| JobError::new(error.to_string()))?;
    T::run(args, emit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_looked_at_for_no_time() {
        assert_eq!(duration(Seconds(0.01)), Ok(Duration::from_millis(10)));
        for seconds in [0.0, 1e-12, 1e300] {
            assert!(duration(Seconds(seconds)).is_err(), "{seconds}");
        }
    }
}
