//! A job: one workload at one load level, executed once.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::load::Load;
use crate::persona::{self, JobLoad, Persona};
use crate::{Credentials, JobError, PROTOCOL, Placement, Seconds, Share, Tier, tier};

/// One workload at one load level, executed once. Plain JSON on the agent's standard input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Version of the protocol of this job.
    #[serde(default = "current_protocol")]
    pub protocol: u32,
    /// Name of the workload, as `igen-agent list workloads` prints it.
    pub workload: String,
    /// Parameters of the workload, as `igen-agent schema WORKLOAD` describes them; not allowed with `personas`.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// Systems under test, as URLs; if empty, the default of the workload.
    #[serde(default)]
    pub targets: Vec<String>,
    /// Load model and its level; not allowed with `personas`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// Several kinds of users at once, by name. Each persona has its own `params` and `load`. Users are numbered in
    /// the order of the names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub personas: BTreeMap<String, Persona>,
    /// Part of the load for this agent; default: the whole load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// Lengths of the phases.
    #[serde(default)]
    pub phases: Phases,
    /// Threads or tasks of users, and their scheduling; default: the natural placement of the workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<Placement>,
    /// Seed of everything random in the job.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Seed of random choices under load: keys, arrivals, service times; default: `seed`. Each study draws another
    /// seed, so that two studies do not make the same choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_seed: Option<u64>,
    /// Number of this repeat of the job: each repeat draws other keys, arrivals and service times from the same data.
    #[serde(default)]
    pub repeat: u32,
    /// Steps to execute, in this order.
    #[serde(default = "default_steps")]
    pub steps: Vec<Step>,
    /// Monitors to read; default: all available monitors. If empty, no monitors and no facts about the machine are
    /// read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monitors: Option<Vec<String>>,
    /// Ids of processes that the monitor `process` follows in addition to the agent.
    #[serde(default)]
    pub pids: Vec<u32>,
    /// Groups of server processes; the monitor `tier` reports processor time and memory of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<Tier>,
    /// Length of the spin canary before and after the measurement; 0 for none.
    #[serde(default)]
    pub canary_s: f64,
    /// Continue if a check would refuse the job, such as for more memory than is available.
    #[serde(default)]
    pub force: bool,
    /// Allow writing to devices, files and trees that iGen did not create.
    #[serde(default)]
    pub i_own_this_data: bool,
    /// Passwords, keys and certificates of this account that the job may use. Secrets named in the parameters are
    /// always allowed.
    #[serde(default, skip_serializing_if = "Credentials::are_usual")]
    pub credentials: Credentials,
    /// Stop the job, in any phase, when standard input ends. Otherwise the end of standard input means only that no
    /// more commands follow.
    #[serde(default)]
    pub attended: bool,
    /// Stop the job if the command `renew` does not arrive for this long; default: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_s: Option<Seconds>,
}

/// Lengths of the phases of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Phases {
    /// Time over which users start one after another.
    pub ramp_s: Seconds,
    /// Time under load that does not count.
    pub warmup_s: Seconds,
    /// Time under load that counts.
    pub measure_s: Seconds,
    /// Longest wait for transactions still in flight at the end.
    pub drain_s: Seconds,
    /// Length of a snapshot interval.
    pub interval_s: Seconds,
    /// At the end of MEASURE, send `measured` and continue the load until the command `extend` or `finish` arrives on
    /// standard input.
    pub extendable: bool,
    /// When all users exist, send `ready` and wait for the command `begin` on standard input, so that several agents
    /// start together.
    pub await_begin: bool,
}

impl Default for Phases {
    fn default() -> Self {
        Self {
            ramp_s: Seconds(0.0),
            warmup_s: Seconds(2.0),
            measure_s: Seconds(10.0),
            drain_s: Seconds(10.0),
            interval_s: Seconds(1.0),
            extendable: false,
            await_begin: false,
        }
    }
}

/// A step of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Create and load the data of the workload, if they do not exist yet.
    Prepare,
    /// Check that the data of the workload exist and are correct.
    Verify,
    /// Ramp, warm up, measure, drain.
    Measure,
    /// Remove what `prepare` created.
    Cleanup,
}

fn current_protocol() -> u32 {
    PROTOCOL
}

fn default_seed() -> u64 {
    42
}

fn default_steps() -> Vec<Step> {
    vec![Step::Prepare, Step::Verify, Step::Measure]
}

impl Job {
    /// Reads a job from JSON; an error says the path of the field.
    pub fn from_json(text: &str) -> Result<Self, JobError> {
        // By way of a `Value`, so that no error tells a line and column of text that nobody wrote by hand.
        let value: Value = serde_json::from_str(text)
            .map_err(|error| JobError::new(format!("the job is not JSON: {error}")))?;
        // First of all: whatever else another version says means what that version means.
        check_protocol(value.get("protocol"))?;
        let mut job: Self = serde_path_to_error::deserialize(value).map_err(|error| {
            let path = error.path().to_string();
            let text = error.into_inner().to_string();
            if path == "." {
                return JobError::new(text).hint("`igen-agent schema` prints the schema of a job");
            }
            JobError::at(path, text)
        })?;
        for target in &mut job.targets {
            with_one_name(target);
        }
        job.check()?;
        Ok(job)
    }

