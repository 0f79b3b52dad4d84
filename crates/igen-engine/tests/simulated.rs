//! The engine in simulated time: load models, phases, failures, commands.
#![allow(clippy::unwrap_used, missing_docs)]

use igen_engine::{Failure, Recorder, Setup, User, UserContext, Workload, paused};
use igen_job::event::{ArrivalCounts, End, Event, Outcome, Phase, Snapshot};
use igen_job::{Command, Job, JobError, Placement, Seconds};
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
    /// Time of each transaction that is no part of it.
    aside_ms: u64,
}

struct WaiterUser {
    params: Params,
    done: u64,
}

impl Workload for Waiter {
    const NAME: &'static str = "waiter";
    const SUMMARY: &'static str = "waits";
    const VERSION: u32 = 1;
    const OPERATIONS: &'static [&'static str] = &["wait", "prelude"];
    const COUNTERS: &'static [&'static str] = &["waits"];
    const PLACEMENT: Placement = Placement::Task { threads: None };
    type Params = Params;
    type User = WaiterUser;

    fn new(params: Params, _: Setup) -> Result<Self, JobError> {
        Ok(Self(params))
    }

    async fn user(&self, _: UserContext) -> Result<WaiterUser, Failure> {
        Ok(WaiterUser {
            params: self.0.clone(),
            done: 0,
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
        recorder.time(0, wait(self.params.service_ms)).await?;
        recorder.count(0, 1);
        if self.params.fail_every > 0 && self.done.is_multiple_of(self.params.fail_every) {
            let reason = "told to fail";
            return Err(if self.params.lost {
                Failure::lost(reason)
            } else {
                Failure::new(reason)
            });
        }
        Ok(())
    }
}

struct Ran {
    measured: Vec<Snapshot>,
    all: Vec<Snapshot>,
    events: Vec<Event>,
}

fn ran(job: &Value, commands: &[(f64, Command)]) -> Ran {
    let mut job = job.clone();
    job["workload"] = json!("waiter");
    let job = Job::from_json(&job.to_string()).unwrap();
    let events = paused::run::<Waiter>(&job, commands).unwrap();
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
    fn count(&self) -> u64 {
        self.measured
            .iter()
            .map(|snapshot| snapshot.transactions.count)
            .sum()
    }

    fn failed(&self) -> u64 {
        self.measured
            .iter()
            .map(|snapshot| snapshot.transactions.failed)
            .sum()
    }

    fn arrivals(&self) -> ArrivalCounts {
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

    fn mean_response_ms(&self) -> f64 {
        let times = self.measured.iter().map(|snapshot| &snapshot.transactions);
        let sum = times.map(|t| t.response_time.as_ref().unwrap_or(&t.service_time).sum_ns);
        sum.sum::<u64>() as f64 / self.count() as f64 / 1e6
    }

    fn mean_service_ms(&self) -> f64 {
        let sum = self
            .measured
            .iter()
            .map(|snapshot| snapshot.transactions.service_time.sum_ns);
        sum.sum::<u64>() as f64 / self.count() as f64 / 1e6
    }

    fn end(&self) -> End {
        match self.events.last() {
            Some(Event::End(end)) => end.clone(),
            other => panic!("no end: {other:?}"),
        }
    }

    fn measured_s(&self) -> f64 {
        self.measured
            .iter()
            .map(|snapshot| snapshot.end_s - snapshot.start_s)
            .sum()
    }
}

fn near(value: f64, truth: f64, tolerance: f64) {
    assert!(
        (value - truth).abs() <= tolerance,
        "{value} instead of {truth}"
    );
}

#[test]
fn stream_users_start_again_at_once() {
    let ran = ran(
        &json!({"load": {"closed": {"users": 2}}, "params": {"service_ms": 10},
                "phases": {"warmup_s": 1, "measure_s": 10}}),
        &[],
    );
    near(ran.count() as f64, 2000.0, 2.0);
    assert_eq!(ran.measured.len(), 10);
    for snapshot in &ran.measured {
        assert!(
            snapshot.transactions.response_time.is_none(),
            "nothing is late in a stream"
        );
        assert_eq!(
            snapshot.operations["wait"].count,
            snapshot.transactions.count
        );
        assert_eq!(snapshot.counters["waits"], snapshot.transactions.count);
    }
    for pair in ran.all.windows(2) {
        near(pair[1].start_s, pair[0].end_s, 1e-9);
    }
}

#[test]
fn users_think_between_transactions() {
    let ran = ran(
        &json!({"load": {"closed": {"users": 10, "think_time_s": 0.09}},
                "params": {"service_ms": 10}, "phases": {"warmup_s": 1, "measure_s": 10}}),
        &[],
    );
    near(ran.count() as f64, 1000.0, 25.0);
}

#[test]
fn paced_users_keep_to_their_timetable() {
    let fast = ran(
        &json!({"load": {"paced": {"users": 4, "rate_per_user_per_s": 10}},
                "params": {"service_ms": 20}, "phases": {"warmup_s": 1, "measure_s": 10}}),
        &[],
    );
    near(fast.count() as f64, 400.0, 4.0);
    near(fast.mean_response_ms(), 20.0, 1.5);
    assert_eq!(fast.arrivals().unsent, 0);
}

#[test]
fn paced_users_that_fall_behind_show_it_and_count_what_they_give_up() {
    let slow = ran(
        &json!({"load": {"paced": {"users": 1, "rate_per_user_per_s": 10}},
                "params": {"service_ms": 200}, "phases": {"warmup_s": 0, "measure_s": 60}}),
        &[],
    );
    near(slow.count() as f64, 300.0, 3.0);
    near(slow.mean_service_ms(), 200.0, 1.0);
    assert!(slow.mean_response_ms() > 5000.0);
    let arrivals = slow.arrivals();
    near(arrivals.due as f64, 600.0, 2.0);
    assert!(arrivals.unsent > 100, "{arrivals:?}");
    assert_eq!(
        arrivals.due,
        arrivals.started + arrivals.unsent + arrivals.backlog
    );
}

#[test]
fn open_arrivals_wait_for_a_free_user() {
    let ran = ran(
        &json!({"load": {"open": {"rate_per_s": 20, "users": 1}},
                "params": {"service_ms": 40}, "phases": {"warmup_s": 0, "measure_s": 10}}),
        &[],
    );
    near(ran.count() as f64, 200.0, 2.0);
    near(ran.mean_response_ms(), 40.0, 1.5);
}

#[test]
fn open_load_without_a_number_of_users_takes_as_many_as_it_needs() {
    let ran = ran(
        &json!({"load": {"open": {"rate_per_s": 100}},
                "params": {"service_ms": 1000}, "phases": {"warmup_s": 3, "measure_s": 10}}),
        &[],
    );
    near(ran.count() as f64, 1000.0, 2.0);
    near(ran.mean_response_ms(), 1000.0, 2.0);
    assert!(
        ran.measured
            .iter()
            .all(|snapshot| (100..=102).contains(&snapshot.users))
    );
}

#[test]
fn failures_are_counted_by_reason_and_timed_apart() {
    let ran = ran(
        &json!({"load": {"closed": {"users": 1}}, "params": {"service_ms": 10, "fail_every": 4},
                "phases": {"warmup_s": 0, "measure_s": 10}}),
        &[],
    );
    near(ran.failed() as f64, 250.0, 1.0);
    near(ran.count() as f64, 750.0, 3.0);
    let reasons: u64 = ran
        .measured
        .iter()
        .map(|s| s.failures["told to fail"])
        .sum();
    assert_eq!(reasons, ran.failed());
    assert!(
        ran.measured
            .iter()
            .all(|s| s.transactions.failed_time.is_some())
    );
}

#[test]
fn a_lost_user_is_replaced() {
    let ran = ran(
        &json!({"load": {"closed": {"users": 1}},
                "params": {"service_ms": 10, "fail_every": 2, "lost": true},
                "phases": {"warmup_s": 0, "measure_s": 10}}),
        &[],
    );
    // A cycle of one success, one loss, and a millisecond of waiting for the replacement.
    near(ran.count() as f64, 10_000.0 / 21.0, 5.0);
    near(ran.failed() as f64, 10_000.0 / 21.0, 5.0);
}

#[test]
fn time_aside_is_no_part_of_the_transaction() {
    let ran = ran(
        &json!({"load": {"closed": {"users": 1}}, "params": {"service_ms": 10, "aside_ms": 30},
                "phases": {"warmup_s": 0, "measure_s": 10}}),
        &[],
    );
    near(ran.count() as f64, 250.0, 1.0);
    near(ran.mean_service_ms(), 10.0, 0.1);
    let prelude: u64 = ran
        .measured
        .iter()
        .map(|s| s.operations["prelude"].service_time.sum_ns)
        .sum();
    near(prelude as f64 / 1e9, 7.5, 0.1);
}

#[test]
fn a_measurement_is_extended_when_the_judge_asks() {
    let extend = Command::Extend {
        measure_s: Seconds(5.0),
    };
    let job = json!({"load": {"closed": {"users": 1}}, "params": {"service_ms": 10},
                     "phases": {"warmup_s": 1, "measure_s": 10, "extendable": true}});
    let extended = ran(&job, &[(11.5, extend), (16.5, Command::Finish)]);
    near(extended.measured_s(), 15.0, 0.01);
    near(extended.end().at_s, 16.5, 0.02);
    let unanswered = ran(&job, &[]);
    near(unanswered.measured_s(), 10.0, 0.01);
    near(unanswered.end().at_s, 21.0, 0.02);
}

#[test]
fn stop_keeps_what_was_measured() {
    let ran = ran(
        &json!({"load": {"closed": {"users": 2}}, "params": {"service_ms": 10},
                "phases": {"warmup_s": 1, "measure_s": 10}}),
        &[(4.25, Command::Stop)],
    );
    assert_eq!(ran.end().outcome, Outcome::Interrupted);
    near(ran.measured_s(), 3.25, 0.01);
    near(ran.count() as f64, 650.0, 2.0);
}

#[test]
fn users_start_one_after_another_in_the_ramp() {
    let ran = ran(
        &json!({"load": {"closed": {"users": 10}}, "params": {"service_ms": 100},
                "phases": {"ramp_s": 10, "warmup_s": 0, "measure_s": 1}}),
        &[],
    );
    let ramp = ran
        .all
        .iter()
        .filter(|snapshot| snapshot.phase == Phase::Ramp);
    let counts: Vec<u64> = ramp.map(|snapshot| snapshot.transactions.count).collect();
    assert_eq!(counts.len(), 10);
    assert!(
        counts.windows(2).all(|pair| pair[0] < pair[1]),
        "{counts:?}"
    );
}

#[test]
fn each_repeat_draws_other_arrivals() {
    let of = |repeat: u32| {
        let job = json!({"load": {"open": {"rate_per_s": 100, "arrivals": "poisson"}},
                         "phases": {"warmup_s": 0, "measure_s": 10}, "repeat": repeat});
        ran(&job, &[])
            .measured
            .iter()
            .map(|s| s.transactions.count)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(0), of(0));
    assert_ne!(of(0), of(1));
}
