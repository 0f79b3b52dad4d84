//! Personas: several kinds of users in one job, each with its own parameters and load.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::load::{Load, MAX_USERS};
use crate::{JobError, Share};

/// Maximum number of personas of a job: each has its own histograms on every thread, and a part of every snapshot.
pub const MOST_PERSONAS: usize = 16;
/// Maximum length of a name.
const LONGEST_NAME: usize = 40;

/// One kind of users of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Persona {
    /// Parameters of the workload for these users, as `igen-agent schema WORKLOAD` describes them.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// Load model and level of these users.
    pub load: Load,
}

/// One load of a job: the load of the job itself or of a persona.
#[derive(Debug, Clone, Copy)]
pub struct JobLoad<'a> {
    /// Name of the persona; `None` for a job without personas.
    pub name: Option<&'a str>,
    /// Parameters of the workload.
    pub params: &'a Map<String, Value>,
    /// The load model and its level.
    pub load: &'a Load,
}

impl JobLoad<'_> {
    /// Returns the path in this job of a field that is at `path` in a job without personas.
    #[must_use]
    pub fn path(&self, path: &str) -> String {
        match self.name {
            Some(name) => format!("personas.{name}.{path}"),
            None => path.to_owned(),
        }
    }

    /// Returns an error about parameters or load with the path of this load, and other errors unchanged.
    #[must_use]
    pub fn blamed(&self, error: JobError) -> JobError {
        if !(error.path.starts_with("params") || error.path.starts_with("load")) {
            return error;
        }
        let path = self.path(&error.path);
        error.about(path)
    }
}

/// Checks names and number of personas.
pub(crate) fn check(personas: &BTreeMap<String, Persona>) -> Result<(), JobError> {
    if personas.len() > MOST_PERSONAS {
        let text = format!("too many personas: {}", personas.len());
        return Err(JobError::at("personas", text).hint(format!("use at most {MOST_PERSONAS}")));
    }
    let fits = |name: &String| {
        (1..=LONGEST_NAME).contains(&name.len())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    };
    match personas.keys().find(|name| !fits(name)) {
        None => Ok(()),
        Some(name) => Err(JobError::at(
            "personas",
            format!("`{name}` is not a valid name for a persona"),
        )
        .hint(format!(
            "use 1 to {LONGEST_NAME} letters, digits, `-` and `_`"
        ))),
    }
}

/// Checks each of the loads, and that the `share` of their users has some, and no more than an agent can have.
pub(crate) fn check_loads(loads: &[JobLoad<'_>], share: Share) -> Result<(), JobError> {
    let (mut first, mut own_of_all, mut grows) = (0_u32, 0_u32, false);
    let none = |users: u32| format!("{users} users are too few for {} agents", share.of);
    let enough = "use at least one user for each agent";
    for each in loads {
        each.load.check().map_err(|error| each.blamed(error))?;
        let Some(users) = each.load.users() else {
            grows = true;
            continue;
        };
        let after = first.saturating_add(users.get());
        let own = share.users_between(first, after);
        first = after;
        own_of_all = own_of_all.saturating_add(own);
        // Arrivals come to each agent; of other loads one may have none as long as it has other users.
        if own == 0 && (loads.len() == 1 || matches!(each.load, Load::Open { .. })) {
            let path = each.path(&each.load.users_path());
            return Err(JobError::at(path, none(users.get())).hint(enough));
        }
    }
    let path = match loads {
        [only] => only.path(&only.load.users_path()),
        _ => "personas".to_owned(),
    };
    if own_of_all > MAX_USERS {
        let text = format!("more than {MAX_USERS} users on one agent");
        return Err(JobError::at(path, text).hint("use several load machines"));
    }
    if own_of_all == 0 && !grows {
        return Err(JobError::at(path, none(first)).hint(enough));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::Job;

    const CLERKS: &str = r#""clerks": {"load": {"closed": {"users": 3}}}"#;

    fn job(parts: &str) -> Result<Job, JobError> {
        Job::from_json(&format!(r#"{{"workload": "noop", {parts}}}"#))
    }

    #[test]
    fn a_job_has_one_load_or_personas() {
        let read = job(&format!(
            r#""personas": {{{CLERKS}, "agents": {{"params": {{"x": 1}}, "load": {{"open": {{"rate_per_s": 5}}}}}}}}"#
        ))
        .unwrap();
        let loads = read.loads();
        assert_eq!(
            loads.iter().map(|each| each.name).collect::<Vec<_>>(),
            [Some("agents"), Some("clerks")]
        );
        assert_eq!(loads[0].params["x"], 1);
        assert_eq!(loads[1].path("load"), "personas.clerks.load");
        let whole = job(r#""load": {"closed": {"users": 3}}"#).unwrap();
        assert_eq!(whole.loads()[0].path("load"), "load");
        let written = serde_json::to_string(&read).unwrap();
        assert_eq!(Job::from_json(&written).unwrap(), read);
    }

    #[test]
    fn personas_that_make_no_sense_are_refused_with_their_place() {
        let closed = |users: u64| format!(r#"{{"load": {{"closed": {{"users": {users}}}}}}}"#);
        let many: Vec<String> = (0..17)
            .map(|it| format!(r#""p{it}": {}"#, closed(1)))
            .collect();
        for (parts, path) in [
            ("\"targets\": []".to_owned(), "load"),
            (
                format!(r#""load": {{"closed": {{"users": 1}}}}, "personas": {{{CLERKS}}}"#),
                "load",
            ),
            (
                format!(r#""params": {{"x": 1}}, "personas": {{{CLERKS}}}"#),
                "params",
            ),
            (format!(r#""personas": {{{}}}"#, many.join(",")), "personas"),
            (
                format!(r#""personas": {{"two words": {}}}"#, closed(1)),
                "personas",
            ),
            (
                format!(r#""personas": {{"a.b": {}}}"#, closed(1)),
                "personas",
            ),
            (format!(r#""personas": {{"": {}}}"#, closed(1)), "personas"),
            (
                r#""personas": {"a": {"load": {"open": {"rate_per_s": -1}}}}"#.to_owned(),
                "personas.a.load.open.rate_per_s",
            ),
            (
                format!(
                    r#""personas": {{"a": {}, "b": {}}}"#,
                    closed(60_000),
                    closed(60_000)
                ),
                "personas",
            ),
            (
                r#""phases": {"ramp_s": 1}, "personas": {"a": {"load": {"open": {"rate_per_s": 1}}}}"#
                    .to_owned(),
                "phases.ramp_s",
            ),
        ] {
            assert_eq!(job(&parts).expect_err(&parts).path, path, "{parts}");
        }
    }

    #[test]
    fn an_agent_may_have_no_user_of_a_persona_that_waits_for_no_arrivals() {
        let shared = |of: u32, load: &str| {
            job(&format!(
                r#""share": {{"index": 2, "of": {of}}}, "personas": {{{CLERKS}, "robots": {{"load": {load}}}}}"#
            ))
        };
        assert!(shared(3, r#"{"closed": {"users": 1}}"#).is_ok());
        assert!(shared(4, r#"{"open": {"rate_per_s": 1}}"#).is_ok());
        let none = shared(3, r#"{"open": {"rate_per_s": 1, "users": 2}}"#);
        assert_eq!(
            none.expect_err("open").path,
            "personas.robots.load.open.users"
        );
        let nobody = job(&format!(
            r#""share": {{"index": 3, "of": 4}}, "personas": {{{CLERKS}}}"#
        ));
        assert_eq!(
            nobody.expect_err("nobody").path,
            "personas.clerks.load.closed.users"
        );
    }
}
