//! Several loads in one job: what each does, and that their sum is the job's.

use igen_job::Command;
use igen_job::event::{Outcome, PersonaSnapshot};
use serde_json::{Value, json};

use crate::waiter::{Ran, near, ran};

fn closed(users: u32, think_ms: u32) -> Value {
    json!({"closed": {"users": users, "think_time_s": f64::from(think_ms) / 1e3}})
}

fn count(of: &[&PersonaSnapshot]) -> f64 {
    of.iter().map(|each| each.transactions.count).sum::<u64>() as f64
}

/// Mean number of the users that did the transactions, each as often as it did one.
fn mean_number(of: &[&PersonaSnapshot]) -> f64 {
    let numbers: u64 = of.iter().map(|each| each.counters["numbers"]).sum();
    numbers as f64 / count(of)
}

fn accounted_for(ran: &Ran, name: &str) -> f64 {
    let of = |each: &&PersonaSnapshot| each.transactions.service_time.sum_ns + each.think_time_ns;
    ran.persona(name).iter().map(of).sum::<u64>() as f64 / 1e9 / ran.measured_s()
}

#[test]
fn closed_personas_keep_their_users_and_think_times_apart() {
    let ran = ran(
        &json!({"personas": {
                    "clerks": {"params": {"service_ms": 10}, "load": closed(10, 90)},
                    "robots": {"params": {"service_ms": 40}, "load": closed(2, 0)}},
                "phases": {"warmup_s": 1, "measure_s": 20}}),
        &[],
    );
    let (clerks, robots) = (ran.persona("clerks"), ran.persona("robots"));
    near(count(&clerks), 2000.0, 50.0);
    near(count(&robots), 1000.0, 30.0);
    near(accounted_for(&ran, "clerks"), 10.0, 0.3);
    near(accounted_for(&ran, "robots"), 2.0, 0.1);
    near(mean_number(&clerks), 4.5, 0.05);
    near(mean_number(&robots), 10.5, 0.01);
    near(ran.count() as f64, count(&clerks) + count(&robots), 0.0);
    for snapshot in &ran.measured {
        let (clerks, robots) = (&snapshot.personas["clerks"], &snapshot.personas["robots"]);
        assert_eq!((snapshot.users, clerks.users, robots.users), (12, 10, 2));
        assert_eq!(
            snapshot.think_time_ns,
            clerks.think_time_ns + robots.think_time_ns
        );
        let sums = |of: &PersonaSnapshot| of.transactions.service_time.sum_ns;
        assert_eq!(
            snapshot.transactions.service_time.sum_ns,
            sums(clerks) + sums(robots)
        );
        assert_eq!(
            snapshot.counters["waits"],
            clerks.counters["waits"] + robots.counters["waits"]
        );
        assert_eq!(
            snapshot.operations["wait"].count,
            clerks.operations["wait"].count + robots.operations["wait"].count
        );
        assert_eq!(robots.think_time_ns, 0);
        assert_eq!(snapshot.arrivals, None);
    }
}

#[test]
fn an_open_persona_beside_a_closed_one_has_arrivals_of_its_own() {
    let job = json!({"personas": {
                        "clerks": {"params": {"service_ms": 10}, "load": closed(5, 490)},
                        "orders": {"params": {"service_ms": 50},
                                   "load": {"open": {"rate_per_s": 200, "arrivals": "poisson"}}}},
                     "phases": {"warmup_s": 5, "measure_s": 60}});
    let ran = ran(&job, &[]);
    let (clerks, orders) = (ran.persona("clerks"), ran.persona("orders"));
    near(count(&clerks), 600.0, 12.0);
    // Poisson: 12,000 with a standard deviation of 110.
    near(count(&orders), 12_000.0, 440.0);
    let due: u64 = orders.iter().map(|it| it.arrivals.unwrap().due).sum();
    near(due as f64, count(&orders), 60.0);
    assert!(clerks.iter().all(|each| each.arrivals.is_none()));
    assert_eq!(ran.arrivals().unsent, 0);
    for snapshot in &ran.measured {
        assert_eq!(snapshot.arrivals, snapshot.personas["orders"].arrivals);
        assert_eq!(snapshot.personas["clerks"].users, 5);
    }
    // It grows to as many as are busy at once: 10 on average.
    assert!((15..60).contains(&orders[59].users), "{}", orders[59].users);
}

#[test]
fn two_open_personas_do_not_arrive_together() {
    let load = json!({"open": {"rate_per_s": 50, "arrivals": "poisson", "users": 50}});
    let each = json!({"params": {"service_ms": 1}, "load": load});
    let ran = ran(
        &json!({"personas": {"a": each, "b": each}, "phases": {"warmup_s": 0, "measure_s": 30}}),
        &[],
    );
    let due = |name| -> Vec<u64> {
        let of = ran.persona(name).into_iter();
        of.map(|each| each.arrivals.unwrap().due).collect()
    };
    assert_ne!(due("a"), due("b"));
}

