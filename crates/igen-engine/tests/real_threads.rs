//! The engine on real threads and the real clock: what simulated time cannot show.
#![allow(clippy::unwrap_used, missing_docs)]

use std::sync::{Arc, Mutex};

use igen_engine::run::run;
use igen_engine::{Clock, Failure, Host, Recorder, Setup, User, UserContext, Workload};
use igen_engine::{FailureKind, Report};
use igen_job::event::{Event, Outcome, Phase, PhaseStart, Snapshot};
use igen_job::{Command, Fact, Job, JobError, facts};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// A workload that misbehaves when told to.
struct Rascal(Params);

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Params {
    /// This user cannot be created.
    fails: Option<u32>,
    /// This user cannot be created, for a bug.
    panics: Option<u32>,
    /// This user's transactions have a bug.
    panics_later: Option<u32>,
    /// Transactions never end by themselves.
    endless: bool,
    /// Preparing never ends by itself.
    endless_prepare: bool,
    /// Facts `before` the load, or `after` it, never come.
    endless_facts: String,
    service_ms: u64,
}

struct RascalUser {
    params: Params,
    id: u32,
}

impl Workload for Rascal {
    const NAME: &'static str = "rascal";
    const SUMMARY: &'static str = "misbehaves";
    const VERSION: u32 = 1;
    type Params = Params;
    type User = RascalUser;

    fn new(params: Params, _: Setup) -> Result<Self, JobError> {
        Ok(Self(params))
    }

    async fn prepare(&self, progress: &igen_engine::ProgressReporter) -> Result<(), JobError> {
        if self.0.endless_prepare {
            std::future::pending::<()>().await;
        }
        progress.report("preparing", self.0.service_ms, self.0.service_ms, "ms");
        Ok(())
    }

    async fn facts(&self) -> Vec<Fact> {
        if self.0.endless_facts == "before" {
            std::future::pending::<()>().await;
        }
        vec![
            facts::TUNABLES_SETTING.of("rascal.service_ms", self.0.service_ms),
            facts::TUNABLES_SETTING.of("rascal.kind", "rascal"),
        ]
    }

    async fn facts_after(&self) -> Vec<Fact> {
        if self.0.endless_facts == "after" {
            std::future::pending::<()>().await;
        }
        Vec::new()
    }

    async fn user(&self, context: UserContext) -> Result<RascalUser, Failure> {
        let id = context.id;
        assert!(self.0.panics != Some(id), "told to panic");
        if self.0.fails == Some(id) {
            return Err(Failure::anew(FailureKind::Other, "told to fail"));
        }
        Ok(RascalUser {
            params: self.0.clone(),
            id,
        })
    }
}

impl User for RascalUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        assert!(self.params.panics_later != Some(self.id), "told to panic");
        if self.params.endless {
            std::future::pending::<()>().await;
        }
        let timer = recorder.timer();
        timer
            .sleep_until(timer.clock().now_ns() + self.params.service_ms * 1_000_000)
            .await;
        Ok(())
    }
}

fn ran(job: Value, first: Option<Command>) -> (Result<Report, JobError>, Vec<Event>) {
    let first = Mutex::new(first);
    ran_and_told(job, move |_| first.lock().unwrap().take())
}

/// Runs `job`, which hears what `tell` answers to its events.
fn ran_and_told(
    mut job: Value,
    tell: impl Fn(&Event) -> Option<Command> + Send + Sync + 'static,
) -> (Result<Report, JobError>, Vec<Event>) {
    job["workload"] = json!("rascal");
    if job["phases"].is_null() {
        job["phases"] = json!({"warmup_s": 0, "measure_s": 0.2, "interval_s": 0.1, "drain_s": 0.2});
    }
    let job = Job::from_json(&job.to_string()).unwrap();
    let events = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&events);
    let (send, commands) = mpsc::unbounded_channel();
    let mut host = Host {
        emit: Arc::new(move |event| {
            if let Some(command) = tell(&event) {
                send.send(command).unwrap();
            }
            sink.lock().unwrap().push(event);
        }),
        commands,
        monitors: Vec::new(),
        clock: Clock::start(),
        targets_elsewhere: false,
        unattended: Arc::default(),
    };
    let report = run::<Rascal>(&job, &mut host);
    let events = std::mem::take(&mut *events.lock().unwrap());
    (report, events)
}

