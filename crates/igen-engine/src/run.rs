//! From a job to its last event: check, prepare, verify, measure, clean up.

use std::io::Write;
use std::sync::Arc;

use igen_job::event::{Event, Outcome, Phase};
use igen_job::{Fact, Job, JobError, JobLoad, Load, Placement, Scheduling, Step, facts};
use igen_kernel::scheduling;
use serde_json::json;
use tokio::runtime::LocalOptions;

use crate::canary;
use crate::host::Host;
use crate::launch::Launch;
use crate::placement::{Kind, Threads, processors};
use crate::progress::ProgressReporter;
use crate::report::Report;
use crate::step::{self, StepFuture};
use crate::thread_limits::Demand;
use crate::users::{all_users, own_users, placement};
use crate::workload::{Setup, Workload};

/// Most users of a processor that never wait: a ninth would not make it busier.
const BUSY_PER_PROCESSOR: u64 = 8;

/// Checks `job` against workload `W` and this machine; a workload for each of its loads.
pub fn check<W: Workload>(job: &Job) -> Result<Vec<W>, JobError> {
    job.check()?;
    let targets = targets::<W>(job)?;
    if !W::PERSONAS && !job.personas.is_empty() {
        let text = format!("workload {} does not support personas", W::NAME);
        return Err(JobError::at("personas", text).hint("use `params` and `load` of the job"));
    }
    let (loads, own) = (job.loads(), own_users::<W>(job));
    let users = all_users::<W>(job);
    if (users as usize) < targets.len() {
        return Err(JobError::at(
            loads_path(&loads),
            format!("{users} users are too few for {} targets", targets.len()),
        )
        .hint("each user loads one target: use at least one user for each target"));
    }
    let placement = placement::<W>(job);
    let at_begin = own.iter().map(|own| u64::from(own.at_begin)).sum();
    Demand::of(placement, at_begin, loads_path(&loads)).check()?;
    check_busy::<W>(job, placement, at_begin)?;
    check_scheduling(placement.scheduling)?;
    let agent_users = own.iter().map(|own| own.most).fold(0, u32::saturating_add);
    let workloads = loads.iter().zip(own).map(|(each, own)| {
        let setup = Setup {
            targets: targets.clone(),
            users,
            own_users: own.most,
            agent_users,
            stream: each.load.is_stream(),
            rest_s: each.load.rest_s(),
            seed: job.seed,
            force: job.force,
            i_own_this_data: job.i_own_this_data,
            credentials: job.credentials,
        };
        igen_job::job::params(each.params)
            .and_then(|params| W::new(params, setup))
            .map_err(|error| each.blamed(error))
    });
    workloads.collect()
}

/// Refuses more threads that never wait than the processors can take turns with: nothing else would run for seconds.
fn check_busy<W: Workload>(job: &Job, placement: Placement, users: u64) -> Result<(), JobError> {
    let loads = job.loads();
    let waits = placement.task.is_some() || loads.iter().any(|each| !each.load.is_stream());
    let most = BUSY_PER_PROCESSOR * processors() as u64;
    if !W::KEEPS_PROCESSOR || job.force || waits || users <= most {
        return Ok(());
    }
    let text = format!(
        "{users} users of {} that never wait are too many for {} processors",
        W::NAME,
        processors()
    );
    Err(JobError::at(loads_path(&loads), text).hint(format!(
        "use at most {most} users, set a think time, or add --force (`force` of the job)"
    )))
}

/// Refuses a way to schedule that this machine, or this user, does not have.
fn check_scheduling(way: Option<Scheduling>) -> Result<(), JobError> {
    let Some(way) = way else {
        return Ok(());
    };
    scheduling::possible(way).map_err(|error| {
        let text = format!("cannot use the scheduling `{way}`: {error}");
        JobError::at("placement.scheduling", text)
            .hint("use `batch` or `idle`, or run as root or with the capability SYS_NICE")
    })
}

