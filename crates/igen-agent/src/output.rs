//! Events go to standard output, one JSON object a line.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use igen_engine::host::Emit;
use igen_job::event::Event;
use igen_job::{Command, JobError};
use tokio::sync::mpsc;

/// The job is bad: nothing was measured.
pub const BAD_JOB: u8 = 2;

/// Writes events; when nobody reads them any more, the job stops.
pub fn emitter(commands: mpsc::UnboundedSender<Command>) -> Emit {
    Arc::new(move |event| {
        if write(&event).is_err() {
            // The job may be over already.
            let _ = commands.send(Command::Stop);
        }
    })
}

/// Writes one event.
pub fn write(event: &Event) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(event)?;
    line.push(b'\n');
    let mut output = std::io::stdout().lock();
    output.write_all(&line)?;
    output.flush()
}

/// Writes an error, as event on standard output.
pub fn fail(error: JobError, code: u8) -> ExitCode {
    match write(&Event::Error(error)) {
        Ok(()) => ExitCode::from(code),
        Err(_) => ExitCode::FAILURE,
    }
}
