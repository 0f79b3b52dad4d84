//! From a job to its last event: check, prepare, verify, measure, clean up.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use igen_job::event::{Event, Outcome, Phase, PhaseStart};
use igen_job::{Command, Job, JobError, Placement, Step};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio::task::LocalSet;

use crate::canary;
use crate::control::{Control, Ended};
use crate::host::Host;
use crate::load::Load;
use crate::placement::{Threads, most_users};
use crate::progress::Progress;
use crate::stop::Stop;
use crate::timer::Timer;
use crate::workload::{Setup, Workload};

/// Users that an open load without a fixed number starts with: enough for 10 ms of arrivals.
const FIRST_USERS: (f64, f64) = (2.0, 64.0);
/// How long a cancelled step may take to leave nothing half done.
const CANCEL_LIMIT: Duration = Duration::from_secs(5);

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// Complete or interrupted; failures are errors.
    pub outcome: Outcome,
    /// Users still in a transaction at the end.
    pub unfinished_users: u32,
}

const INTERRUPTED: Report = Report {
    outcome: Outcome::Interrupted,
    unfinished_users: 0,
};

/// Checks `job` against workload `W` and this machine.
pub fn check<W: Workload>(job: &Job) -> Result<W, JobError> {
    job.check()?;
    let targets = targets::<W>(job)?;
    let params: W::Params = igen_job::job::params(&job.params)?;
    let users = first_and_most_users::<W>(job).1;
    W::new(
        params,
        Setup {
            targets,
            users,
            seed: job.seed,
            force: job.force,
        },
    )
}

/// `job` with the defaults of workload `W` filled in.
#[must_use]
pub fn normalised<W: Workload>(job: &Job) -> Job {
    let mut job = job.clone();
    job.placement.get_or_insert(W::PLACEMENT);
    if job.targets.is_empty() {
        job.targets.extend(W::DEFAULT_TARGET.map(str::to_owned));
    }
    job
}

/// Executes `job`.
pub fn run<W: Workload>(job: &Job, host: &mut Host) -> Result<Report, JobError> {
    let workload = Arc::new(check::<W>(job)?);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| JobError::new(format!("no event loop: {error}")))?;
    LocalSet::new().block_on(&runtime, execute(job, host, workload))
}

async fn execute<W: Workload>(
    job: &Job,
    host: &mut Host,
    workload: Arc<W>,
) -> Result<Report, JobError> {
    let mut report = Report {
        outcome: Outcome::Complete,
        unfinished_users: 0,
    };
    for step in &job.steps {
        let done = match step {
            Step::Prepare => {
                let step = |workload: Arc<W>, progress: Arc<Progress>| async move {
                    workload.prepare(&progress).await
                };
                aside(host, Phase::Prepare, &workload, step).await?
            }
            Step::Verify => {
                let step = |workload: Arc<W>, _| async move { workload.verify(false).await };
                aside(host, Phase::Verify, &workload, step).await?
            }
            Step::Cleanup => {
                let step = |workload: Arc<W>, _| async move { workload.cleanup().await };
                aside(host, Phase::Cleanup, &workload, step).await?
            }
            Step::Measure => {
                tell_facts(host, &*workload);
                report = measure(job, host, &workload).await?;
                report.outcome == Outcome::Complete
            }
        };
        if !done {
            return Ok(Report {
                outcome: Outcome::Interrupted,
                ..report
            });
        }
    }
    Ok(report)
}

/// Runs a step that may block on a thread of its own, listening to commands meanwhile; `false`
/// when told to stop.
async fn aside<W, F, S>(
    host: &mut Host,
    phase: Phase,
    workload: &Arc<W>,
    step: S,
) -> Result<bool, JobError>
where
    W: Workload,
    F: Future<Output = Result<(), JobError>>,
    S: FnOnce(Arc<W>, Arc<Progress>) -> F + Send + 'static,
{
    host.event(Event::Phase(PhaseStart {
        phase,
        at_s: host.clock.now_s(),
        planned_s: None,
    }));
    let emit = Arc::clone(&host.emit);
    let progress = Arc::new(Progress::new(move |progress| {
        emit(Event::Progress(progress));
    }));
    let (workload, theirs) = (Arc::clone(workload), Arc::clone(&progress));
    let (done, mut result) = oneshot::channel();
    let thread = std::thread::Builder::new().name(format!("{phase:?}").to_lowercase());
    let body = move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let outcome = match runtime {
            Ok(runtime) => runtime.block_on(step(workload, theirs)),
            Err(error) => Err(JobError::new(format!("no event loop: {error}"))),
        };
        // Nobody waits any more when the job was interrupted.
        let _ = done.send(outcome);
    };
    thread
        .spawn(body)
        .map_err(|error| JobError::new(format!("cannot start a thread: {error}")))?;
    let panicked = || JobError::new(format!("{phase:?} panicked; see standard error"));
    loop {
        tokio::select! {
            outcome = &mut result => {
                return outcome.unwrap_or_else(|_| Err(panicked())).map(|()| true);
            }
            Some(command) = host.commands.recv() => {
                if command == Command::Stop {
                    progress.cancel();
                    let _ = tokio::time::timeout(CANCEL_LIMIT, &mut result).await;
                    return Ok(false);
                }
            }
        }
    }
}

