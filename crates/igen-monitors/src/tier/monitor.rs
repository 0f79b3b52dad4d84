//! Reads all tiers of a job.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;

use igen_engine::Monitor;
use igen_job::event::{Event, Fact, Reading};
use serde_json::Value;

use super::proportional::Proportional;
use super::source::Source;
use super::usage::Usage;
use crate::context::Context;
use crate::of_interest::{Holder, OfInterest};
use crate::process_walk::with_stat;
use crate::values::values;

pub(crate) struct Tiers {
    tiers: Vec<Followed>,
    of_interest: OfInterest,
}

struct Followed {
    name: String,
    source: Source,
    processors: f64,
    proportional: Proportional,
}

impl Tiers {
    pub(crate) const NAME: &'static str = "tier";

    /// The monitor of the tiers of a job, which were checked.
    pub(crate) fn open(context: &Context) -> io::Result<Self> {
        let host = processors_of_host() as f64;
        let mut tiers = Vec::new();
        for tier in &context.tiers {
            let Some(wanted) = &tier.source else {
                continue; // all of another machine
            };
            let mut source = Source::find(wanted).map_err(|(text, _)| io::Error::other(text))?;
            let allowed = source.processors().unwrap_or(host).min(host);
            let mut followed = Followed {
                name: tier.name.clone(),
                processors: tier.processors.unwrap_or(allowed),
                proportional: Proportional::default(),
                source,
            };
            followed.tell(&context.emit);
            tiers.push(followed);
        }
        Ok(Self {
            tiers,
            of_interest: context.of_interest.clone(),
        })
    }
}

impl Monitor for Tiers {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn read(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        for (index, tier) in self.tiers.iter_mut().enumerate() {
            let usage = tier.source.read();
            readings.push(tier.reading(&usage));
            self.of_interest.set(Holder::Tier(index), usage.pids);
        }
        Ok(())
    }
}

impl Followed {
    /// Says once where its figures come from, and the first processes that it has.
    fn tell(&mut self, emit: &igen_engine::host::Emit) {
        let usage = self.source.read();
        let memory = if usage.memory.is_some() {
            "what the control group is charged with"
        } else {
            "PSS of its processes"
        };
        let first: Vec<u32> = first_of(&usage.pids);
        for (what, value) in [
            ("source", Value::from(self.source.describe())),
            ("memory", memory.into()),
            ("processors", self.processors.into()),
            ("process_ids", first.into()),
        ] {
            emit(Event::Fact(Fact {
                name: format!("tier.{}.{what}", self.name),
                value,
            }));
        }
    }

    fn reading(&mut self, usage: &Usage) -> Reading {
        let memory_bytes = match usage.memory {
            Some(memory) => Some(memory.bytes),
            None => self.proportional.bytes(&usage.pids),
        };
        let anonymous_bytes = usage.memory.and_then(|memory| memory.anonymous_bytes);
        Reading {
            monitor: Tiers::NAME.to_owned(),
            subject: self.name.clone(),
            counters: values([
                ("user_s", Some(usage.user_s)),
                ("system_s", Some(usage.system_s)),
                ("throttled_s", usage.throttled_s),
            ]),
            gauges: values([
                ("processes", Some(usage.pids.len() as f64)),
                ("capacity_processors", Some(self.processors)),
                ("memory_bytes", memory_bytes),
                ("anonymous_bytes", anonymous_bytes),
            ]),
            ..Reading::default()
        }
    }
}

/// Those that no other of them has started.
fn first_of(pids: &HashSet<u32>) -> Vec<u32> {
    let parents: HashMap<u32, u32> = pids
        .iter()
        .filter_map(|pid| Some((*pid, with_stat(*pid, |stat| stat.parent)?)))
        .collect();
    let mut first: Vec<u32> = parents
        .iter()
        .filter(|(_, parent)| !pids.contains(parent))
        .map(|(pid, _)| *pid)
        .collect();
    first.sort_unstable();
    first
}

/// All of them, whichever of them the agent may use.
fn processors_of_host() -> usize {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let named = |line: &&str| {
        line.strip_prefix("cpu")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    text.lines().filter(named).count().max(1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::{Arc, Mutex};

    use igen_engine::Clock;
    use igen_job::{Tier, TierMatch};

    use super::*;
    use crate::process_walk::tests::Shell;

    fn tier(name: &str, pids: &[u32]) -> Tier {
        Tier {
            name: name.to_owned(),
            host: None,
            source: Some(TierMatch::Pids(pids.to_vec())),
            processors: None,
        }
    }

    fn read(monitor: &mut Tiers) -> Vec<Reading> {
        let mut readings = Vec::new();
        monitor.read(&mut readings).unwrap();
        readings
    }

    #[test]
    fn each_tier_is_told_apart_and_nobody_who_disturbs() {
        let mut busy = Shell::start("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done");
        let mut idle = Shell::start("true");
        idle.work(); // A process that has not run yet has no memory.
        let facts = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&facts);
        let emit: igen_engine::host::Emit = Arc::new(move |event| {
            if let Event::Fact(fact) = event {
                told.lock().unwrap().push((fact.name, fact.value));
            }
        });
        let tiers = [tier("web", &[busy.pid()]), tier("data", &[idle.pid()])];
        let context = Context::new(&[], &[], emit, Clock::start()).with_tiers(&tiers);
        let mut monitor = Tiers::open(&context).unwrap();
        let before = read(&mut monitor);
        busy.work();
        let after = read(&mut monitor);
        let names: Vec<&str> = after
            .iter()
            .map(|reading| reading.subject.as_str())
            .collect();
        assert_eq!(names, ["web", "data"]);
        let grown =
            |index: usize| after[index].counters["user_s"] - before[index].counters["user_s"];
        assert!(grown(0) > 0.0, "a shell counted to a number");
        assert!(grown(1).abs() < 1e-9);
        for reading in &after {
            assert!((reading.gauges["processes"] - 1.0).abs() < 1e-9);
            assert!(reading.gauges["memory_bytes"] > 4096.0);
            assert!(reading.gauges["capacity_processors"] >= 1.0);
        }
        assert!(
            context.of_interest.contains(busy.pid()) && context.of_interest.contains(idle.pid())
        );
        let facts = facts.lock().unwrap();
        let fact = |name: &str| {
            facts
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value.clone())
        };
        assert_eq!(fact("tier.web.process_ids"), Some(vec![busy.pid()].into()));
        assert_eq!(
            fact("tier.data.memory"),
            Some("PSS of its processes".into())
        );

        busy.end();
        let ended = read(&mut monitor);
        assert!(ended[0].gauges["processes"].abs() < 1e-9);
        assert!(
            ended[0].counters["user_s"] >= after[0].counters["user_s"],
            "it never goes back"
        );
    }
}
