//! Phases, and the commands that lead through them.

use igen_engine::Monitor;
use igen_job::event::{Event, Outcome, Phase, Reading};
use igen_job::{Begin, Command, Seconds};
use serde_json::json;

use crate::waiter::{near, ran, watched};

/// A monitor that rests unless it is at an edge.
struct Resting;

impl Monitor for Resting {
    fn name(&self) -> &'static str {
        "resting"
    }

    fn read(&mut self, _: &mut Vec<Reading>) -> std::io::Result<()> {
        Ok(())
    }

    fn read_at_edge(&mut self, readings: &mut Vec<Reading>) -> std::io::Result<()> {
        readings.push(Reading::default());
        Ok(())
    }
}

#[test]
fn monitors_look_at_the_start_and_at_the_end_of_measure_whatever_it_costs() {
    let job = |measure_s: f64| {
        json!({"load": {"closed": {"users": 1}}, "params": {"service_ms": 10},
               "phases": {"warmup_s": 1, "measure_s": measure_s, "extendable": true}})
    };
    let looks = |measure_s: f64, commands: &[(f64, Command)]| -> Vec<f64> {
        let ran = watched(&job(measure_s), commands, vec![Box::new(Resting)]);
        let readings = ran.events.iter().filter_map(|event| match event {
            Event::Reading(reading) => Some((reading.at_s * 100.0).round() / 100.0),
            _ => None,
        });
        readings.collect()
    };
    let extend = Command::Extend {
        measure_s: Seconds(5.0),
    };
    assert_eq!(looks(0.3, &[(1.5, Command::Finish)]), [1.0, 1.3]);
    assert_eq!(looks(4.0, &[(5.0, Command::Finish)]), [1.0, 5.0]);
    let extended = looks(4.0, &[(5.5, extend), (10.0, Command::Finish)]);
    assert_eq!(extended, [1.0, 5.0, 10.0]);
    assert_eq!(looks(4.0, &[(2.5, Command::Stop)]), [1.0, 2.5]);
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
fn what_a_workload_warns_of_is_told_once_before_the_load() {
    let job = json!({"load": {"closed": {"users": 2}}, "params": {"service_ms": 10, "warns": ["it may rain"]},
                     "phases": {"measure_s": 1}});
    let ran = ran(&job, &[]);
    let places = |is_it: fn(&Event) -> bool| {
        let events = ran.events.iter().enumerate();
        let found = events.filter(move |(_, event)| is_it(event));
        found.map(|(place, _)| place).collect::<Vec<_>>()
    };
    let warned = places(|event| matches!(event, Event::Warning(it) if it.text == "it may rain"));
    let ready = places(|event| matches!(event, Event::Ready { .. }));
    assert_eq!(warned.len(), 1);
    assert!(warned[0] < ready[0]);
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
fn a_load_that_awaits_its_begin_says_ready_and_waits() {
    let job = json!({"load": {"closed": {"users": 1}}, "params": {"service_ms": 10}, "attended": true,
                     "phases": {"warmup_s": 1, "measure_s": 2, "await_begin": true}});
    let begun = ran(
        &job,
        &[(5.0, Command::Renew), (7.0, Command::Begin(Begin::Now))],
    );
    let ready = begun.events.iter().find_map(|event| match event {
        Event::Ready { at_s } => Some(*at_s),
        _ => None,
    });
    near(ready.unwrap(), 0.0, 0.01);
    near(begun.measured[0].start_s, 8.0, 0.01);
    near(begun.end().at_s, 10.0, 0.02);
    let stopped = ran(&job, &[(5.0, Command::Stop)]);
    assert_eq!(stopped.end().outcome, Outcome::Interrupted);
    assert!(stopped.all.is_empty());
}

#[test]
fn a_begin_that_names_no_time_of_today_is_refused() {
    let job = json!({"load": {"closed": {"users": 1}}, "params": {"service_ms": 10}, "attended": true,
                     "phases": {"warmup_s": 1, "measure_s": 2, "await_begin": true}});
    let begun = ran(
        &job,
        &[
            (1.0, Command::Begin(Begin::AtUnixS(1.0))),
            (2.0, Command::Begin(Begin::AtUnixS(f64::NAN))),
            (3.0, Command::Begin(Begin::Now)),
        ],
    );
    let refused = begun
        .events
        .iter()
        .filter(|event| matches!(event, Event::Error(error) if error.path == "command"));
    assert_eq!(refused.count(), 2);
    near(begun.measured[0].start_s, 4.0, 0.01);
}
