//! From a job to its last event: check, prepare, verify, measure, clean up.

use std::io::Write;
use std::num::NonZeroU32;
use std::sync::Arc;

use igen_job::event::{Event, Outcome, Phase};
use igen_job::{Job, JobError, Placement, Step};
use serde_json::json;
use tokio::runtime::LocalOptions;

use crate::canary;
use crate::host::Host;
use crate::launch::Launch;
use crate::placement::Threads;
use crate::progress::ProgressReporter;
use crate::report::Report;
use crate::step::{self, StepFuture};
use crate::thread_limits;
use crate::users::{first_and_most_users, placement};
use crate::workload::{Setup, Workload};

/// Checks `job` against workload `W` and this machine.
pub fn check<W: Workload>(job: &Job) -> Result<W, JobError> {
    job.check()?;
    let targets = targets::<W>(job)?;
    let params: W::Params = igen_job::job::params(&job.params)?;
    let own_users = first_and_most_users::<W>(job).1;
    let users = job.load.users().map_or_else(
        || own_users.saturating_mul(job.share().of.get()),
        NonZeroU32::get,
    );
    if (users as usize) < targets.len() {
        return Err(JobError::at(
            "load",
            format!("{users} users cannot load {} targets", targets.len()),
        )
        .hint("each user loads one target: use at least as many users as targets"));
    }
    let threads = match placement::<W>(job) {
        Placement::Thread { .. } if job.load.users().is_some() => users.into(),
        Placement::Task {
            threads: Some(threads),
            ..
        } => threads.get().into(),
        // Started one by one as they are needed, or as many as there are processors.
        _ => 0,
    };
    thread_limits::check(threads, "load")?;
    W::new(
        params,
        Setup {
            targets,
            users,
            own_users,
            stream: job.load.is_stream(),
            rest_s: job.load.rest_s(),
            seed: job.seed,
            force: job.force,
            i_own_this_data: job.i_own_this_data,
        },
    )
}

/// `job` with the defaults of workload `W` filled in.
#[must_use]
pub fn normalised<W: Workload>(job: &Job) -> Job {
    let mut job = job.clone();
    if job.targets.is_empty() {
        job.targets.extend(W::DEFAULT_TARGET.map(str::to_owned));
    }
    job.placement
        .get_or_insert_with(|| W::placement(&job.targets));
    job
}

/// Writes what `prepare` would load into the target of that index.
pub fn export<W: Workload>(
    job: &Job,
    target: usize,
    output: &mut dyn Write,
) -> Result<(), JobError> {
    check::<W>(job)?.export(target, output)
}

/// Executes `job`.
pub fn run<W: Workload>(job: &Job, host: &mut Host) -> Result<Report, JobError> {
    let workload = Arc::new(check::<W>(job)?);
    let job = &normalised::<W>(job);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build_local(LocalOptions::default())
        .map_err(|error| JobError::new(format!("no event loop: {error}")))?;
    runtime.block_on(execute(job, host, workload))
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
                let workload = Arc::clone(&workload);
                let body = move |progress: ProgressReporter| -> StepFuture {
                    Box::pin(async move { workload.prepare(&progress).await })
                };
                step::run(host, Phase::Prepare, Box::new(body)).await?
            }
            Step::Verify if job.steps.contains(&Step::Measure) => {
                let workload = Arc::clone(&workload);
                let body = move |_| -> StepFuture {
                    Box::pin(async move { workload.verify(false).await })
                };
                step::run(host, Phase::Verify, Box::new(body)).await?
            }
            Step::Verify => verify_all(host, &workload, false).await?,
            Step::Cleanup => {
                let workload = Arc::clone(&workload);
                let body =
                    move |_| -> StepFuture { Box::pin(async move { workload.cleanup().await }) };
                step::run(host, Phase::Cleanup, Box::new(body)).await?
            }
            Step::Measure => {
                tell_facts(host, &*workload).await;
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

async fn tell_facts<W: Workload>(host: &Host, workload: &W) {
    host.fact("workload.version", W::VERSION);
    host.fact("workload.transactions", W::TRANSACTIONS);
    host.fact("workload.operations", json!(workload.operations()));
    host.fact("workload.rates", json!(W::RATES));
    for (name, value) in workload.facts().await {
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
    let report = drive_load(job, host, workload).await?;
    if report.outcome == Outcome::Interrupted {
        return Ok(report);
    }
    if job.canary_s > 0.0 {
        host.event(Event::Canary(canary::spin(&host.clock, job.canary_s, true)));
    }
    let verified = verify_all(host, workload, true).await?;
    let outcome = if verified {
        report.outcome
    } else {
        Outcome::Interrupted
    };
    Ok(Report { outcome, ..report })
}

/// Verifies what is there and reads back what was written: of this job, or of earlier ones.
async fn verify_all<W: Workload>(
    host: &mut Host,
    workload: &Arc<W>,
    after: bool,
) -> Result<bool, JobError> {
    let verified = Arc::clone(workload);
    let body = move |progress: ProgressReporter| -> StepFuture {
        Box::pin(async move {
            verified.verify(after).await?;
            verified.read_back(after, &progress).await
        })
    };
    let verified = step::run(host, Phase::Verify, Box::new(body)).await;
    for (name, value) in workload.facts_after().await {
        host.fact(&name, value);
    }
    verified
}

async fn drive_load<W: Workload>(
    job: &Job,
    host: &mut Host,
    workload: &Arc<W>,
) -> Result<Report, JobError> {
    let launch = Launch::new(job, host, Arc::clone(workload))?;
    let load = Arc::clone(&launch.load);
    let more = launch.more_sender.clone();
    let mut threads = Threads::start(
        Arc::clone(&load),
        placement::<W>(job),
        launch.users,
        job.load.is_stream(),
        more,
    )?;
    let statistics = threads.statistics.clone();
    let report = launch
        .lead(job, host, statistics, &mut || threads.add_user())
        .await?;
    if load.crowd.driving() == 0 {
        threads.join();
    }
    match load.crowd.panicked() {
        0 => Ok(report),
        users => Err(JobError::new(format!(
            "{users} users panicked; see standard error"
        ))),
    }
}

/// The job's targets, or the workload's default; each of a kind that the workload can load.
fn targets<W: Workload>(job: &Job) -> Result<Vec<String>, JobError> {
    let targets = normalised::<W>(job).targets;
    if targets.is_empty() && !W::TARGETS.is_empty() {
        return Err(
            JobError::at("targets", format!("workload {} needs a target", W::NAME)).hint(format!(
                "name one that begins with {}://",
                W::TARGETS.join(":// or ")
            )),
        );
    }
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
