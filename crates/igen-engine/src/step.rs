//! A step that may block (create, load, verify, remove) runs on a thread of its own, so that the
//! engine hears commands meanwhile.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use igen_job::event::{Event, Phase, PhaseStart, Progress};
use igen_job::{Command, JobError};
use tokio::sync::oneshot;

use crate::host::Host;
use crate::progress::ProgressReporter;
use crate::stop::Stop;

/// How long a step that is told to stop may take to leave nothing half done.
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// What a step does. Not of a type of its own for each workload and step: dozens of copies of what
/// follows would be compiled.
pub(crate) type Body = Box<dyn FnOnce(ProgressReporter) -> StepFuture + Send>;
/// A step under way.
pub(crate) type StepFuture = Pin<Box<dyn Future<Output = Result<(), JobError>>>>;

/// Runs `body`; `false` when told to stop. The step is then dropped where it next awaits.
pub(crate) async fn run(host: &mut Host, phase: Phase, body: Body) -> Result<bool, JobError> {
    let at_s = host.clock.now_s();
    host.event(Event::Phase(PhaseStart {
        phase,
        at_s,
        planned_s: None,
    }));
    let emit = Arc::clone(&host.emit);
    let progress = ProgressReporter::new(move |progress| {
        emit(Event::Progress(Progress { phase, ..progress }));
    });
    let stop = Stop::default();
    let their_stop = stop.clone();
    let (done, mut outcome) = oneshot::channel();
    let thread = move || {
        // Nobody waits any more when it took too long to stop.
        let _ = done.send(until_stopped(&their_stop, || body(progress)));
    };
    std::thread::Builder::new()
        .name(format!("{phase:?}").to_lowercase())
        .spawn(thread)
        .map_err(|error| JobError::new(format!("cannot start a thread: {error}")))?;
    loop {
        tokio::select! {
            outcome = &mut outcome => {
                return outcome.unwrap_or_else(|_| {
                    Err(JobError::new(format!("{phase:?} panicked; see standard error")))
                });
            }
            Some(command) = host.commands.recv() => {
                if command == Command::Stop {
                    stop.set();
                    let _ = tokio::time::timeout(STOP_LIMIT, &mut outcome).await;
                    return Ok(false);
                }
            }
        }
    }
}

/// What `body` gives; `None` when told to stop. It is then dropped where it next awaits.
pub(crate) async fn unless_stopped<T>(host: &mut Host, body: impl Future<Output = T>) -> Option<T> {
    tokio::pin!(body);
    loop {
        tokio::select! {
            given = &mut body => return Some(given),
            Some(command) = host.commands.recv() => {
                if command == Command::Stop {
                    return None;
                }
            }
        }
    }
}

fn until_stopped(stop: &Stop, step: impl FnOnce() -> StepFuture) -> Result<bool, JobError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| JobError::new(format!("cannot create an event loop: {error}")))?;
    runtime.block_on(async {
        tokio::select! {
            biased;
            () = stop.stopped() => Ok(false),
            outcome = step() => outcome.map(|()| true),
        }
    })
}
