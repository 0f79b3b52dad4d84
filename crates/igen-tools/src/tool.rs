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
    /// One line for the user.
    const SUMMARY: &'static str;
    /// What it needs to be able to work, and what it lacks without.
    const REQUIREMENTS: &'static str;
    /// What it costs the machine while it works.
    const OVERHEAD: &'static str;
    /// What people write behind its name.
    const EXAMPLES: &'static [&'static str];
    /// What the number of its verdict is, where it may have one.
    const FIGURE: Option<&'static str> = None;
    /// Its options.
    type Args: Args;

    /// Does the work: tables and notes go to `emit`, the verdict is what it returns. An error means that it
    /// cannot be done here, or not like that: what, where (an option), and what would be needed.
    fn run(args: Self::Args, emit: &mut Emit) -> Result<Verdict, JobError>;
}

/// A tool in the list.
pub struct Entry {
    /// Name on the command line.
    pub name: &'static str,
    /// One line for the user.
    pub summary: &'static str,
    /// What it needs.
    pub requirements: &'static str,
    /// What it costs.
    pub overhead: &'static str,
    /// What people write behind its name.
    pub examples: &'static [&'static str],
    /// What the number of its verdict is, where it may have one.
    pub figure: Option<&'static str>,
    arguments: fn(Command) -> Command,
    run: fn(&ArgMatches, &mut Emit) -> Result<Verdict, JobError>,
}

impl Entry {
    /// The entry of a tool.
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

    /// Its part of the command line.
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

    /// Runs it with what its `command` has understood.
    pub fn run(&self, matches: &ArgMatches, emit: &mut Emit) -> Result<Verdict, JobError> {
        (self.run)(matches, emit)
    }
}

/// For how long a tool looks: in no time nothing is seen, which would look as if there was nothing.
pub(crate) fn duration(seconds: Seconds) -> Result<Duration, JobError> {
    Duration::try_from_secs_f64(seconds.0)
        .ok()
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| {
            JobError::at("DURATION", "is no time for which anything can be seen")
                .hint("such as 10s")
        })
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