fn snapshots(events: &[Event]) -> Vec<&Snapshot> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Snapshot(snapshot) => Some(&**snapshot),
            _ => None,
        })
        .collect()
}

#[test]
fn a_load_does_not_start_without_all_its_users() {
    for id in [0, 2] {
        let job = json!({"load": {"closed": {"users": 3}}, "params": {"fails": id}});
        let (report, events) = ran(job, None);
        assert!(report.unwrap_err().text.contains("told to fail"));
        assert!(snapshots(&events).is_empty());
    }
}

#[test]
fn a_panic_in_a_workload_is_an_error_of_the_job() {
    for placement in [json!({"thread": {}}), json!({"task": {}})] {
        for params in [json!({"panics": 1}), json!({"panics_later": 1})] {
            let job = json!({"load": {"closed": {"users": 3, "think_time_s": 0.001}},
                             "params": params, "placement": placement});
            let text = ran(job, None).0.unwrap_err().text;
            assert!(text.contains("panicked"), "{text}");
        }
    }
}

#[test]
fn users_that_do_not_end_are_counted() {
    let job = json!({"load": {"closed": {"users": 2}}, "params": {"endless": true}});
    let (report, _) = ran(job, None);
    let report = report.unwrap();
    assert_eq!(
        (report.outcome, report.unfinished_users),
        (Outcome::Complete, 2)
    );
}

#[test]
fn a_load_that_is_told_to_stop_does_not_wait_for_transactions_in_flight() {
    let phases = json!({"warmup_s": 0, "measure_s": 0.1, "interval_s": 0.1, "drain_s": 3600});
    let job =
        json!({"load": {"closed": {"users": 2}}, "params": {"endless": true}, "phases": phases});
    let (report, events) = ran_and_told(job, |event| match event {
        Event::Phase(PhaseStart {
            phase: Phase::Drain,
            ..
        }) => Some(Command::Stop),
        _ => None,
    });
    let report = report.unwrap();
    assert_eq!(
        (report.outcome, report.unfinished_users),
        (Outcome::Interrupted, 2)
    );
    assert_eq!(snapshots(&events).last().unwrap().phase, Phase::Drain);
}

#[test]
fn a_step_that_never_ends_is_stopped() {
    let job = json!({"load": {"closed": {"users": 1}}, "params": {"endless_prepare": true}});
    let (report, events) = ran(job, Some(Command::Stop));
    assert_eq!(report.unwrap().outcome, Outcome::Interrupted);
    assert!(snapshots(&events).is_empty());
}

#[test]
fn facts_that_never_come_do_not_outlive_a_stop() {
    let load = json!({"closed": {"users": 1}});
    let job = json!({"load": load, "params": {"endless_facts": "before"}});
    let (report, events) = ran_and_told(job, |event| match event {
        Event::Fact(_) => Some(Command::Stop),
        _ => None,
    });
    assert_eq!(report.unwrap().outcome, Outcome::Interrupted);
    assert!(snapshots(&events).is_empty());

    let params = json!({"endless_facts": "after", "service_ms": 1});
    let job = json!({"load": load, "params": params, "steps": ["measure"]});
    let (report, events) = ran_and_told(job, |event| match event {
        Event::Phase(PhaseStart {
            phase: Phase::Verify,
            ..
        }) => Some(Command::Stop),
        _ => None,
    });
    assert_eq!(report.unwrap().outcome, Outcome::Interrupted);
    assert_eq!(snapshots(&events).last().unwrap().phase, Phase::Drain);
}