fn tell_facts<W: Workload>(host: &Host, workload: &W) {
    host.fact("workload.version", W::VERSION);
    host.fact("workload.transactions", W::TRANSACTIONS);
    host.fact("workload.rates", json!(W::RATES));
    for (name, value) in workload.facts() {
        host.fact(&name, value);
    }
}

async fn measure<W: Workload>(
    job: &Job,
    host: &mut Host,
    workload: &Arc<W>,
) -> Result<Report, JobError> {
    if job.canary_s > 0.0 {
        host.event(Event::Canary(canary::spin(
            &host.clock,
            job.canary_s,
            false,
        )));
    }
    let Ended {
        outcome,
        unfinished_users,
    } = drive_load(job, host, workload).await?;
    if outcome == Outcome::Interrupted {
        return Ok(Report {
            unfinished_users,
            ..INTERRUPTED
        });
    }
    if job.canary_s > 0.0 {
        host.event(Event::Canary(canary::spin(&host.clock, job.canary_s, true)));
    }
    let step = |workload: Arc<W>, _| async move { workload.verify(true).await };
    if !aside(host, Phase::Verify, workload, step).await? {
        return Ok(INTERRUPTED);
    }
    Ok(Report {
        outcome,
        unfinished_users,
    })
}

async fn drive_load<W: Workload>(
    job: &Job,
    host: &mut Host,
    workload: &Arc<W>,
) -> Result<Ended, JobError> {
    let (ready_sender, ready) = mpsc::unbounded_channel();
    let (more_sender, more) = mpsc::unbounded_channel();
    let users = first_and_most_users::<W>(job);
    let clock = host.clock.clone();
    let load = Arc::new(Load::new(
        Arc::clone(workload),
        job,
        clock.clone(),
        users,
        ready_sender,
    ));
    let (timer, serve) = Timer::new(clock, Stop::default())
        .map_err(|error| JobError::new(format!("no timer: {error}")))?;
    tokio::task::spawn_local(serve);
    let mut threads = Threads::start(Arc::clone(&load), placement::<W>(job), users.0, more_sender)?;
    let shards = threads.shards.clone();
    let ended = Control {
        load,
        phases: &job.phases,
        host,
        timer,
        ready,
        more,
        add_thread: &mut || threads.add_user(),
    }
    .run(shards)
    .await?;
    if ended.unfinished_users == 0 {
        threads.join();
    }
    Ok(ended)
}

fn placement<W: Workload>(job: &Job) -> Placement {
    job.placement.unwrap_or(W::PLACEMENT)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
/// Users at the begin, and most users ever.
pub(crate) fn first_and_most_users<W: Workload>(job: &Job) -> (u32, u32) {
    match (&job.load, job.load.users()) {
        (_, Some(users)) => (users.get(), users.get()),
        (igen_job::Load::Open { rate_per_s, .. }, None) => {
            let first = (rate_per_s * 0.01).clamp(FIRST_USERS.0, FIRST_USERS.1);
            (first as u32, most_users(placement::<W>(job)))
        }
        (_, None) => (1, 1),
    }
}

/// The job's targets, or the workload's default; each of a kind that the workload can load.
fn targets<W: Workload>(job: &Job) -> Result<Vec<String>, JobError> {
    let targets = normalised::<W>(job).targets;
    for (index, target) in targets.iter().enumerate() {
        let path = format!("targets[{index}]");
        if W::TARGETS.is_empty() {
            return Err(JobError::at(
                path,
                format!("workload {} takes no target", W::NAME),
            ));
        }
        let scheme = target.split_once(':').map_or("", |(scheme, _)| scheme);
        if !W::TARGETS.contains(&scheme) {
            let known = W::TARGETS.join("://, ");
            return Err(
                JobError::at(path, format!("workload {} cannot load `{target}`", W::NAME))
                    .hint(format!("use a target that begins with {known}://")),
            );
        }
    }
    Ok(targets)
}