    /// Checks what the types cannot say.
    pub fn check(&self) -> Result<(), JobError> {
        self.share().check()?;
        self.check_loads()?;
        for (index, target) in self.targets.iter().enumerate() {
            if has_password(target) {
                // Neither the target nor a part of it: this text is kept and shown.
                return Err(JobError::at(
                    format!("targets[{index}]"),
                    "a target must not contain a password: targets are stored and shown",
                )
                .hint(
                    "put the password into ~/.pgpass or PGPASSWORD (postgresql), ~/.my.cnf or MYSQL_PWD (mysql), \
                     LDAP_PASSWORD (ldap)",
                ));
            }
        }
        tier::check(&self.tiers)?;
        self.placement.unwrap_or_default().check()?;
        let phases = &self.phases;
        if phases.await_begin && !self.attended {
            return Err(JobError::at(
                "phases.await_begin",
                "`await_begin` needs an attended job, to receive the command `begin`",
            )
            .hint("set `attended`, and keep standard input open"));
        }
        let open = |each: &JobLoad<'_>| matches!(each.load, Load::Open { .. });
        if phases.ramp_s.0 > 0.0 && self.loads().iter().any(open) {
            return Err(JobError::at("phases.ramp_s", "an open load cannot have a ramp")
                .hint("use phases.warmup_s: arrivals of an open load have their full rate from the start"));
        }
        for (name, value, least, most) in [
            ("phases.ramp_s", phases.ramp_s.0, 0.0, 86_400.0),
            ("phases.warmup_s", phases.warmup_s.0, 0.0, 86_400.0),
            ("phases.measure_s", phases.measure_s.0, 0.01, 2_592_000.0),
            ("phases.drain_s", phases.drain_s.0, 0.0, 3_600.0),
            ("phases.interval_s", phases.interval_s.0, 0.01, 3_600.0),
            ("canary_s", self.canary_s, 0.0, 60.0),
            (
                "lease_s",
                self.lease_s.map_or(1.0, |lease| lease.0),
                0.1,
                3_600.0,
            ),
        ] {
            if !(least..=most).contains(&value) {
                return Err(JobError::at(name, format!("{value} s is out of range"))
                    .hint(format!("use {least} to {most} seconds")));
            }
        }
        Ok(())
    }

    /// Checks that it has one load or personas, and each of them.
    fn check_loads(&self) -> Result<(), JobError> {
        let of_personas = !self.personas.is_empty();
        if of_personas && self.load.is_some() {
            return Err(
                JobError::at("load", "`load` cannot be combined with `personas`")
                    .hint("set the load of each persona"),
            );
        }
        if of_personas && !self.params.is_empty() {
            return Err(
                JobError::at("params", "`params` cannot be combined with `personas`")
                    .hint("set the parameters of each persona"),
            );
        }
        if !of_personas && self.load.is_none() {
            return Err(JobError::at("load", "the job has no load")
                .hint("set `load`, or `personas` with a load each"));
        }
        persona::check(&self.personas)?;
        persona::check_loads(&self.loads(), self.share())
    }

    /// Returns the loads of the job in their order: its own, or the loads of its personas.
    #[must_use]
    pub fn loads(&self) -> Vec<JobLoad<'_>> {
        let own = self.load.iter().map(|load| JobLoad {
            name: None,
            params: &self.params,
            load,
        });
        let of_personas = self.personas.iter().map(|(name, persona)| JobLoad {
            name: Some(name),
            params: &persona.params,
            load: &persona.load,
        });
        own.chain(of_personas).collect()
    }

    /// Returns the part of the load for this agent.
    #[must_use]
    pub fn share(&self) -> Share {
        self.share.unwrap_or(Share::WHOLE)
    }
}

/// Schemes that have two names, the usual one last.
const NAMES: [(&str, &str); 2] = [("postgres", "postgresql"), ("mariadb", "mysql")];

/// Gives a target the usual name of its scheme, so that nobody who reads the job needs to know the other.
fn with_one_name(target: &mut String) {
    for (other, usual) in NAMES {
        if let Some(rest) = target.strip_prefix(other)
            && rest.starts_with("://")
        {
            *target = format!("{usual}{rest}");
        }
    }
}

fn check_protocol(protocol: Option<&Value>) -> Result<(), JobError> {
    match protocol {
        Some(said) if said.as_u64() != Some(PROTOCOL.into()) => Err(JobError::at(
            "protocol",
            format!("the job has protocol version {said}, but this agent needs version {PROTOCOL}"),
        )
        .hint("use igen and igen-agent of the same release")),
        _ => Ok(()),
    }
}

