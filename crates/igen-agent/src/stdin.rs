//! Standard input: a job, a JSON value that may take several lines, and after it commands, one a line.

use std::io::{BufRead, BufReader, Read, Stdin};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use igen_engine::host::Emit;
use igen_job::event::Event;
use igen_job::{Command, Job, JobError};
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use crate::abandoned::Abandoned;
use crate::lease::Lease;

/// Longest command; each takes some 40 bytes.
const LONGEST_COMMAND_BYTES: u64 = 4096;

/// Reads all of standard input as one job.
pub fn job() -> Result<Job, JobError> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| JobError::new(format!("cannot read standard input: {error}")))?;
    Job::from_json(&text)
}

/// Meaning of the end of standard input for a job.
pub enum AtEnd {
    /// The job is attended, so it stops.
    Stop(Abandoned),
    /// Nobody will answer `measured`, which the flag tells from then on.
    GoOn(Arc<AtomicBool>),
}

/// Standard input of a job that runs.
pub struct Input {
    reader: BufReader<Stdin>,
}

impl Input {
    /// Reads nothing yet.
    pub fn open() -> Self {
        Self {
            reader: BufReader::new(std::io::stdin()),
        }
    }

    /// Reads the job and leaves what follows it.
    pub fn job(&mut self) -> Result<Job, JobError> {
        let mut values =
            serde_json::Deserializer::from_reader(&mut self.reader).into_iter::<Box<RawValue>>();
        match values.next() {
            Some(Ok(value)) => Job::from_json(value.get()),
            Some(Err(error)) => Err(JobError::new(format!(
                "standard input is not JSON: {error}"
            ))),
            None => Err(JobError::new("standard input is empty: a job is expected")),
        }
    }

    /// Passes on commands, on a separate thread, until standard input or the job ends.
    pub fn listen(
        self,
        at_end: AtEnd,
        lease: Option<Lease>,
        emit: Emit,
        commands: mpsc::UnboundedSender<Command>,
    ) {
        std::thread::spawn(move || {
            let _ = igen_kernel::scheduling::lift();
            let ended = self.hear(|heard| match heard {
                Ok(Command::Renew) => {
                    if let Some(lease) = &lease {
                        lease.renew();
                    }
                    true
                }
                Ok(command) => commands.send(command).is_ok(),
                Err(error) => {
                    emit(Event::Error(error));
                    true
                }
            });
            if !ended {
                return;
            }
            match at_end {
                AtEnd::Stop(abandoned) => {
                    emit(Event::Error(
                        JobError::new("standard input closed, but the job is attended")
                            .hint("the job was stopped; the measurements up to here are kept"),
                    ));
                    abandoned.report();
                }
                AtEnd::GoOn(unattended) => {
                    unattended.store(true, Relaxed);
                    // For the job that waits for an answer at this moment, if it is not over.
                    let _ = commands.send(Command::Finish);
                }
            }
        });
    }

    /// Hears line after line until standard input ends, which is `true`, or `take` says that nobody listens.
    fn hear(mut self, mut take: impl FnMut(Result<Command, JobError>) -> bool) -> bool {
        let mut line = Vec::new();
        loop {
            line.clear();
            let mut limited = self.reader.by_ref().take(LONGEST_COMMAND_BYTES);
            match limited.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return true,
                Ok(_) => {}
            }
            let is_whole = line.ends_with(b"\n") || (line.len() as u64) < LONGEST_COMMAND_BYTES;
            if !is_whole && self.reader.skip_until(b'\n').is_err() {
                return true;
            }
            let said = line.trim_ascii();
            if !said.is_empty() && !take(command(said)) {
                return false;
            }
        }
    }
}

fn command(line: &[u8]) -> Result<Command, JobError> {
    serde_json::from_slice(line).map_err(|error| {
        let shown: String = String::from_utf8_lossy(line)
            .chars()
            .filter(|letter| !letter.is_control())
            .take(80)
            .collect();
        JobError::at("command", format!("unknown command `{shown}`: {error}"))
            .hint("the job continues; `igen-agent schema command` prints the valid commands")
    })
}
