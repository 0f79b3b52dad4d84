//! Tiers: groups of server processes whose processor time and memory are reported separately.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{JobError, tier_host};

/// Group of server processes: a web server, an application, a database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tier {
    /// Name in the report; each tier of a job needs its own name.
    pub name: String,
    /// Machine of the tier if it is not the load machine: `ssh://db1`, read by an agent that igen starts there, or
    /// `http://db1:9100/metrics`, a `node_exporter` of Prometheus. The load agent ignores such tiers: igen reads them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Processes of the tier; default for a tier with `host`: the whole machine.
    #[serde(rename = "match", default, skip_serializing_if = "Option::is_none")]
    pub source: Option<TierMatch>,
    /// Number of processors that the tier may use: the report gives its load as a percentage of them. Default: the limit
    /// of its control group, or all processors of the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processors: Option<f64>,
}

/// Processes of a tier: exactly one of these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TierMatch {
    /// Path of a control group, such as `/system.slice/nginx.service`, with its subgroups.
    Cgroup(String),
    /// Name of a program: all its processes, and the processes that they started.
    Process(String),
    /// Process ids: these processes, and the processes that they started.
    Pids(Vec<u32>),
    /// Name of a private instance, `postgresql-1`, or of a tier of it, `shop-1/web`. `igen` replaces it by process ids
    /// before the job starts.
    Instance(String),
    /// Name of a container of Docker or Podman.
    Container(String),
}

/// Lines of the report's table that are not tiers: no tier may have such a name.
pub const RESERVED: [&str; 5] = ["all tiers", "driver", "interrupts", "host", "unattributed"];
const MOST_TIERS: usize = 64;
const LONGEST_NAME: usize = 64;
const MOST_PROCESSORS: f64 = 100_000.0;

/// Checks what the types cannot say of the tiers of a job.
pub(crate) fn check(tiers: &[Tier]) -> Result<(), JobError> {
    if tiers.len() > MOST_TIERS {
        let text = format!("too many tiers: {}", tiers.len());
        return Err(JobError::at("tiers", text).hint(format!("name at most {MOST_TIERS}")));
    }
    let mut names = HashSet::new();
    for (index, tier) in tiers.iter().enumerate() {
        check_name(&tier.name, &mut names).map_err(|(text, hint)| {
            JobError::at(format!("tiers[{index}].name"), text).hint(hint)
        })?;
        if let Some(processors) = tier.processors
            && !(processors > 0.0 && processors <= MOST_PROCESSORS)
        {
            let path = format!("tiers[{index}].processors");
            let text = format!("a number of {processors} processors is out of range");
            return Err(JobError::at(path, text)
                .hint("set the number of processors that the tier may use, such as 8"));
        }
        check_source(tier).map_err(|(text, hint)| {
            JobError::at(format!("tiers[{index}].match"), text).hint(hint)
        })?;
        check_host(tiers, index).map_err(|(text, hint)| {
            JobError::at(format!("tiers[{index}].host"), text).hint(hint)
        })?;
    }
    Ok(())
}

/// A machine is read in one way, and its processes count for one tier.
fn check_host(tiers: &[Tier], index: usize) -> Result<(), Fault> {
    let tier = &tiers[index];
    let Some(host) = &tier.host else {
        return Ok(());
    };
    tier_host::check(host, tier.source.is_some())?;
    for other in &tiers[..index] {
        let Some(other_host) = &other.host else {
            continue;
        };
        if other_host != host && tier_host::are_one_machine(other_host, host) {
            let text =
                format!("this is also the machine of `{other_host}`, so it would count twice");
            return Err((text, "use the same address in all tiers of a machine"));
        }
        if other_host == host && (other.source.is_none() || tier.source.is_none()) {
            let whole = if tier.source.is_none() { tier } else { other };
            let text = format!(
                "the tier `{}` already covers this whole machine",
                whole.name
            );
            return Err((text, "add `match` to that tier, or remove one of the two"));
        }
    }
    Ok(())
}

