//! Events go to standard output, one JSON object a line.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use igen_engine::host::Emit;
use igen_job::JobError;
use igen_job::event::{Event, Line};
use serde::Serialize;

use crate::abandoned::Abandoned;
use crate::sign_of_life::{self, SignOfLife};

/// The job is bad: nothing was measured.
pub const BAD_JOB: u8 = 2;

/// Writes events on a thread of its own, so that a slow reader never holds up the load. When one
/// cannot be written the job stops, and nothing is written after it: the output stays a valid prefix.
pub struct Writer {
    /// `None` is the end.
    send: Sender<Option<Event>>,
    thread: JoinHandle<std::io::Result<()>>,
}

impl Writer {
    /// Starts the thread. Readings that do not say of which host they are, are of this one: `host`.
    pub fn start(host: String, abandoned: Abandoned) -> Self {
        let (send, events) = channel::<Option<Event>>();
        let thread = std::thread::spawn(move || {
            let _ = igen_kernel::scheduling::lift();
            say_all(&events, sign_of_life::EVERY, |mut event, seq| {
                if let Event::Reading(reading) = &mut event
                    && reading.host.is_empty()
                {
                    reading.host.clone_from(&host);
                }
                write(event, seq).inspect_err(|_| abandoned.report())
            })
        });
        Self { send, thread }
    }

    /// Where events go.
    pub fn emit(&self) -> Emit {
        let send = self.send.clone();
        Arc::new(move |event| {
            // After an error nobody takes them any more; `finish` tells it.
            let _ = send.send(Some(event));
        })
    }

    /// Waits until all events so far are written; later ones are not.
    pub fn finish(self) -> std::io::Result<()> {
        // After an error nobody takes it any more.
        let _ = self.send.send(None);
        self.thread
            .join()
            .unwrap_or_else(|_| Err(std::io::Error::other("the writer panicked")))
    }
}

/// Says each event, with its number, and a sign of life where none came for so long.
fn say_all(
    events: &Receiver<Option<Event>>,
    silence: Duration,
    mut say: impl FnMut(Event, u64) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut life = SignOfLife::new();
    let mut seq = 0;
    loop {
        let event = match events.recv_timeout(silence) {
            Ok(Some(event)) => {
                life.note(&event);
                Some(event)
            }
            Err(RecvTimeoutError::Timeout) => life.event(),
            Ok(None) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        if let Some(event) = event {
            say(event, seq)?;
            seq += 1;
        }
    }
}

/// Writes one event as line `seq`, counted from 0.
pub fn write(event: Event, seq: u64) -> std::io::Result<()> {
    write_line(&Line { event, seq })
}

/// Writes an object as a line of standard output.
pub fn write_line(line: &impl Serialize) -> std::io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    let mut output = std::io::stdout().lock();
    output.write_all(&text)?;
    output.flush()
}

/// Writes an error, as event on standard output.
pub fn fail(error: JobError, code: u8) -> ExitCode {
    match write(Event::Error(error), 0) {
        Ok(()) => ExitCode::from(code),
        Err(_) => ExitCode::FAILURE,
    }
}

/// Writes an error, as event on standard error: standard output is for something else.
pub fn fail_beside(error: JobError, code: u8) -> ExitCode {
    match serde_json::to_string(&Event::Error(error)) {
        Ok(line) => {
            eprintln!("{line}");
            ExitCode::from(code)
        }
        Err(_) => ExitCode::FAILURE,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use igen_job::event::{Phase, PhaseStart};

    use super::*;

    #[test]
    fn a_step_that_says_nothing_gives_signs_of_life_until_it_does() {
        let (send, events) = channel();
        let phase = |phase| {
            Some(Event::Phase(PhaseStart {
                phase,
                at_s: 0.0,
                planned_s: None,
            }))
        };
        send.send(phase(Phase::Cleanup)).unwrap();
        let mut said = Vec::new();
        say_all(&events, Duration::from_millis(1), |event, seq| {
            assert_eq!(seq, said.len() as u64);
            said.push(event);
            if said.len() == 3 {
                send.send(None).unwrap();
            }
            Ok(())
        })
        .unwrap();
        assert!(matches!(said[0], Event::Phase(_)));
        for sign in &said[1..] {
            assert!(matches!(sign, Event::Progress(progress) if progress.phase == Phase::Cleanup));
        }
    }
}
