//! A user of `command`: executes the program again and again.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use igen_engine::timer::Timer;
use igen_engine::{Failure, Recorder, User};
use wait4::ResUse;

use super::execution::{Outcome, execute};
use super::params::Params;
use super::program::Program;
use super::reasons::Reasons;
use super::standard_error::StandardError;

/// What is timed beside the transaction; the constants below are their places.
pub(super) const OPERATIONS: &[&str] = &["prepare", "user_time", "system_time"];
const PREPARE: usize = 0;
const USER_TIME: usize = 1;
const SYSTEM_TIME: usize = 2;

/// What is counted: the sum of what each execution took at most, so that a mean can be told.
pub(super) const COUNTERS: &[&str] = &["peak_memory_bytes"];
const PEAK_MEMORY_BYTES: usize = 0;

/// A user: one process at a time.
pub struct CommandUser {
    run: Command,
    prepare: Option<Command>,
    input: Option<PathBuf>,
    watch: Watch,
    /// Longest execution so far.
    longest_ns: u64,
}

/// What follows an execution.
struct Watch {
    limit: Duration,
    errors: StandardError,
    reasons: Reasons,
}

impl CommandUser {
    /// The user of that number.
    pub(super) fn new(
        number: u32,
        params: &Params,
        run: &Program,
        prepare: Option<&Program>,
    ) -> Result<Self, Failure> {
        let (errors, [of_run, of_prepare]) =
            StandardError::open().map_err(|error| Failure::lost(format!("no pipe: {error}")))?;
        let mut run = run.command(number);
        run.stderr(of_run);
        let prepare = prepare.map(|program| {
            let mut prepare = program.command(number);
            prepare.stderr(of_prepare);
            prepare
        });
        Ok(Self {
            run,
            prepare,
            input: params.input.as_ref().map(PathBuf::from),
            watch: Watch {
                limit: Duration::from_secs_f64(params.timeout_s.0),
                errors,
                reasons: Reasons::default(),
            },
            longest_ns: 0,
        })
    }
}

impl User for CommandUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        let timer = recorder.timer().clone();
        if let Some(prepare) = &mut self.prepare {
            let prepared = async {
                match self.watch.run(prepare, &timer).await {
                    Ok(_) => Ok(()),
                    Err(Broken::Failed(failure)) => {
                        Err(Failure::new(format!("prepare: {}", failure.reason)))
                    }
                    Err(Broken::Off) => Err(cut_off()),
                }
            };
            recorder.aside(PREPARE, prepared).await?;
        }
        if let Some(input) = &self.input {
            // Each execution reads it from its beginning.
            let file = File::open(input)
                .map_err(|error| Failure::new(format!("cannot read the input: {error}")))?;
            self.run.stdin(file);
        }
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
        let failed = |reason: String| Err(Broken::Failed(Failure::new(reason)));
        match execute(command, &mut self.errors, timer, self.limit).await {
            Ok(Outcome::Ended(used)) if used.status.success() => Ok(used),
            Ok(Outcome::Ended(used)) => {
                let line = self.errors.last_line();
                failed(self.reasons.of(used.status, line))
            }
            Ok(Outcome::TimedOut) => {
                failed(format!("took longer than {} s", self.limit.as_secs_f64()))
            }
            Ok(Outcome::Stopped) => Err(Broken::Off),
            Err(error) => failed(cannot_start(command, &error)),
        }
    }
}

fn cannot_start(command: &Command, error: &io::Error) -> String {
    format!("cannot start {}: {error}", command.get_program().display())
}

fn cut_off() -> Failure {
    Failure::new("killed at the end of the load")
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