type Fault = (String, &'static str);

fn check_name<'a>(name: &'a str, names: &mut HashSet<&'a str>) -> Result<(), Fault> {
    if name.trim().is_empty() || name.len() > LONGEST_NAME || name.chars().any(char::is_control) {
        let hint = "use 1 to 64 printable characters";
        return Err((
            format!("`{}` is not a valid name for a tier", name.escape_debug()),
            hint,
        ));
    }
    if RESERVED.contains(&name) {
        let hint = "use another name: the report has its own line with this name";
        return Err((format!("a tier cannot be called `{name}`"), hint));
    }
    if !names.insert(name) {
        let hint = "give each tier its own name";
        return Err((format!("two tiers have the name `{name}`"), hint));
    }
    Ok(())
}

fn check_source(tier: &Tier) -> Result<(), Fault> {
    let Some(source) = &tier.source else {
        if tier.host.is_some() {
            return Ok(());
        }
        let hint = "add `match`, or `host` if the tier is a whole machine";
        return Err(("`match` is missing".to_owned(), hint));
    };
    match source {
        TierMatch::Cgroup(path) => {
            let hint =
                "use a path such as /system.slice/nginx.service; `systemd-cgls` prints the paths";
            let steps_back = path.split('/').any(|step| step == "..");
            if !path.starts_with('/') || steps_back || path.contains('\0') {
                return Err((format!("`{path}` is not the path of a control group"), hint));
            }
        }
        TierMatch::Process(name) => {
            if name.is_empty() || name.contains('/') {
                let hint = "use the name without folder, as `ps -o comm` prints it";
                return Err((format!("`{name}` is not the name of a program"), hint));
            }
        }
        TierMatch::Pids(pids) => {
            let hint = "`pgrep -x NAME` prints the ids of a program's processes";
            if pids.is_empty() {
                return Err(("the list of processes is empty".to_owned(), hint));
            }
            if let Some(pid) = pids.iter().find(|pid| **pid == 0) {
                return Err((format!("{pid} is not a process id"), hint));
            }
        }
        TierMatch::Instance(name) => {
            if name.is_empty() {
                let hint = "use a name that `igen instances list` prints";
                return Err(("the name of the instance is empty".to_owned(), hint));
            }
            if tier.host.is_some() {
                let hint = "use `cgroup` or `process` instead";
                return Err((
                    "private instances run on this machine only, not on `host`".to_owned(),
                    hint,
                ));
            }
        }
        TierMatch::Container(name) => {
            let begins = name
                .chars()
                .next()
                .is_some_and(|c| c.is_ascii_alphanumeric());
            let known = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
            if !begins || !name.chars().all(known) {
                let hint = "use letters, digits, `_`, `.` and `-`; `docker ps` prints the names";
                return Err((format!("`{name}` is not the name of a container"), hint));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used)]

    use crate::Job;

    fn job(tiers: &str) -> Result<Job, crate::JobError> {
        Job::from_json(&format!(
            r#"{{"workload": "noop", "load": {{"closed": {{"users": 1}}}}, "tiers": [{tiers}]}}"#
        ))
    }

    #[test]
    fn each_source_is_read_as_it_is_written() {
        for source in [
            r#"{"cgroup": "/system.slice/nginx.service"}"#,
            r#"{"process": "nginx"}"#,
            r#"{"pids": [1, 2]}"#,
            r#"{"instance": "shop-1/web"}"#,
            r#"{"container": "my_web.1"}"#,
        ] {
            let read = job(&format!(r#"{{"name": "web", "match": {source}}}"#)).expect(source);
            let written = serde_json::to_string(&read.tiers[0].source).expect(source);
            assert_eq!(written, source.replace(": ", ":").replace(", ", ","));
            assert_eq!(read.tiers[0].processors, None);
        }
    }

    #[test]
    fn a_tier_of_another_machine_may_be_all_of_it() {
        for tiers in [
            r#"{"name": "db", "host": "ssh://db1"}"#,
            r#"{"name": "db", "host": "http://db1:9100/metrics"}"#,
            r#"{"name": "db", "host": "ssh://db1", "match": {"process": "postgres"}},
               {"name": "pool", "host": "ssh://db1", "match": {"process": "pgbouncer"}}"#,
            r#"{"name": "db", "host": "ssh://db1"}, {"name": "web", "host": "ssh://web1"}"#,
        ] {
            assert!(job(tiers).is_ok(), "{tiers}: {:?}", job(tiers));
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_place() {
        for (tiers, path, word) in [
            (r#"{"name": "a"}"#, "tiers[0]", "match"),
            (r#"{"name": "a", "match": {}}"#, "tiers[0].match", ""),
            (
                r#"{"name": "a", "match": {"pids": [1], "process": "b"}}"#,
                "tiers[0].match",
                "",
            ),
            (
                r#"{"name": "a", "match": {"port": 80}}"#,
                "tiers[0].match",
                "port",
            ),
            (
                r#"{"name": "", "match": {"pids": [1]}}"#,
                "tiers[0].name",
                "not a valid name",
            ),
            (
                r#"{"name": "host", "match": {"pids": [1]}}"#,
                "tiers[0].name",
                "host",
            ),
            (
                r#"{"name": "a\nb", "match": {"pids": [1]}}"#,
                "tiers[0].name",
                "a\\nb",
            ),
            (
                r#"{"name": "a", "match": {"pids": []}}"#,
                "tiers[0].match",
                "is empty",
            ),
            (
                r#"{"name": "a", "match": {"pids": [0]}}"#,
                "tiers[0].match",
                "not a process id",
            ),
            (
                r#"{"name": "a", "match": {"cgroup": "x"}}"#,
                "tiers[0].match",
                "`x`",
            ),
            (
                r#"{"name": "a", "match": {"cgroup": "/a/../b"}}"#,
                "tiers[0].match",
                "..",
            ),
            (
                r#"{"name": "a", "match": {"process": "/bin/a"}}"#,
                "tiers[0].match",
                "/bin/a",
            ),
            (
                r#"{"name": "a", "match": {"container": "-f"}}"#,
                "tiers[0].match",
                "-f",
            ),
            (
                r#"{"name": "a", "match": {"instance": ""}}"#,
                "tiers[0].match",
                "instance",
            ),
            (
                r#"{"name": "a", "host": "ssh://db1", "match": {"instance": "shop-1"}}"#,
                "tiers[0].match",
                "this machine",
            ),
            (r#"{"name": "a", "host": "db1"}"#, "tiers[0].host", "`db1`"),
            (
                r#"{"name": "a", "host": "http://db1:9100/metrics", "match": {"pids": [1]}}"#,
                "tiers[0].host",
                "whole machine",
            ),
            (
                r#"{"name": "a", "host": "ssh://db1"}, {"name": "b", "host": "ssh://db1", "match": {"pids": [1]}}"#,
                "tiers[1].host",
                "`a` already covers",
            ),
            (
                r#"{"name": "a", "host": "ssh://db1"}, {"name": "b", "host": "http://db1:9100/metrics"}"#,
                "tiers[1].host",
                "also the machine of `ssh://db1`",
            ),
            (
                r#"{"name": "a", "match": {"pids": [1]}, "processors": 0}"#,
                "tiers[0].processors",
                "out of range",
            ),
            (
                r#"{"name": "a", "match": {"pids": [1]}}, {"name": "a", "match": {"pids": [2]}}"#,
                "tiers[1].name",
                "two tiers",
            ),
        ] {
            let error = job(tiers).expect_err(tiers);
            assert!(error.path.starts_with(path), "{tiers}: {error}");
            assert!(error.text.contains(word), "{tiers}: {error}");
        }
    }
}