#[test]
fn users_are_numbered_through_and_keep_the_seeds_of_one_load() {
    let load =
        |users: u32| json!({"closed": {"users": users, "think_time_s": {"exponential": 0.3}}});
    let phases = json!({"warmup_s": 1, "measure_s": 50});
    let params = json!({"service_ms": 10});
    let one = json!({"params": params, "load": load(8), "phases": phases});
    let several = json!({"personas": {"a": {"params": params, "load": load(3)},
                                      "b": {"params": params, "load": load(5)}}, "phases": phases});
    let counts = |ran: &Ran| -> Vec<u64> {
        let measured = ran.measured.iter();
        measured.map(|each| each.transactions.count).collect()
    };
    let whole = ran(&one, &[]);
    assert_eq!(counts(&ran(&several, &[])), counts(&whole));
    let mut together = 0;
    for index in 0..3 {
        let mut job = several.clone();
        job["share"] = json!({"index": index, "of": 3});
        together += ran(&job, &[]).count();
    }
    near(together as f64, whole.count() as f64, 3.0);
}

#[test]
fn a_share_deals_users_of_all_personas_like_cards_and_some_may_be_left_without() {
    let persona = |load: Value| json!({"params": {"service_ms": 10}, "load": load});
    let agents = (0..3).map(|index| {
        let job = json!({"personas": {
                            "chief": persona(closed(1, 0)),
                            "clerks": persona(closed(4, 0)),
                            "orders": persona(json!({"open": {"rate_per_s": 30, "users": 6}}))},
                         "share": {"index": index, "of": 3},
                         "phases": {"warmup_s": 0, "measure_s": 10}});
        ran(&job, &[])
    });
    let agents: Vec<Ran> = agents.collect();
    let users = |agent: &Ran| {
        let personas = &agent.measured[0].personas;
        ["chief", "clerks", "orders"].map(|name| personas[name].users)
    };
    let dealt: Vec<_> = agents.iter().map(users).collect();
    assert_eq!(dealt, [[1, 1, 2], [0, 2, 2], [0, 1, 2]]);
    near(count(&agents[1].persona("chief")), 0.0, 0.0);
    near(mean_number(&agents[1].persona("clerks")), 2.5, 0.01);
    near(count(&agents[2].persona("orders")), 100.0, 2.0);
}

#[test]
fn all_personas_start_one_after_another_in_the_ramp() {
    let each = json!({"params": {"service_ms": 100}, "load": closed(10, 0)});
    let ran = ran(
        &json!({"personas": {"a": each, "b": each},
                "phases": {"ramp_s": 10, "warmup_s": 0, "measure_s": 1}}),
        &[],
    );
    let ramp = &ran.all[..10];
    for name in ["a", "b"] {
        let of = ramp
            .iter()
            .map(|each| each.personas[name].transactions.count);
        assert!(of.collect::<Vec<_>>().is_sorted_by(|a, b| a < b));
    }
}

#[test]
fn stop_ends_all_personas() {
    let ran = ran(
        &json!({"personas": {
                    "clerks": {"params": {"service_ms": 10}, "load": closed(2, 0)},
                    "orders": {"params": {"service_ms": 10}, "load": {"open": {"rate_per_s": 10}}}},
                "phases": {"warmup_s": 1, "measure_s": 10}}),
        &[(4.25, Command::Stop)],
    );
    assert_eq!(ran.end().outcome, Outcome::Interrupted);
    assert_eq!(ran.end().unfinished_users, 0);
    near(ran.measured_s(), 3.25, 0.01);
    near(count(&ran.persona("clerks")), 650.0, 3.0);
    near(count(&ran.persona("orders")), 32.0, 2.0);
}

#[test]
fn operations_of_personas_that_are_many_together_are_told_seldom_and_add_up() {
    let persona = |prefix: &str| {
        let steps: Vec<String> = (0..40).map(|step| format!("{prefix} {step}")).collect();
        json!({"params": {"service_ms": 10, "steps": steps}, "load": closed(1, 0)})
    };
    let ran = ran(
        &json!({"personas": {"a": persona("a"), "b": persona("b")},
                "phases": {"warmup_s": 0, "measure_s": 25}}),
        &[],
    );
    let told = ran
        .measured
        .iter()
        .filter(|each| !each.operations.is_empty());
    assert_eq!(told.count(), 3);
    let operations = |of: &PersonaSnapshot| of.operations.values().map(|it| it.count).sum::<u64>();
    let counted: u64 = ran.persona("a").into_iter().map(operations).sum();
    near(counted as f64, count(&ran.persona("a")), 1.0);
}
