//! A workload whose transactions only wait, and what came of running it.

use igen_engine::{
    Failure, FailureKind, Monitor, Recorder, Setup, Then, User, UserContext, Workload, paused,
};
use igen_job::event::{ArrivalCounts, End, Event, PersonaSnapshot, Phase, Snapshot};
use igen_job::{Command, Job, JobError, Placement};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// A workload whose transaction waits, and fails when told to.
struct Waiter(Params);

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Params {
    service_ms: u64,
    /// Every so many transactions of a user fail.
    fail_every: u64,
    /// Failures lose the user.
    lost: bool,
    /// Failures are the last that a user does.
    last: bool,
    /// Time of each transaction that is no part of it.
    aside_ms: u64,
    /// Think time before the operation and after it.
    pause_ms: u64,
    /// Think time of the user's own before its next transaction.
    think_ms: u64,
    /// Names of operations that come from the parameters; transactions take turns at them.
    steps: Vec<String>,
    /// What is told before the load.
    warns: Vec<String>,
}

struct WaiterUser {
    params: Params,
    id: u32,
    done: u64,
    step: usize,
}

impl Workload for Waiter {
    const NAME: &'static str = "waiter";
    const SUMMARY: &'static str = "waits";
    const VERSION: u32 = 1;
    const OPERATIONS: &'static [&'static str] = &["wait", "prelude"];
    const COUNTERS: &'static [&'static str] = &["waits", "numbers"];
    const PLACEMENT: Placement = Placement::TASKS;
    type Params = Params;
    type User = WaiterUser;

    fn new(params: Params, _: Setup) -> Result<Self, JobError> {
        Ok(Self(params))
    }

    fn warnings(&self) -> Vec<JobError> {
        self.0.warns.iter().map(JobError::new).collect()
    }

    fn operations(&self) -> Vec<String> {
        if self.0.steps.is_empty() {
            return Self::OPERATIONS.iter().map(ToString::to_string).collect();
        }
        self.0.steps.clone()
    }

    async fn user(&self, context: UserContext) -> Result<WaiterUser, Failure> {
        Ok(WaiterUser {
            params: self.0.clone(),
            id: context.id,
            done: 0,
            step: 0,
        })
    }
}

impl User for WaiterUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        self.done += 1;
        let timer = recorder.timer().clone();
        let wait = async |ms: u64| {
            timer
                .sleep_until(timer.clock().now_ns() + ms * 1_000_000)
                .await;
            Ok(())
        };
        if self.params.aside_ms > 0 {
            recorder.aside(1, wait(self.params.aside_ms)).await?;
        }
        let steps = self.params.steps.len().max(1);
        self.step = (self.step + 1) % steps;
        if self.params.pause_ms > 0 {
            recorder.pause(self.params.pause_ms * 1_000_000).await;
        }
        recorder
            .time(self.step, wait(self.params.service_ms))
            .await?;
        if self.params.pause_ms > 0 {
            recorder.pause(self.params.pause_ms * 1_000_000).await;
        }
        if self.params.think_ms > 0 {
            recorder.think(self.params.think_ms * 1_000_000);
        }
        recorder.count(0, 1);
        recorder.count(1, self.id.into());
        if self.params.fail_every > 0 && self.done.is_multiple_of(self.params.fail_every) {
            let failure = Failure::new(FailureKind::Check, "told to fail");
            return Err(failure.then(match (self.params.lost, self.params.last) {
                (true, _) => Then::Anew,
                (_, true) => Then::End,
                _ => Then::GoOn,
            }));
        }
        Ok(())
    }
}

pub struct Ran {
    pub measured: Vec<Snapshot>,
    pub all: Vec<Snapshot>,
    pub events: Vec<Event>,
}

pub fn ran(job: &Value, commands: &[(f64, Command)]) -> Ran {
    watched(job, commands, Vec::new())
}

/// Does the same, and reads monitors.
pub fn watched(job: &Value, commands: &[(f64, Command)], monitors: Vec<Box<dyn Monitor>>) -> Ran {
    let mut job = job.clone();
    job["workload"] = json!("waiter");
    let job = Job::from_json(&job.to_string()).unwrap();
    let events = paused::watched::<Waiter>(&job, commands, monitors).unwrap();
    let all: Vec<Snapshot> = events
        .iter()
        .filter_map(|event| match event {
            Event::Snapshot(snapshot) => Some((**snapshot).clone()),
            _ => None,
        })
        .collect();
    let measured = all
        .iter()
        .filter(|snapshot| snapshot.phase == Phase::Measure)
        .cloned();
    Ran {
        measured: measured.collect(),
        all,
        events,
    }
}

impl Ran {
    pub fn count(&self) -> u64 {
        self.measured
            .iter()
            .map(|snapshot| snapshot.transactions.count)
            .sum()
    }

    pub fn failed(&self) -> u64 {
        self.measured
            .iter()
            .map(|snapshot| snapshot.transactions.failed)
            .sum()
    }

    pub fn arrivals(&self) -> ArrivalCounts {
        self.all
            .iter()
            .filter_map(|snapshot| snapshot.arrivals)
            .fold(ArrivalCounts::default(), |sum, next| ArrivalCounts {
                due: sum.due + next.due,
                started: sum.started + next.started,
                unsent: sum.unsent + next.unsent,
                backlog: next.backlog,
            })
    }

    pub fn mean_response_ms(&self) -> f64 {
        let times = self.measured.iter().map(|snapshot| &snapshot.transactions);
        let sum = times.map(|t| t.response_time.as_ref().unwrap_or(&t.service_time).sum_ns);
        sum.sum::<u64>() as f64 / self.count() as f64 / 1e6
    }

    pub fn mean_service_ms(&self) -> f64 {
        let sum = self
            .measured
            .iter()
            .map(|snapshot| snapshot.transactions.service_time.sum_ns);
        sum.sum::<u64>() as f64 / self.count() as f64 / 1e6
    }

    pub fn end(&self) -> End {
        match self.events.last() {
            Some(Event::End(end)) => end.clone(),
            other => panic!("no end: {other:?}"),
        }
    }

    /// What a persona did in each interval of MEASURE.
    pub fn persona(&self, name: &str) -> Vec<&PersonaSnapshot> {
        let measured = self.measured.iter();
        measured.map(|snapshot| &snapshot.personas[name]).collect()
    }

    /// Users that Little's law finds: X (R + Z).
    pub fn users_accounted_for(&self) -> f64 {
        let of = |snapshot: &Snapshot| {
            snapshot.transactions.service_time.sum_ns + snapshot.think_time_ns
        };
        self.measured.iter().map(of).sum::<u64>() as f64 / 1e9 / self.measured_s()
    }

    pub fn measured_s(&self) -> f64 {
        self.measured
            .iter()
            .map(|snapshot| snapshot.end_s - snapshot.start_s)
            .sum()
    }
}

pub fn near(value: f64, truth: f64, tolerance: f64) {
    assert!(
        (value - truth).abs() <= tolerance,
        "{value} instead of {truth}"
    );
}
