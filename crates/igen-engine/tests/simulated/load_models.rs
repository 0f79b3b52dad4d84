//! When users start, and what they do between.

use serde_json::json;

use crate::waiter::{near, ran};

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
fn users_are_accounted_for_with_what_they_thought() {
    for think in [
        json!(0.09),
        json!({"uniform": [0.05, 0.13]}),
        json!({"exponential": "90ms"}),
    ] {
        let ran = ran(
            &json!({"load": {"closed": {"users": 50, "think_time_s": think}},
                    "params": {"service_ms": 10}, "phases": {"warmup_s": 1, "measure_s": 60}}),
            &[],
        );
        near(ran.count() as f64, 30_000.0, 450.0);
        near(ran.users_accounted_for(), 50.0, 0.5);
    }
}

#[test]
fn pauses_are_think_time_and_no_part_of_the_transaction() {
    let ran = ran(
        &json!({"load": {"closed": {"users": 10}}, "params": {"service_ms": 10, "pause_ms": 45},
                "phases": {"warmup_s": 1, "measure_s": 10}}),
        &[],
    );
    near(ran.count() as f64, 1000.0, 10.0);
    near(ran.mean_service_ms(), 10.0, 0.1);
    // The alarm of simulated time rings up to a millisecond late: the transaction is late by that.
    near(ran.mean_response_ms(), 11.0, 1.0);
    near(ran.users_accounted_for(), 10.0, 0.4);
    let think_ns: u64 = ran.measured.iter().map(|s| s.think_time_ns).sum();
    near(think_ns as f64 / 1e9, 90.0, 1.0);
}

#[test]
fn what_a_user_thinks_of_its_own_accord_takes_the_place_of_the_loads_think_time() {
    for load in [
        json!({"users": 10}),
        json!({"users": 10, "think_time_s": "1s"}),
    ] {
        let ran = ran(
            &json!({"load": {"closed": load}, "params": {"service_ms": 10, "think_ms": 90},
                    "phases": {"warmup_s": 2, "measure_s": 10}}),
            &[],
        );
        near(ran.count() as f64, 1000.0, 10.0);
        near(ran.mean_service_ms(), 10.0, 0.1);
        near(ran.users_accounted_for(), 10.0, 0.4);
    }
    let paced = ran(
        &json!({"load": {"paced": {"users": 4, "rate_per_user_per_s": 10}},
                "params": {"service_ms": 20, "think_ms": 900}, "phases": {"warmup_s": 1, "measure_s": 10}}),
        &[],
    );
    near(paced.count() as f64, 400.0, 4.0);
}

#[test]
fn a_pause_ends_when_the_load_stops() {
    let ran = ran(
        &json!({"load": {"closed": {"users": 1}}, "params": {"service_ms": 10, "pause_ms": 3_600_000},
                "phases": {"warmup_s": 0, "measure_s": 10}}),
        &[],
    );
    near(ran.end().at_s, 10.0, 0.1);
    assert_eq!(ran.end().unfinished_users, 0);
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
fn each_load_seed_draws_other_arrivals() {
    let of = |load_seed: Option<u64>| {
        let job = json!({"load": {"open": {"rate_per_s": 100, "arrivals": "poisson"}},
                         "phases": {"warmup_s": 0, "measure_s": 10}, "load_seed": load_seed, "seed": 42});
        ran(&job, &[])
            .measured
            .iter()
            .map(|s| s.transactions.count)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(Some(7)), of(Some(7)));
    assert_ne!(of(Some(7)), of(Some(8)));
    assert_eq!(
        of(None),
        of(Some(42)),
        "the seed of the data where there is none"
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
