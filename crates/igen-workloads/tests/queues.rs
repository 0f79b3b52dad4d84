//! The `model` workload in simulated time against queueing theory: the engine measures what is true.
#![allow(clippy::unwrap_used, missing_docs)]

use igen_engine::paused;
use igen_job::Job;
use igen_job::event::{Event, Phase, Statistics};
use igen_model::Model;
use serde_json::{Value, json};

struct Measured {
    per_s: f64,
    response_s: f64,
    service_s: f64,
    /// Due less started at the end.
    backlog: u64,
}

fn measured(mut job: Value) -> Measured {
    job["workload"] = json!("model");
    let job = Job::from_json(&job.to_string()).unwrap();
    let (mut count, mut response_ns, mut service_ns, mut length_s) = (0, 0, 0, 0.0);
    let mut backlog = 0;
    for event in paused::run::<Model>(&job, &[]).unwrap() {
        let Event::Snapshot(snapshot) = event else {
            continue;
        };
        if snapshot.phase != Phase::Measure {
            continue;
        }
        let Statistics {
            count: n,
            service_time,
            response_time,
            ..
        } = snapshot.transactions;
        count += n;
        service_ns += service_time.sum_ns;
        response_ns += response_time.unwrap_or(service_time).sum_ns;
        length_s += snapshot.end_s - snapshot.start_s;
        backlog = snapshot.arrivals.map_or(0, |arrivals| arrivals.backlog);
    }
    Measured {
        per_s: count as f64 / length_s,
        response_s: response_ns as f64 / 1e9 / count as f64,
        service_s: service_ns as f64 / 1e9 / count as f64,
        backlog,
    }
}

fn within(value: f64, truth: f64, share: f64) {
    assert!(
        (value / truth - 1.0).abs() <= share,
        "{value} instead of {truth}"
    );
}

/// Probability of waiting in M/M/k with offered load `a` (Erlang C).
fn erlang_c(k: u32, a: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 0.0;
    for n in 0..k {
        sum += term;
        term *= a / f64::from(n + 1);
    }
    let last = term * f64::from(k) / (f64::from(k) - a);
    last / (sum + last)
}

#[test]
fn one_server_under_poisson_arrivals_is_m_m_1() {
    // Mean response time 1 / (mu - lambda) = 1 / (1 - 0.5) s.
    let found = measured(json!({
        "load": {"open": {"rate_per_s": 0.5, "arrivals": "poisson"}},
        "params": {"service_time": 1},
        "phases": {"warmup_s": 1000, "measure_s": 200_000, "interval_s": 1000},
    }));
    within(found.per_s, 0.5, 0.01);
    within(found.response_s, 2.0, 0.03);
}

#[test]
fn one_connection_makes_the_queue_visible_in_the_response_time_only() {
    let found = measured(json!({
        "load": {"open": {"rate_per_s": 0.5, "users": 1, "arrivals": "poisson"}},
        "params": {"service_time": 1},
        "phases": {"warmup_s": 1000, "measure_s": 200_000, "interval_s": 1000},
    }));
    within(found.service_s, 1.0, 0.02);
    assert!(found.response_s > 1.5, "{}", found.response_s);
}

#[test]
fn constant_service_halves_the_wait() {
    // M/D/1: mean wait rho / (2 mu (1 - rho)) = 0.5 s.
    let found = measured(json!({
        "load": {"open": {"rate_per_s": 0.5, "arrivals": "poisson"}},
        "params": {"service_time": 1, "service": "deterministic"},
        "phases": {"warmup_s": 1000, "measure_s": 200_000, "interval_s": 1000},
    }));
    within(found.response_s, 1.5, 0.03);
}

#[test]
fn three_servers_under_poisson_arrivals_are_m_m_3() {
    let (k, rate) = (3, 2.4);
    let wait_s = erlang_c(k, rate) / (f64::from(k) - rate);
    let found = measured(json!({
        "load": {"open": {"rate_per_s": rate, "arrivals": "poisson"}},
        "params": {"service_time": 1, "servers": k},
        "phases": {"warmup_s": 1000, "measure_s": 100_000, "interval_s": 1000},
    }));
    within(found.response_s, 1.0 + wait_s, 0.05);
}

#[test]
fn a_closed_load_is_the_repairman_model() {
    // Mean value analysis of one server and a think stage: exact for exponential service.
    let think_s = 5.0;
    for users in [1_u32, 4, 8, 16] {
        let (mut queue, mut per_s, mut response_s) = (0.0, 0.0, 0.0);
        for n in 1..=users {
            response_s = 1.0 + queue;
            per_s = f64::from(n) / (response_s + think_s);
            queue = per_s * response_s;
        }
        let found = measured(json!({
            "load": {"closed": {"users": users, "think_time_s": think_s}},
            "params": {"service_time": 1},
            "phases": {"warmup_s": 1000, "measure_s": 100_000, "interval_s": 1000},
        }));
        within(found.per_s, per_s, 0.02);
        within(found.response_s, response_s, 0.03);
        let in_system = found.per_s * (found.response_s + think_s);
        within(in_system, f64::from(users), 0.01); // Little's law
    }
}

#[test]
fn an_open_load_beyond_capacity_shows_its_backlog() {
    let found = measured(json!({
        "load": {"open": {"rate_per_s": 20, "users": 1}},
        "params": {"service_time": "100ms", "service": "deterministic"},
        "phases": {"warmup_s": 0, "measure_s": 10},
    }));
    within(found.per_s, 10.0, 0.02);
    assert!((98..=102).contains(&found.backlog), "{}", found.backlog);
}
