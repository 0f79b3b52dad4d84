//! The job and, after it, commands: JSON values on standard input.

use std::io::Read;

use igen_job::{Command, Job, JobError};
use serde_json::value::RawValue;
use tokio::sync::mpsc;

/// Reads all of standard input as one job.
pub fn job() -> Result<Job, JobError> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| JobError::new(format!("cannot read standard input: {error}")))?;
    Job::from_json(&text)
}

/// Reads a job and goes on reading commands on a thread of its own.
pub fn job_and_commands(commands: mpsc::UnboundedSender<Command>) -> Result<Job, JobError> {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let stdin = std::io::stdin().lock();
        let mut values = serde_json::Deserializer::from_reader(stdin).into_iter::<Box<RawValue>>();
        let job = values.next().map_or_else(
            || Err(JobError::new("there is no job on standard input")),
            |value| match value {
                Ok(value) => Job::from_json(value.get()),
                Err(error) => Err(JobError::new(format!(
                    "standard input is not JSON: {error}"
                ))),
            },
        );
        if send.send(job).is_err() {
            return;
        }
        for value in values {
            let command = value.and_then(|value| serde_json::from_str(value.get()));
            match command {
                Ok(command) if commands.send(command).is_err() => return,
                Ok(_) => {}
                Err(error) if error.is_syntax() => {
                    eprintln!("igen-agent: standard input is not JSON: {error}");
                    return;
                }
                Err(error) => eprintln!("igen-agent: ignored a command: {error}"),
            }
        }
        // End of input says that nobody will answer: what is measured is enough.
        let _ = commands.send(Command::Finish);
    });
    receive
        .recv()
        .unwrap_or_else(|_| Err(JobError::new("cannot read standard input")))
}
