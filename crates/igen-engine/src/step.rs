//! A step that may block (create, load, verify, remove) runs on a thread of its own, so that the
//! engine hears commands meanwhile.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use igen_job::event::{Event, Phase, PhaseStart, Progress as ProgressEvent};
use igen_job::{Command, JobError};
use tokio::sync::oneshot;

use crate::host::Host;
use crate::progress::Progress;
use crate::stop::Stop;
use crate::workload::Workload;

/// How long a step that is told to stop may take to leave nothing half done.
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// Runs `step`; `false` when told to stop. The step is then dropped where it next awaits.
pub(crate) async fn run<W, F, S>(
    host: &mut Host,
    phase: Phase,
    workload: &Arc<W>,
    step: S,
) -> Result<bool, JobError>
where
    W: Workload,
    F: Future<Output = Result<(), JobError>>,
    S: FnOnce(Arc<W>, Progress) -> F + Send + 'static,
{
    let at_s = host.clock.now_s();
    host.event(Event::Phase(PhaseStart {
        phase,
        at_s,
        planned_s: None,
    }));
    let emit = Arc::clone(&host.emit);
    let progress = Progress::new(move |progress| {
        emit(Event::Progress(ProgressEvent { phase, ..progress }));
    });
    let stop = Stop::default();
    let (their_stop, workload) = (stop.clone(), Arc::clone(workload));
    let (done, mut outcome) = oneshot::channel();
    let body = move || {
        // Nobody waits any more when it took too long to stop.
        let _ = done.send(until_stopped(&their_stop, || step(workload, progress)));
    };
    std::thread::Builder::new()
        .name(format!("{phase:?}").to_lowercase())
        .spawn(body)
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

fn until_stopped<F>(stop: &Stop, step: impl FnOnce() -> F) -> Result<bool, JobError>
where
    F: Future<Output = Result<(), JobError>>,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| JobError::new(format!("no event loop: {error}")))?;
    runtime.block_on(async {
        tokio::select! {
            biased;
            () = stop.stopped() => Ok(false),
            outcome = step() => outcome.map(|()| true),
        }
    })
}
