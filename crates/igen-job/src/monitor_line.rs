//! Lines that `igen-agent monitor` writes and reads, one object a line. It reads a machine and does not run a job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::JobError;
use crate::event::{Event, Reading};
use crate::fact::Fact;
use crate::tool::Cost;

/// One line of standard output of `igen-agent monitor`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MonitorLine {
    /// First line, unless it is an error.
    Begin(MonitorBegin),
    /// Fact about a tier.
    Fact(Fact),
    /// One reading of one monitor; `at_s` counts from the agent's start, on its monotonic clock.
    Reading(Reading),
    /// Problem that does not stop the readings, such as a value that cannot be read.
    Warning(JobError),
    /// Answer to `clock`.
    Clock(ClockAnswer),
    /// Error that prevents readings: exit code 2.
    Error(JobError),
    /// Last line after an orderly end: cost of reading for this machine.
    End(Cost),
}

/// First line: agent and host.
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

/// Time on the agent's clock.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClockAnswer {
    /// Number of the request.
    pub id: u64,
    /// Time at which the request was read.
    pub at_s: f64,
}

/// One line of standard input of `igen-agent monitor`: `{"clock": 7}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MonitorAsk {
    /// Request for the time, with a number that the answer repeats.
    Clock(u64),
}

impl MonitorLine {
    /// Returns the line for an event of a monitor; None for an event of a job.
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
