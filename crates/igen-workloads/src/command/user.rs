//! A user of `command`: executes the program again and again.

use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use igen_engine::stop::Stop;
use igen_engine::timer::Timer;
use igen_engine::{Clock, Failure, FailureKind, Recorder, User};
use igen_job::JobError;
use wait4::ResUse;

use super::execution::{Outcome, execute};
use super::orphans::{self, Orphans};
use super::output::{Drain, Output};
use super::params::Params;
use super::program::Program;
use super::reasons::Reasons;
use super::standard_error::StandardError;

/// What is timed beside the transaction; the constants below are their places.
pub(super) const OPERATIONS: &[&str] = &["prepare", "user_time", "system_time", "left_behind"];
const PREPARE: usize = 0;
const USER_TIME: usize = 1;
const SYSTEM_TIME: usize = 2;
const LEFT_BEHIND: usize = 3;

/// What is counted: the sum of what each execution took at most, so that a mean can be told.
pub(super) const COUNTERS: &[&str] = &["peak_memory_bytes"];
const PEAK_MEMORY_BYTES: usize = 0;

/// A helper of a program may end a moment after it: more looks than these, so far apart, and it was left behind.
const LOOKS: u32 = 20;
const LOOK: Duration = Duration::from_millis(1);

/// A user: one process at a time.
pub struct CommandUser {
    run: Command,
    prepare: Option<Command>,
    input: Option<PathBuf>,
    /// File of the output, which each execution writes anew.
    output: Option<PathBuf>,
    watch: Watch,
    /// Longest execution so far.
    longest_ns: u64,
}

/// What follows an execution.
struct Watch {
    user: u32,
    limit: Duration,
    errors: StandardError,
    drain: Drain,
    reasons: Reasons,
    orphans: &'static Orphans,
    /// Processes that the last execution left behind.
    left: Vec<u32>,
}

impl CommandUser {
    /// The user of that number.
    pub(super) fn new(
        number: u32,
        params: &Params,
        run: &Program,
        prepare: Option<&Program>,
        orphans: &'static Orphans,
    ) -> Result<Self, Failure> {
        let no_pipe =
            |error: io::Error| Failure::anew(FailureKind::Other, format!("no pipe: {error}"));
        let (errors, [errors_of_run, errors_of_prepare]) =
            StandardError::open().map_err(no_pipe)?;
        let (drain, [output_of_run, output_of_prepare]) = Drain::open().map_err(no_pipe)?;
        let mut run = run.command(number);
        run.stderr(errors_of_run);
        let output = match params.output() {
            Output::Pipe => {
                run.stdout(output_of_run);
                None
            }
            Output::Null => None,
            Output::File(path) => Some(path),
        };
        let prepare = prepare.map(|program| {
            let mut prepare = program.command(number);
            prepare.stderr(errors_of_prepare).stdout(output_of_prepare);
            prepare
        });
        Ok(Self {
            run,
            prepare,
            input: params.input.as_ref().map(PathBuf::from),
            output,
            watch: Watch {
                user: number,
                limit: Duration::from_secs_f64(params.timeout_s.0),
                errors,
                drain,
                reasons: Reasons::default(),
                orphans,
                left: Vec::new(),
            },
            longest_ns: 0,
        })
    }
}

/// A trial that has not failed by then goes well.
const TRIAL: Duration = Duration::from_secs(2);

impl CommandUser {
    /// Executes the program once before the load, to find what fails each time.
    ///
    /// A program that takes longer than `TRIAL` is ended as at the end of the load.
    pub(super) async fn trial(&mut self) -> Result<(), JobError> {
        let stop = Stop::default();
        let (timer, _) = Timer::new(Clock::start(), stop.clone())
            .map_err(|error| JobError::new(format!("no timer: {error}")))?;
        let limited = async {
            tokio::time::sleep(TRIAL).await;
            stop.set();
            std::future::pending::<Infallible>().await
        };
        let tried = async {
            if let Some(prepare) = &mut self.prepare {
                tried("params.prepare", self.watch.run(prepare, &timer).await)?;
            }
            self.open_input()
                .map_err(|failure| JobError::at("params.input", failure.reason.text))?;
            self.empty_output()
                .map_err(|failure| JobError::at("params.output", failure.reason.text))?;
            tried("params.run", self.watch.run(&mut self.run, &timer).await)
        };
        tokio::select! {
            tried = tried => tried,
            never = limited => match never {},
        }
    }

    /// Does what comes before an execution and is not timed.
    async fn prepare(&mut self, timer: &Timer) -> Result<(), Failure> {
        if let Some(prepare) = &mut self.prepare {
            match self.watch.run(prepare, timer).await {
                Ok(_) => (),
                Err(Broken::Failed(failure)) => return Err(failure.in_step(OPERATIONS[PREPARE])),
                Err(Broken::Off) => return Err(cut_off()),
            }
        }
        self.empty_output()
    }

    /// Lets the next execution read its input from the beginning.
    fn open_input(&mut self) -> Result<(), Failure> {
        if let Some(input) = &self.input {
            let file = File::open(input).map_err(|error| {
                Failure::new(
                    FailureKind::Other,
                    format!("cannot read the input: {error}"),
                )
            })?;
            self.run.stdin(file);
        }
        Ok(())
    }

    /// Lets the next execution write to an empty file.
    fn empty_output(&mut self) -> Result<(), Failure> {
        if let Some(output) = &self.output {
            let file = File::create(output).map_err(|error| {
                Failure::new(
                    FailureKind::Other,
                    format!("cannot write the output: {error}"),
                )
            })?;
            self.run.stdout(file);
        }
        Ok(())
    }
}

