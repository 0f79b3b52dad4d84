//! Reads all tiers of a job.

use std::collections::HashSet;
use std::fs;
use std::io;

use igen_engine::Monitor;
use igen_job::event::{Event, Reading};
use igen_job::tier::RESERVED;
use igen_job::{JobError, facts};
use igen_kernel::server::{Server, Unknown};
use serde_json::{Value, json};

use super::proportional::Proportional;
use super::source::Source;
use super::usage::Usage;
use crate::context::Context;
use crate::of_interest::{Holder, OfInterest};
use crate::targets;
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
    /// The processes that it had at the last reading.
    pids: HashSet<u32>,
}

impl Tiers {
    pub(crate) const NAME: &'static str = "tier";

    /// The monitor of the tiers of a job, which were checked, and of the servers on this machine that the job loads.
    /// `None` without any.
    pub(crate) fn open(context: &Context) -> io::Result<Option<Self>> {
        let mut opened = Self {
            tiers: Vec::new(),
            of_interest: context.of_interest.clone(),
        };
        for tier in &context.tiers {
            let Some(wanted) = &tier.source else {
                continue; // all of another machine
            };
            let source = Source::find(wanted).map_err(|(text, _)| io::Error::other(text))?;
            opened.follow(tier.name.clone(), source, tier.processors, context);
        }
        opened.follow_servers(context);
        Ok((!opened.tiers.is_empty()).then_some(opened))
    }

    fn follow(
        &mut self,
        name: String,
        mut source: Source,
        processors: Option<f64>,
        context: &Context,
    ) {
        let host = processors_of_host() as f64;
        let allowed = source.processors().unwrap_or(host).min(host);
        let mut followed = Followed {
            name,
            processors: processors.unwrap_or(allowed),
            proportional: Proportional::default(),
            source,
            pids: HashSet::new(),
        };
        followed.tell(&context.emit);
        // From now on they are nobody else's.
        let holder = Holder::Tier(self.tiers.len());
        self.of_interest.set(holder, followed.pids.clone());
        self.tiers.push(followed);
    }

    /// Follow the server of each target that is on this machine, unless a tier of the job has its processes.
    fn follow_servers(&mut self, context: &Context) {
        let is_named = !context.tiers.is_empty() || !context.pids.is_empty();
        let mut servers = Vec::new();
        for (index, target) in context.targets.iter().enumerate() {
            let Some(place) = targets::place(target) else {
                servers.push(Value::Null);
                continue;
            };
            servers.push(match Server::find(&place) {
                Err(Unknown::Elsewhere) => Value::Null,
                Err(unknown) => {
                    if !is_named {
                        let path = format!("targets[{index}]");
                        (context.emit)(Event::Warning(not_followed(path, unknown)));
                    }
                    json!({"unknown": unknown.name()})
                }
                Ok(server) => {
                    let of = |tier: &&Followed| {
                        let mut holders = server.holders.iter();
                        holders.any(|pid| tier.pids.contains(pid))
                    };
                    let name = self.tiers.iter().find(of).map(|tier| tier.name.clone());
                    let name = name.unwrap_or_else(|| {
                        let name = self.free_name(server.program(), &place.to_string());
                        self.follow(name.clone(), Source::server(place), None, context);
                        name
                    });
                    json!({"tier": name})
                }
            });
        }
        if servers.iter().any(|server| !server.is_null()) {
            (context.emit)(Event::Fact(facts::TARGETS_SERVERS.is(servers)));
        }
    }

    /// The name of the program; with the place if there is a tier of that name.
    fn free_name(&self, program: Option<String>, place: &str) -> String {
        let program = program.unwrap_or_else(|| "server".to_owned());
        let is_taken = self.tiers.iter().any(|tier| tier.name == program);
        if is_taken || RESERVED.contains(&program.as_str()) {
            format!("{program} at {place}")
        } else {
            program
        }
    }
}