/// Where the loads of a job stand in it.
fn loads_path(loads: &[JobLoad<'_>]) -> &'static str {
    match loads {
        [JobLoad { name: None, .. }] => "load",
        _ => "personas",
    }
}

/// Returns `job` with the defaults of workload `W` filled in.
#[must_use]
pub fn normalised<W: Workload>(job: &Job) -> Job {
    let mut job = job.clone();
    if job.targets.is_empty() {
        job.targets.extend(W::DEFAULT_TARGET.map(str::to_owned));
    }
    job.placement = Some(placement::<W>(&job));
    job
}

/// Writes what `prepare` would load into the target of that index.
pub fn export<W: Workload>(
    job: &Job,
    target: usize,
    output: &mut dyn Write,
) -> Result<(), JobError> {
    // What the personas of a job work on is the same: the first of them speaks for all.
    match check::<W>(job)?.first() {
        Some(workload) => workload.export(target, output),
        None => Ok(()),
    }
}

/// Executes `job`.
pub fn run<W: Workload>(job: &Job, host: &mut Host) -> Result<Report, JobError> {
    let workloads: Vec<_> = check::<W>(job)?.into_iter().map(Arc::new).collect();
    let job = &normalised::<W>(job);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build_local(LocalOptions::default())
        .map_err(|error| JobError::new(format!("cannot create an event loop: {error}")))?;
    runtime.block_on(execute(job, host, &workloads))
}

async fn execute<W: Workload>(
    job: &Job,
    host: &mut Host,
    workloads: &[Arc<W>],
) -> Result<Report, JobError> {
    let mut report = Report {
        outcome: Outcome::Complete,
        unfinished_users: 0,
    };
    for step in &job.steps {
        let done = match step {
            Step::Prepare => {
                let workloads = workloads.to_vec();
                let body = move |progress: ProgressReporter| -> StepFuture {
                    Box::pin(async move {
                        for workload in workloads {
                            workload.prepare(&progress).await?;
                        }
                        Ok(())
                    })
                };
                step::run(host, Phase::Prepare, Box::new(body)).await?
            }
            Step::Verify if job.steps.contains(&Step::Measure) => {
                let workloads = workloads.to_vec();
                let body = move |_| -> StepFuture {
                    Box::pin(async move {
                        for workload in workloads {
                            workload.verify(false).await?;
                        }
                        Ok(())
                    })
                };
                step::run(host, Phase::Verify, Box::new(body)).await?
            }
            Step::Verify => verify_all(job, host, workloads, false).await?,
            Step::Cleanup => {
                let workloads = workloads.to_vec();
                let body = move |_| -> StepFuture {
                    Box::pin(async move {
                        for workload in workloads {
                            workload.cleanup().await?;
                        }
                        Ok(())
                    })
                };
                step::run(host, Phase::Cleanup, Box::new(body)).await?
            }
            Step::Measure => {
                if tell_facts(job, host, workloads).await {
                    report = measure(job, host, workloads).await?;
                    report.outcome == Outcome::Complete
                } else {
                    false
                }
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

/// `false` when told to stop: a server that is asked for its facts may never answer.
async fn tell_facts<W: Workload>(job: &Job, host: &mut Host, workloads: &[Arc<W>]) -> bool {
    host.fact(facts::WORKLOAD_VERSION.is(W::VERSION));
    host.fact(facts::WORKLOAD_TRANSACTIONS.is(W::TRANSACTIONS));
    host.fact(facts::WORKLOAD_RATES.is(json!(W::RATES)));
    let mut told = Vec::new();
    for workload in workloads {
        let Some(mut of_load) = step::unless_stopped(host, workload.facts()).await else {
            return false;
        };
        of_load.push(facts::WORKLOAD_OPERATIONS.is(json!(workload.operations())));
        told.push(of_load);
    }
    tell_of_loads(job, host, &told);
    true
}

/// Tells the facts of each load, those that all say alike once.
fn tell_of_loads(job: &Job, host: &Host, told: &[Vec<Fact>]) {
    let Some(first) = told.first().cloned() else {
        return;
    };
    let common = |fact: &Fact| told.iter().all(|facts| facts.contains(fact));
    for fact in first.into_iter().filter(common) {
        host.fact(fact);
    }
    for (load, facts) in job.loads().into_iter().zip(told) {
        for fact in facts.iter().filter(|fact| !common(fact)) {
            host.fact(fact.clone().of_load(|name| load.path(name)));
        }
    }
}

async fn measure<W: Workload>(
    job: &Job,
    host: &mut Host,
    workloads: &[Arc<W>],
) -> Result<Report, JobError> {
    if job.canary_s > 0.0 {
        host.event(Event::Canary(canary::spin(
            &host.clock,
            job.canary_s,
            false,
        )));
    }
    let report = drive_loads(job, host, workloads).await?;
    if report.outcome == Outcome::Interrupted {
        return Ok(report);
    }
    if job.canary_s > 0.0 {
        host.event(Event::Canary(canary::spin(&host.clock, job.canary_s, true)));
    }
    let verified = verify_all(job, host, workloads, true).await?;
    let outcome = if verified {
        report.outcome
    } else {
        Outcome::Interrupted
    };
    Ok(Report { outcome, ..report })
}

/// Verifies what is there and reads back what was written: of this job, or of earlier ones.
async fn verify_all<W: Workload>(
    job: &Job,
    host: &mut Host,
    workloads: &[Arc<W>],
    after: bool,
) -> Result<bool, JobError> {
    let to_verify = workloads.to_vec();
    let body = move |progress: ProgressReporter| -> StepFuture {
        Box::pin(async move {
            for workload in to_verify {
                workload.verify(after).await?;
                workload.read_back(after, &progress).await?;
            }
            Ok(())
        })
    };
    let verified = step::run(host, Phase::Verify, Box::new(body)).await;
    if matches!(verified, Ok(false)) {
        return verified;
    }
    let mut told = Vec::new();
    for workload in workloads {
        let Some(facts) = step::unless_stopped(host, workload.facts_after()).await else {
            return verified.map(|_| false);
        };
        told.push(facts);
    }
    tell_of_loads(job, host, &told);
    verified
}

async fn drive_loads<W: Workload>(
    job: &Job,
    host: &mut Host,
    workloads: &[Arc<W>],
) -> Result<Report, JobError> {
    let way = placement::<W>(job).scheduling;
    lead(way, true)?;
    let report = drive_scheduled(job, host, workloads).await?;
    // After a failure or a stop only the end follows: users that are still busy must not hold it up.
    if report.outcome == Outcome::Complete {
        lead(way, false)?;
    }
    Ok(report)
}

/// What the thread that leads a load needs to be able to, or needs no more: users of a fixed priority, or thousands of
/// busy ones, would keep the processors from whoever has to stop them.
fn lead(way: Option<Scheduling>, begins: bool) -> Result<(), JobError> {
    let done = match way {
        Some(Scheduling::Autogroup) => scheduling::lift_session(begins),
        Some(way) if way.is_fixed() && begins => scheduling::above(),
        Some(way) if way.is_fixed() => scheduling::take(Scheduling::Other),
        _ if begins => scheduling::lift(),
        _ => scheduling::lower(),
    };
    done.map_err(|error| {
        let text = format!("cannot change the scheduling of the agent: {error}");
        JobError::at("placement.scheduling", text)
    })
}

async fn drive_scheduled<W: Workload>(
    job: &Job,
    host: &mut Host,
    workloads: &[Arc<W>],
) -> Result<Report, JobError> {
    let launch = Launch::new(job, host, workloads)?;
    let loads = launch.loads.clone();
    let more = launch.more_sender.clone();
    let models: Vec<&Load> = job.loads().iter().map(|each| each.load).collect();
    let kind = Kind {
        stream: models.iter().all(|load| load.is_stream()),
        timed: models
            .iter()
            .any(|load| !matches!(load, Load::Closed { .. })),
        elsewhere: host.targets_elsewhere,
    };
    let mut threads = Threads::start(loads.clone(), placement::<W>(job), &launch.crew, kind, more)?;
    let statistics = threads.statistics.clone();
    let report = launch
        .lead(job, host, statistics, &mut |place| threads.add_user(place))
        .await?;
    if loads.iter().all(|load| load.crowd.driving() == 0) {
        threads.join();
    }
    match loads.iter().map(|load| load.crowd.panicked()).sum() {
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
                "use a target that begins with {}://",
                W::TARGETS.join(":// or ")
            )),
        );
    }
    for (index, target) in targets.iter().enumerate() {
        let path = format!("targets[{index}]");
        if W::TARGETS.is_empty() {
            return Err(JobError::at(
                path,
                format!("workload {} does not use a target", W::NAME),
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
