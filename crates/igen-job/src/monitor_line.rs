//! What `igen-agent monitor` says, and what it is asked: one object a line. It reads a machine and runs no job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::JobError;
use crate::event::{Event, Reading};
use crate::fact::Fact;
use crate::tool::Cost;

/// One line of standard output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MonitorLine {
    /// Always the first line, unless it is an error.
    Begin(MonitorBegin),
    /// A datum about a tier.
    Fact(Fact),
    /// One reading of one monitor; `at_s` counts from the agent's start, on its monotonic clock.
    Reading(Reading),
    /// Something that cannot be read here.
    Warning(JobError),
    /// The answer to `clock`.
    Clock(ClockAnswer),
    /// It cannot be done here, or not like that: exit code 2.
    Error(JobError),
    /// Always the last line of one that was told to end: what it cost this machine.
    End(Cost),
}

/// Who reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MonitorBegin {
    /// Version of the agent.
    pub version: String,
    /// Process id of the agent.
    pub pid: u32,
    /// Host name.
    pub host: String,
    /// Calendar time at `at_s` = 0.
    pub started_unix_s: f64,
    /// Time between readings.
    pub interval_s: f64,
}

/// What the agent's clock says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClockAnswer {
    /// The number that was asked with.
    pub id: u64,
    /// When the question was read.
    pub at_s: f64,
}

/// One line of standard input: `{"clock": 7}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MonitorAsk {
    /// What time is it? The answer has the same number.
    Clock(u64),
}

impl MonitorLine {
    /// What monitors say; None for what only a job has.
    #[must_use]
    pub fn of(event: Event) -> Option<Self> {
        match event {
            Event::Fact(fact) => Some(Self::Fact(fact)),
            Event::Reading(reading) => Some(Self::Reading(reading)),
            Event::Warning(warning) => Some(Self::Warning(warning)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_question_and_its_answer() {
        let ask: MonitorAsk = serde_json::from_str(r#"{"clock": 7}"#).unwrap();
        assert_eq!(ask, MonitorAsk::Clock(7));
        let answer = MonitorLine::Clock(ClockAnswer { id: 7, at_s: 1.5 });
        let written = serde_json::to_string(&answer).unwrap();
        assert_eq!(written, r#"{"clock":{"id":7,"at_s":1.5}}"#);
    }

    #[test]
    fn of_events_only_what_monitors_say_is_said() {
        let ready = Event::Ready { at_s: 1.0 };
        assert_eq!(MonitorLine::of(ready), None);
        let warning = JobError::new("no meter");
        assert_eq!(
            MonitorLine::of(Event::Warning(warning.clone())),
            Some(MonitorLine::Warning(warning))
        );
    }
}
