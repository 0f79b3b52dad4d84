//! Runs a job in simulated time: all users on one thread, the clock jumps from event to event. Hours
//! pass in milliseconds and nothing depends on the machine. For tests of the engine and of workloads
//! whose transactions only wait.

use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use igen_job::event::{End, Event};
use igen_job::{Command, Job, JobError};
use tokio::runtime::LocalOptions;
use tokio::sync::mpsc;

use crate::clock::Clock;
use crate::drive::Seat;
use crate::host::Host;
use crate::launch::Launch;
use crate::monitor::Monitor;
use crate::placement::run_tasks;
use crate::run::check;
use crate::timer::Timer;
use crate::workload::Workload;

/// Measures `job` and returns its events; `commands` come at their seconds. Only the MEASURE step is
/// done, without canary.
pub fn run<W: Workload>(job: &Job, commands: &[(f64, Command)]) -> Result<Vec<Event>, JobError> {
    watched::<W>(job, commands, Vec::new())
}

/// Runs a job in the same way, and reads monitors.
pub fn watched<W: Workload>(
    job: &Job,
    commands: &[(f64, Command)],
    monitors: Vec<Box<dyn Monitor>>,
) -> Result<Vec<Event>, JobError> {
    let no_loop = |error| JobError::new(format!("cannot create an event loop: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build_local(LocalOptions::default())
        .map_err(no_loop)?;
    let events = Arc::new(Mutex::new(Vec::new()));
    let emit = {
        let events = Arc::clone(&events);
        move |event| {
            events
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(event);
        }
    };
    runtime.block_on(async {
        let (send, receive) = mpsc::unbounded_channel();
        tokio::task::spawn_local(say(commands.to_vec(), send));
        let clock = Clock::paused();
        let mut host = Host {
            emit: Arc::new(emit),
            commands: receive,
            monitors,
            clock,
            targets_elsewhere: false,
            unattended: Arc::default(),
        };
        let workloads = check::<W>(job)?.into_iter().map(Arc::new).collect();
        lead(job, &mut host, workloads).await
    })?;
    let mut events = events.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *events))
}

async fn say(commands: Vec<(f64, Command)>, send: mpsc::UnboundedSender<Command>) {
    let begin = tokio::time::Instant::now();
    for (at_s, command) in commands {
        tokio::time::sleep_until(begin + Duration::from_secs_f64(at_s)).await;
        if send.send(command).is_err() {
            return;
        }
    }
    std::future::pending::<()>().await;
}

async fn lead<W: Workload>(
    job: &Job,
    host: &mut Host,
    workloads: Vec<Arc<W>>,
) -> Result<(), JobError> {
    let launch = Launch::new(job, host, &workloads)?;
    let (loads, crew) = (launch.loads.clone(), launch.crew.clone());
    let (timer, serve) = Timer::new(host.clock.clone(), loads[0].stop.clone())
        .map_err(|error| JobError::new(format!("no timer: {error}")))?;
    tokio::task::spawn_local(serve);
    let statistics: Vec<_> = loads
        .iter()
        .map(|load| Arc::new(load.statistics()))
        .collect();
    let (more, requests) = mpsc::unbounded_channel();
    let seats = statistics.iter().map(|statistics| {
        Some(Rc::new(Seat {
            timer: timer.clone(),
            statistics: Arc::clone(statistics),
            more: more.clone(),
            shared: true,
        }))
    });
    let seats: Vec<_> = seats.collect();
    tokio::task::spawn_local(async move { run_tasks(&loads, crew, &seats, requests).await });
    let statistics = statistics.into_iter().map(|it| vec![it]).collect();
    let report = launch
        .lead(job, host, statistics, &mut |_| Ok(None))
        .await?;
    let (outcome, unfinished_users) = (report.outcome, report.unfinished_users);
    let at_s = host.clock.now_s();
    host.event(Event::End(End {
        outcome,
        at_s,
        unfinished_users,
    }));
    Ok(())
}