#[test]
fn an_open_load_grows_by_threads_and_by_tasks() {
    for placement in [json!({"thread": {}}), json!({"task": {"threads": 1}})] {
        let job = json!({"load": {"open": {"rate_per_s": 200}}, "params": {"service_ms": 50},
                         "placement": placement});
        let (report, events) = ran(job, None);
        assert_eq!(report.unwrap().outcome, Outcome::Complete);
        let most = snapshots(&events)
            .iter()
            .map(|snapshot| snapshot.users)
            .max();
        assert!(most > Some(2), "{most:?}");
    }
}

#[test]
fn users_that_cannot_join_a_running_load_are_failures() {
    let job = json!({"load": {"open": {"rate_per_s": 200}},
                     "params": {"service_ms": 50, "fails": 3}});
    let (report, events) = ran(job, None);
    assert_eq!(report.unwrap().outcome, Outcome::Complete);
    let failed: u64 = snapshots(&events)
        .iter()
        .map(|snapshot| snapshot.transactions.failed)
        .sum();
    assert_eq!(failed, 1);
}

#[test]
fn threads_that_spin_say_for_how_long() {
    let load = json!({"open": {"rate_per_s": 500.0, "users": 2}});
    for way in ["task", "thread"] {
        for precise in [true, false] {
            let placement = json!({way: {}, "precise": precise});
            let job = json!({"load": load, "placement": placement});
            let (report, events) = ran(job, None);
            assert_eq!(report.unwrap().outcome, Outcome::Complete);
            let spun: Vec<f64> = events
                .iter()
                .filter_map(|event| match event {
                    Event::Fact(fact) if fact.name == "engine.spun_s" => fact.value.as_f64(),
                    _ => None,
                })
                .collect();
            assert_eq!(spun.len(), usize::from(precise), "{placement}");
            assert!(spun.iter().all(|spun_s| *spun_s > 0.0), "{placement}");
            let started: u64 = snapshots(&events)
                .iter()
                .filter_map(|it| it.arrivals.as_ref())
                .map(|arrivals| arrivals.started)
                .sum();
            assert!(started > 0, "{placement}");
        }
    }
}

#[test]
fn pinned_users_run() {
    let job = json!({"load": {"closed": {"users": 3}}, "placement": {"thread": {"pin": true}},
                     "params": {"service_ms": 1}});
    assert_eq!(ran(job, None).0.unwrap().outcome, Outcome::Complete);
}

#[test]
fn personas_are_prepared_once_each_and_run_together() {
    for placement in [json!({"thread": {}}), json!({"task": {"threads": 1}})] {
        let job = json!({"personas": {
                             "clerks": {"params": {"service_ms": 2}, "load": {"closed": {"users": 2}}},
                             "orders": {"params": {"service_ms": 50}, "load": {"open": {"rate_per_s": 200}}}},
                         "placement": placement});
        let (report, events) = ran(job, None);
        assert_eq!(report.unwrap().outcome, Outcome::Complete);
        let prepared = events.iter().filter_map(|event| match event {
            Event::Progress(progress) => Some(progress.total),
            _ => None,
        });
        assert_eq!(prepared.collect::<Vec<_>>(), [2, 50]);
        let facts: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::Fact(fact) if fact.name.contains("rascal") => Some(fact.name.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(
            facts,
            [
                "tunables.rascal.kind",
                "personas.clerks.tunables.rascal.service_ms",
                "personas.orders.tunables.rascal.service_ms"
            ]
        );
        let snapshots = snapshots(&events);
        let most = snapshots.iter().map(|it| it.personas["orders"].users).max();
        assert!(most > Some(2), "{most:?}");
        assert!(
            snapshots
                .iter()
                .any(|it| it.personas["clerks"].transactions.count > 0)
        );
    }
}
