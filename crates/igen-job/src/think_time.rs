//! Think times: how long does a user wait between two transactions?

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{JobError, Seconds};

/// Longest think time.
const LONGEST_S: f64 = 86_400.0;

/// A think time: always the same, `1.5` or `"10s"`, or drawn anew each time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ThinkTime {
    /// Always the same; 0 for none.
    Fixed(Seconds),
    /// Drawn anew each time, by a seed of the user's own.
    Drawn(Distribution),
}

/// What think times are drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Distribution {
    /// Every time between the two is as likely.
    Uniform([Seconds; 2]),
    /// Many short ones and a few long ones, of this mean.
    Exponential(Seconds),
}

impl ThinkTime {
    /// No think time.
    #[must_use]
    pub fn none() -> Self {
        Self::Fixed(Seconds(0.0))
    }

    /// Whether users never think.
    #[must_use]
    pub fn is_none(&self) -> bool {
        matches!(self, Self::Fixed(time) if time.0 <= 0.0)
    }

    /// The mean of the times that are drawn.
    pub(crate) fn mean_s(&self) -> f64 {
        match self {
            Self::Fixed(time) => time.0,
            Self::Drawn(Distribution::Uniform([low, high])) => f64::midpoint(low.0, high.0),
            Self::Drawn(Distribution::Exponential(mean)) => mean.0,
        }
    }

    /// Checks what the types cannot say; `path` is where in the job it stands.
    pub(crate) fn check(&self, path: &str) -> Result<(), JobError> {
        let (least_s, low_s, high_s) = match self {
            Self::Fixed(time) => (0.0, time.0, time.0),
            Self::Drawn(Distribution::Uniform([low, high])) => (0.0, low.0, high.0),
            Self::Drawn(Distribution::Exponential(mean)) => (1e-9, mean.0, mean.0),
        };
        for value in [low_s, high_s] {
            if !(least_s..=LONGEST_S).contains(&value) {
                return Err(JobError::at(path, format!("{value} is out of range"))
                    .hint(format!("use a number from {least_s} to {LONGEST_S}")));
            }
        }
        if low_s > high_s || (matches!(self, Self::Drawn(_)) && high_s <= 0.0) {
            return Err(JobError::at(
                path,
                format!("there is no time between {low_s} s and {high_s} s"),
            )
            .hint("say the shorter one first: {\"uniform\": [\"5s\", \"15s\"]}"));
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for ThinkTime {
    /// Not by `untagged`, whose errors do not say what is wrong.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let read = if value.is_object() {
            serde_json::from_value(value).map(Self::Drawn)
        } else {
            serde_json::from_value(value).map(Self::Fixed)
        };
        read.map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn think_times_are_read_and_written() {
        for (text, written) in [
            ("1.5", "1.5"),
            (r#""10s""#, "10.0"),
            (r#"{"uniform": ["5s", 15]}"#, r#"{"uniform":[5.0,15.0]}"#),
            (r#"{"exponential": "8s"}"#, r#"{"exponential":8.0}"#),
        ] {
            let read: ThinkTime = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), written);
            read.check("x").unwrap();
        }
    }

    #[test]
    fn what_is_no_think_time_is_refused_with_its_reason() {
        for (text, says) in [
            (r#"{"normal": 8}"#, "normal"),
            (r#"{"uniform": [1]}"#, "invalid length"),
            (r#""5 parsecs""#, "parsecs"),
            (r#"{"uniform": ["15s", "5s"]}"#, "no time between"),
            (r#"{"uniform": [0, 0]}"#, "no time between"),
            (r#"{"exponential": 0}"#, "out of range"),
            ("100000", "out of range"),
        ] {
            let error = serde_json::from_str::<ThinkTime>(text)
                .map_err(|error| error.to_string())
                .and_then(|read| read.check("x").map_err(|error| error.to_string()));
            assert!(
                error.as_ref().is_err_and(|it| it.contains(says)),
                "{text}: {error:?}"
            );
        }
    }
}
