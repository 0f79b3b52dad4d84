//! Think times: how long does a user wait between two transactions?

use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{JobError, Seconds};

/// Longest think time.
const LONGEST_S: f64 = 86_400.0;

/// Think time: constant, such as `1.5` or `"10s"`, or random, also as text: `"uniform:5s,15s"`, `"exponential:8s"`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ThinkTime {
    /// Constant time; 0 means no think time.
    Fixed(Seconds),
    /// Random time, by a seed for each user.
    Drawn(TimeDistribution),
}

/// Distribution of random think times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TimeDistribution {
    /// Uniform between two times.
    Uniform([Seconds; 2]),
    /// Exponential with this mean.
    Exponential(Seconds),
}

impl ThinkTime {
    /// Returns no think time.
    #[must_use]
    pub fn none() -> Self {
        Self::Fixed(Seconds(0.0))
    }

    /// Returns true if users never think.
    #[must_use]
    pub fn is_none(&self) -> bool {
        matches!(self, Self::Fixed(time) if time.0 <= 0.0)
    }

    /// Returns the mean think time.
    #[must_use]
    pub fn mean_s(&self) -> f64 {
        match self {
            Self::Fixed(time) => time.0,
            Self::Drawn(TimeDistribution::Uniform([low, high])) => f64::midpoint(low.0, high.0),
            Self::Drawn(TimeDistribution::Exponential(mean)) => mean.0,
        }
    }

    /// Checks rules that the types do not express; `path` is the place in the job.
    pub fn check(&self, path: &str) -> Result<(), JobError> {
        let (least_s, low_s, high_s) = match self {
            Self::Fixed(time) => (0.0, time.0, time.0),
            Self::Drawn(TimeDistribution::Uniform([low, high])) => (0.0, low.0, high.0),
            Self::Drawn(TimeDistribution::Exponential(mean)) => (1e-9, mean.0, mean.0),
        };
        for value in [low_s, high_s] {
            if !(least_s..=LONGEST_S).contains(&value) {
                return Err(JobError::at(path, format!("{value} is out of range"))
                    .hint(format!("use a number from {least_s} to {LONGEST_S}")));
            }
        }
        if low_s > high_s || (matches!(self, Self::Drawn(_)) && high_s <= 0.0) {
            return Err(
                JobError::at(path, format!("the range {low_s} s to {high_s} s is empty"))
                    .hint("put the shorter time first: {\"uniform\": [\"5s\", \"15s\"]}"),
            );
        }
        Ok(())
    }
}

impl FromStr for ThinkTime {
    type Err = String;

    /// Reads the form of the command line: `10s`, `uniform:5s,15s`, `exponential:8s`.
    fn from_str(text: &str) -> Result<Self, String> {
        let Some((kind, times)) = text.split_once(':') else {
            return text.parse().map(Self::Fixed);
        };
        let times: Vec<Seconds> = times.split(',').map(str::parse).collect::<Result<_, _>>()?;
        match (kind, times.as_slice()) {
            ("uniform", [low, high]) => Ok(Self::Drawn(TimeDistribution::Uniform([*low, *high]))),
            ("exponential", [mean]) => Ok(Self::Drawn(TimeDistribution::Exponential(*mean))),
            _ => Err(format!(
                "`{text}` is not a think time: use 10s, uniform:5s,15s or exponential:8s"
            )),
        }
    }
}

impl<'de> Deserialize<'de> for ThinkTime {
    /// Not by `untagged`, whose errors do not say what is wrong.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match value {
            Value::String(text) => text.parse().map_err(D::Error::custom),
            Value::Object(_) => serde_json::from_value(value)
                .map(Self::Drawn)
                .map_err(D::Error::custom),
            _ => serde_json::from_value(value)
                .map(Self::Fixed)
                .map_err(D::Error::custom),
        }
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
            (r#""uniform:5s,15s""#, r#"{"uniform":[5.0,15.0]}"#),
            (r#""exponential:8s""#, r#"{"exponential":8.0}"#),
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
            (r#""normal:8s""#, "use 10s, uniform"),
            (r#""uniform:5s""#, "use 10s, uniform"),
            (r#""exponential:8 parsecs""#, "parsecs"),
            (r#"{"uniform": ["15s", "5s"]}"#, "is empty"),
            (r#"{"uniform": [0, 0]}"#, "is empty"),
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
