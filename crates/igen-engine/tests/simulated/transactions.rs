//! What is timed and counted, and what happens to failures.

use igen_job::FailureKind;
use igen_job::event::{Event, Phase};
use serde_json::json;

use crate::waiter::{near, ran};

#[test]
fn operations_belong_to_the_instance() {
    let ran = ran(
        &json!({"load": {"closed": {"users": 1}}, "params": {"service_ms": 10, "steps": ["a", "b"]},
                "phases": {"warmup_s": 0, "measure_s": 2}}),
        &[],
    );
    for snapshot in &ran.measured {
        let named: Vec<_> = snapshot.operations.iter().collect();
        assert_eq!([named[0].0, named[1].0], ["a", "b"]);
        near(named[0].1.count as f64, 50.0, 1.0);
        assert_eq!(snapshot.operations_since_s, None);
    }
}

#[test]
fn a_long_list_of_operations_is_told_in_every_tenth_snapshot_and_adds_up() {
    let steps: Vec<String> = (0..100).map(|step| format!("step {step}")).collect();
    let ran = ran(
        &json!({"load": {"closed": {"users": 1}}, "params": {"service_ms": 10, "steps": steps},
                "phases": {"warmup_s": 3, "measure_s": 25}}),
        &[],
    );
    let told = ran.all.iter().filter(|s| s.operations_since_s.is_some());
    let times: Vec<_> = told
        .map(|s| {
            (
                s.phase,
                s.operations_since_s.unwrap().round(),
                s.end_s.round(),
            )
        })
        .collect();
    assert_eq!(
        times,
        [
            (Phase::Warmup, 0.0, 3.0),
            (Phase::Measure, 3.0, 13.0),
            (Phase::Measure, 13.0, 23.0),
            (Phase::Measure, 23.0, 28.0),
            (Phase::Drain, 28.0, 28.0),
        ]
    );
    let operations = ran.measured.iter().flat_map(|s| s.operations.values());
    assert_eq!(operations.map(|each| each.count).sum::<u64>(), ran.count());
    let silent = ran.all.iter().filter(|s| s.operations_since_s.is_none());
    assert!(silent.flat_map(|s| &s.operations).next().is_none());
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
        .flat_map(|s| &s.failures)
        .filter(|each| each.kind == FailureKind::Check && each.text == "told to fail")
        .map(|each| each.count)
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
fn a_user_that_stops_is_missed_by_the_load_and_by_the_end_of_it() {
    let ran = ran(
        &json!({"load": {"closed": {"users": 3}},
                "params": {"service_ms": 10, "fail_every": 150, "last": true},
                "phases": {"warmup_s": 0, "measure_s": 3}}),
        &[],
    );
    assert_eq!((ran.count(), ran.failed()), (3 * 149, 3));
    let users: Vec<_> = ran.measured.iter().map(|s| s.users).collect();
    assert_eq!((users[0], users[users.len() - 1]), (3, 0));
    let unfinished = ran.events.iter().find_map(|event| match event {
        Event::End(end) => Some(end.unfinished_users),
        _ => None,
    });
    assert_eq!(unfinished, Some(0));
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