/// Turns the failure of a trial into an error about the parameter that names its program.
fn tried(parameter: &str, ran: Result<ResUse, Broken>) -> Result<(), JobError> {
    match ran {
        Ok(_) | Err(Broken::Off) => Ok(()),
        Err(Broken::Failed(failure)) => Err(JobError::at(parameter, failure.reason.text)
            .hint("it is tried once before the load, and must end with exit code 0")),
    }
}

impl Drop for CommandUser {
    /// Leaves the output empty: a file with content is not written to in the next job.
    fn drop(&mut self) {
        if let Some(output) = &self.output {
            let _ = File::options()
                .write(true)
                .open(output)
                .and_then(|file| file.set_len(0));
        }
    }
}

impl User for CommandUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let timer = recorder.timer().clone();
        if self.prepare.is_some() || self.output.is_some() {
            recorder.aside(PREPARE, self.prepare(&timer)).await?;
        }
        self.open_input()?;
        let began_ns = timer.clock().now_ns();
        let ran = self.watch.run(&mut self.run, &timer).await;
        let took_ns = timer.clock().now_ns().saturating_sub(began_ns);
        match ran {
            Ok(used) => {
                self.longest_ns = self.longest_ns.max(took_ns);
                let (user, system) = (used.rusage.utime, used.rusage.stime);
                recorder.took(USER_TIME, nanoseconds(user));
                recorder.took(SYSTEM_TIME, nanoseconds(system));
                recorder.count(PEAK_MEMORY_BYTES, used.rusage.maxrss);
                if !self.watch.left.is_empty() {
                    recorder.aside(LEFT_BEHIND, self.watch.count_left()).await?;
                }
                Ok(())
            }
            // It was to take longer than any before: that much is known of it, and counts as so long.
            Err(Broken::Off) if took_ns > self.longest_ns => Ok(()),
            Err(Broken::Off) => Err(cut_off()),
            Err(Broken::Failed(failure)) => Err(failure),
        }
    }
}

/// Why there is nothing to be said of an execution.
enum Broken {
    Failed(Failure),
    /// The load ended first.
    Off,
}

impl Watch {
    /// One execution, whose exit code is 0.
    async fn run(&mut self, command: &mut Command, timer: &Timer) -> Result<ResUse, Broken> {
        let failed = |kind, text: String| Err(Broken::Failed(Failure::new(kind, text)));
        let ended = execute(command, &mut self.errors, &self.drain, timer, self.limit).await;
        self.left = self.orphans.look(self.user);
        match ended {
            Ok(Outcome::Ended(used)) if used.status.success() => Ok(used),
            Ok(Outcome::Ended(used)) => {
                let line = self.errors.last_line();
                failed(FailureKind::Check, self.reasons.of(used.status, line))
            }
            Ok(Outcome::TimedOut) => failed(
                FailureKind::Other,
                format!("took longer than {} s", self.limit.as_secs_f64()),
            ),
            Ok(Outcome::Stopped) => Err(Broken::Off),
            Err(error) => failed(FailureKind::Other, cannot_start(command, &error)),
        }
    }

    /// Counts the last execution if it left a process behind that does not end soon.
    async fn count_left(&mut self) -> Result<(), Failure> {
        for _ in 0..LOOKS {
            self.left.retain(|pid| orphans::lives(*pid));
            if self.left.is_empty() {
                return Ok(());
            }
            tokio::time::sleep(LOOK).await;
        }
        self.orphans.count(&self.left);
        Ok(())
    }
}

fn cannot_start(command: &Command, error: &io::Error) -> String {
    format!("cannot start {}: {error}", command.get_program().display())
}

fn cut_off() -> Failure {
    Failure::new(FailureKind::Other, "killed at the end of the load")
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    async fn trial(run: &str, prepare: Option<&str>) -> Result<(), JobError> {
        let params = Params::default();
        let program = |text: &str, field| Program::of(text, &params, field).unwrap();
        let prepare = prepare.map(|text| program(text, "params.prepare"));
        let run = program(run, "params.run");
        CommandUser::new(
            0,
            &params,
            &run,
            prepare.as_ref(),
            orphans::adopt().unwrap(),
        )
        .unwrap()
        .trial()
        .await
    }

    #[tokio::test]
    async fn a_trial_names_the_parameter_the_exit_code_and_the_last_line() {
        for (run, prepare, path, text) in [
            (
                "echo a reason >&2; exit 3",
                None,
                "params.run",
                "exit code 3: a reason",
            ),
            ("exit 4", Some("true"), "params.run", "exit code 4"),
            ("true", Some("exit 5"), "params.prepare", "exit code 5"),
        ] {
            let error = trial(run, prepare).await.unwrap_err();
            assert_eq!((error.path.as_str(), error.text.as_str()), (path, text));
        }
        let error = trial("nosuchprogram", None).await.unwrap_err();
        assert!(error.text.starts_with("exit code 127: "), "{}", error.text);
    }

    #[tokio::test]
    async fn a_trial_of_what_works_is_silent() {
        trial("true", None).await.unwrap();
        trial("test -e /", Some("true")).await.unwrap();
    }

    #[tokio::test]
    async fn a_program_that_does_not_end_in_time_has_not_failed() {
        trial("exec sleep 100000", None).await.unwrap();
    }
}