/// Returns true if a URL has a password: `scheme://user:password@host` or an option of that name, percent-encoded or
/// not.
fn has_password(url: &str) -> bool {
    let Some((_, rest)) = url.split_once("://") else {
        return false;
    };
    let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
    // The last `@`, because a password may contain one, or a slash; a path without server has none.
    let of_user = !place.starts_with('/')
        && place
            .rsplit_once('@')
            .is_some_and(|(user, _)| decoded(user).contains(':'));
    let option = options.split('&').any(|option| {
        let option = decoded(option).to_ascii_lowercase();
        let name = option.split('=').next().unwrap_or_default();
        name.ends_with("password") || name.ends_with("passwd")
    });
    of_user || option
}

/// Text without percent-encoding, also where it was encoded several times.
fn decoded(text: &str) -> String {
    let mut text = text.to_owned();
    loop {
        let once = percent_decode_str(&text).decode_utf8_lossy().into_owned();
        if once == text {
            return text;
        }
        text = once;
    }
}

/// Reads a workload's parameters; an error says the path below `params`.
pub fn params<P: for<'de> Deserialize<'de>>(params: &Map<String, Value>) -> Result<P, JobError> {
    serde_path_to_error::deserialize(Value::Object(params.clone())).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." {
            "params".to_owned()
        } else {
            format!("params.{path}")
        };
        JobError::at(path, error.into_inner().to_string())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn job(target: &str) -> Result<Job, JobError> {
        let load = r#"{"closed": {"users": 1}}"#;
        Job::from_json(&format!(
            r#"{{"workload": "oltp", "load": {load}, "targets": ["sqlite:///a.db", "{target}"]}}"#
        ))
    }

    #[test]
    fn a_password_in_a_target_is_refused_and_not_repeated() {
        for target in [
            "postgresql://igen:hush@host/shop",
            "postgresql://igen:hu@sh@host/shop",
            "mysql://igen:hu/sh@host:3306/shop",
            "mysql://:hush@host",
            "postgresql://igen%3Ahush@host/shop",
            "postgresql://igen%3ahush%40home@host/shop",
            "postgresql://igen%253Ahush@host/shop",
            "ldap://cn=admin%3Ahush@host/dc=lab",
            "postgresql:///shop?host=/run&pass%77ord=hush",
            "postgresql:///shop?host=/run&password=hush",
            "postgresql://host/shop?sslcert=/c.pem&sslpassword=hush",
            "postgres://igen:hush@host/shop",
        ] {
            let error = job(target).expect_err(target);
            assert_eq!(error.path, "targets[1]");
            assert!(!error.to_string().contains("sh@") && !error.to_string().contains("hush"));
            assert!(error.hint.contains("PGPASSWORD"));
        }
    }

    #[test]
    fn a_scheme_with_two_names_gets_the_usual_one() {
        for (target, usual) in [
            ("postgres://host/a", "postgresql://host/a"),
            ("postgresql://host/a", "postgresql://host/a"),
            ("mariadb://host/a?b=c", "mysql://host/a?b=c"),
            ("mariadbx://host/a", "mariadbx://host/a"),
        ] {
            assert_eq!(job(target).unwrap().targets[1], usual);
        }
    }

    #[test]
    fn jobs_of_other_protocols_are_refused_whatever_else_they_say() {
        let job = |protocol: &str| {
            Job::from_json(&format!(
                r#"{{"protocol": {protocol}, "workload": "noop", "load": {{"closed": {{"users": 1}}}}}}"#
            ))
        };
        assert_eq!(job("4").map(|job| job.protocol), Ok(4));
        for other in ["99", "3", "1", "0", "-1", "\"4\"", "null", "4294967300"] {
            let error = job(other).expect_err(other);
            assert_eq!(error.path, "protocol");
            assert!(error.text.contains("needs version 4"), "{error}");
        }
        let future = r#"{"protocol": 5, "load": {"bursts": 5}}"#;
        assert_eq!(Job::from_json(future).expect_err("5").path, "protocol");
    }

    #[test]
    fn shares_and_beginnings_are_checked() {
        for (part, path) in [
            (r#""share": {"index": 2, "of": 2}"#, "share.index"),
            (r#""share": {"index": 0, "of": 0}"#, "share.of"),
            (r#""share": {"index": 1, "of": 2}"#, "load.closed.users"),
            (r#""phases": {"await_begin": true}"#, "phases.await_begin"),
            (r#""lease_s": 0"#, "lease_s"),
        ] {
            let text =
                format!(r#"{{"workload": "noop", "load": {{"closed": {{"users": 1}}}}, {part}}}"#);
            assert_eq!(Job::from_json(&text).expect_err(part).path, path);
        }
    }

    #[test]
    fn a_port_and_a_path_are_no_password() {
        for target in [
            "postgresql://igen@host:5432/shop",
            "mysql://[::1]:3306/shop",
            "sqlite:////data/a:b@c.db",
            "postgresql://ig%40en@host/sh%20op",
            "postgresql://50%25@host/shop",
        ] {
            assert!(job(target).is_ok(), "{target}");
        }
    }
}