/// Returns a warning that the processes of a server are unknown.
fn not_followed(path: String, unknown: Unknown) -> JobError {
    let (why, hint) = match unknown {
        Unknown::NotPermitted => (
            "they belong to another user",
            "run igen as root or as the user of the server, or set `tiers`",
        ),
        Unknown::NotVisible => (
            "they are not visible from here, as in another container",
            "run igen outside of the container, or set `tiers`",
        ),
        Unknown::NotListening | Unknown::Elsewhere => (
            "no process in the network namespace of the agent listens at this address",
            "set `tiers`, such as {\"container\": \"web\"}",
        ),
    };
    let text = format!("the processes of this server are unknown: {why}");
    JobError::at(path, text).hint(hint)
}

impl Monitor for Tiers {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn read(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        for (index, tier) in self.tiers.iter_mut().enumerate() {
            let usage = tier.source.read();
            readings.push(tier.reading(&usage));
            tier.pids.clone_from(&usage.pids);
            self.of_interest.set(Holder::Tier(index), usage.pids);
        }
        Ok(())
    }
}

impl Followed {
    /// Says once where its figures come from, and the processes that it has.
    fn tell(&mut self, emit: &igen_engine::host::Emit) {
        let usage = self.source.read();
        let memory = if usage.memory.is_some() {
            "memory charged to the control group"
        } else {
            "PSS of its processes"
        };
        self.pids = usage.pids;
        let mut pids: Vec<u32> = self.pids.iter().copied().collect();
        pids.sort_unstable();
        for fact in [
            facts::TIER_SOURCE.of(&self.name, self.source.describe()),
            facts::TIER_MEMORY.of(&self.name, memory),
            facts::TIER_PROCESSORS.of(&self.name, self.processors),
            facts::TIER_PROCESS_IDS.of(&self.name, pids),
        ] {
            emit(Event::Fact(fact));
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

    use std::net::TcpListener;
    use std::os::fd::OwnedFd;
    use std::process::{Child, Command};
    use std::sync::{Arc, Mutex};

    use igen_engine::Clock;
    use igen_job::{Tier, TierMatch};

    use super::*;
    use crate::shell::Shell;

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

    /// A process that has a listening socket as its standard input.
    fn server() -> (Child, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = format!("http://{}/", listener.local_addr().unwrap());
        let command = Command::new("sleep")
            .arg("60")
            .stdin(OwnedFd::from(listener))
            .spawn();
        (command.unwrap(), target)
    }

    #[test]
    fn the_server_of_each_target_is_a_tier_unless_the_job_names_it() {
        let servers = [server(), server(), server()];
        let targets: Vec<String> = servers.iter().map(|(_, target)| target.clone()).collect();
        let targets = [
            targets,
            vec!["http://192.0.2.1/".into(), "http://127.0.0.1:1/".into()],
        ]
        .concat();
        let told = Arc::new(Mutex::new(Vec::new()));
        let hears = Arc::clone(&told);
        let emit: igen_engine::host::Emit = Arc::new(move |event| {
            if let Event::Fact(fact) = event
                && fact.name == "targets.servers"
            {
                hears.lock().unwrap().push(fact.value);
            }
        });
        let named = [tier("web", &[servers[1].0.id()])];
        let context = Context::new(&[], &targets, emit, Clock::start()).with_tiers(&named);
        let mut monitor = Tiers::open(&context).unwrap().unwrap();
        let third = targets[2]
            .trim_start_matches("http://")
            .trim_end_matches('/');
        let third = format!("sleep at {third}");
        let expected = json!([
            {"tier": "sleep"}, {"tier": "web"}, {"tier": third}, null, {"unknown": "not_listening"}
        ]);
        assert_eq!(*told.lock().unwrap(), [expected]);
        let readings = read(&mut monitor);
        let names: Vec<&str> = readings.iter().map(|one| one.subject.as_str()).collect();
        assert_eq!(names, ["web", "sleep", &third]);
        for (mut process, _) in servers {
            assert!(context.of_interest.contains(process.id()));
            process.kill().unwrap();
            process.wait().unwrap();
        }
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
        let mut monitor = Tiers::open(&context).unwrap().unwrap();
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
