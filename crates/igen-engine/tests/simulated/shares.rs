//! Several agents that share a job do what one would have done.

use igen_job::event::Phase;
use serde_json::{Value, json};

use crate::waiter::{Ran, near, ran};

/// What `agents` agents did together, agent by agent.
fn shared(job: &Value, agents: u32) -> Vec<Ran> {
    let share = |index| {
        let mut job = job.clone();
        job["share"] = json!({"index": index, "of": agents});
        ran(&job, &[])
    };
    (0..agents).map(share).collect()
}

#[test]
fn agents_that_share_a_rate_serve_the_arrivals_of_one() {
    for arrivals in ["constant", "poisson"] {
        let job = json!({"load": {"open": {"rate_per_s": 100, "arrivals": arrivals, "users": 12}},
                         "params": {"service_ms": 10}, "phases": {"warmup_s": 1, "measure_s": 100}});
        let whole = ran(&job, &[]);
        let due = |ran: &Ran| {
            let due = ran.all.iter().filter(|s| s.phase == Phase::Measure);
            due.map(|s| s.arrivals.unwrap().due).collect::<Vec<u64>>()
        };
        let agents = shared(&job, 3);
        let mut together = vec![0; whole.measured.len()];
        for agent in &agents {
            for (sum, each) in together.iter_mut().zip(due(agent)) {
                *sum += each;
            }
            near(agent.count() as f64, 100.0 * 100.0 / 3.0, 180.0);
            assert!(agent.measured.iter().all(|s| s.users == 4));
        }
        // Simulated time wakes the control loop within a millisecond of each second's end.
        let total = |all: &[u64]| all.iter().sum::<u64>() as f64;
        near(total(&together), total(&due(&whole)), 1.0);
        let counts: u64 = agents.iter().map(Ran::count).sum();
        near(counts as f64, whole.count() as f64, 3.0);
    }
}

#[test]
fn agents_that_share_users_keep_the_timetable_of_one() {
    for load in [
        json!({"paced": {"users": 7, "rate_per_user_per_s": 3}}),
        json!({"closed": {"users": 7, "think_time_s": {"exponential": 0.3}}}),
    ] {
        let job = json!({"load": load, "params": {"service_ms": 10},
                         "phases": {"ramp_s": 10, "warmup_s": 1, "measure_s": 100}});
        let whole = ran(&job, &[]);
        let agents = shared(&job, 3);
        let users = agents.iter().map(|agent| agent.measured[0].users);
        assert_eq!(users.collect::<Vec<_>>(), [3, 2, 2]);
        for (index, snapshot) in whole.all.iter().enumerate() {
            let counts = agents
                .iter()
                .map(|agent| agent.all[index].transactions.count);
            near(
                counts.sum::<u64>() as f64,
                snapshot.transactions.count as f64,
                2.0,
            );
        }
        let counts: u64 = agents.iter().map(Ran::count).sum();
        near(counts as f64, whole.count() as f64, 3.0);
    }
}
