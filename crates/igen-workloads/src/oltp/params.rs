//! Parameters of `oltp`.

use igen_job::JobError;
use igen_sql::settings::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conflict::Retry;

/// Most customers: their keys are 32 bits wide everywhere, their orders' keys 64.
const MOST_CUSTOMERS: u32 = 100_000_000;
/// Most customers of all shards: keys are positive integers of 32 bits.
const MOST_CUSTOMERS_IN_ALL: u64 = 2_147_483_647;

/// Parameters of `oltp`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// Customers of each target, 2 to 100,000,000, with 10 orders each.
    ///
    /// Several targets are shards: the second target holds the next range of customers, and so on.
    #[schemars(range(min = 2, max = 100_000_000))]
    pub customers: u32,
    /// How often each customer is chosen.
    pub distribution: KeyDistribution,
    /// zipf: skew, above 0 up to 5; rank k is chosen in proportion to k^-theta.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 0.99))]
    pub zipf_theta: Option<f64>,
    /// hot: share of the customers that are hot, between 0 and 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 0.1))]
    pub hot_customers_fraction: Option<f64>,
    /// hot: share of the choices that fall on hot customers, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 0.9))]
    pub hot_choices_fraction: Option<f64>,
    /// One transaction for all statements, or one for each.
    pub mode: Mode,
    /// Run only the four selects.
    pub read_only: bool,
    /// Retries after a conflict.
    #[serde(flatten)]
    pub retry: Retry,
    /// Settings of each connection.
    #[serde(flatten)]
    pub settings: Settings,
}

/// How often each customer is chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyDistribution {
    /// All alike.
    #[default]
    Uniform,
    /// By Zipf's law, the popular customers spread over the whole table.
    Zipf,
    /// A range of customers takes most of the choices.
    Hot,
}

/// Where the database transaction begins and ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// One database transaction for the six statements.
    #[default]
    Transaction,
    /// Each statement is a database transaction of its own.
    Autocommit,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            customers: 100_000,
            distribution: KeyDistribution::default(),
            zipf_theta: None,
            hot_customers_fraction: None,
            hot_choices_fraction: None,
            mode: Mode::default(),
            read_only: false,
            retry: Retry::default(),
            settings: Settings::default(),
        }
    }
}

impl Params {
    /// Checks what the types cannot say.
    pub(super) fn check(&self, targets: usize) -> Result<(), JobError> {
        self.retry.check()?;
        if !(2..=MOST_CUSTOMERS).contains(&self.customers) {
            return Err(JobError::at(
                "params.customers",
                format!("a number of {} customers is out of range", self.customers),
            )
            .hint(format!("use 2 to {MOST_CUSTOMERS}")));
        }
        let in_all = u64::from(self.customers) * targets as u64;
        if in_all > MOST_CUSTOMERS_IN_ALL {
            return Err(JobError::at(
                "params.customers",
                format!("too many customers: {in_all} on {targets} targets"),
            )
            .hint(format!("use at most {MOST_CUSTOMERS_IN_ALL} in total")));
        }
        for (name, value, owner, least, most) in [
            (
                "zipf_theta",
                self.zipf_theta,
                KeyDistribution::Zipf,
                1e-3,
                5.0,
            ),
            (
                "hot_customers_fraction",
                self.hot_customers_fraction,
                KeyDistribution::Hot,
                1e-6,
                0.999_999,
            ),
            (
                "hot_choices_fraction",
                self.hot_choices_fraction,
                KeyDistribution::Hot,
                0.0,
                1.0,
            ),
        ] {
            let Some(value) = value else { continue };
            let field = format!("params.{name}");
            if self.distribution != owner {
                let owner = format!("{owner:?}").to_lowercase();
                return Err(JobError::at(field, "cannot be used with this distribution")
                    .hint(format!("set distribution = \"{owner}\"")));
            }
            if !(least..=most).contains(&value) {
                return Err(JobError::at(field, format!("{value} is out of range"))
                    .hint(format!("use {least} to {most}")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use std::time::Duration;

    use super::*;

    fn parse(json: &str) -> Result<Params, String> {
        let params: Params = serde_json::from_str(json).map_err(|error| error.to_string())?;
        params
            .check(1)
            .map_err(|error| error.to_string())
            .map(|()| params)
    }

    #[test]
    fn defaults_are_the_published_workload_and_durable() {
        let params = parse("{}").unwrap();
        assert_eq!(params, Params::default());
        assert_eq!((params.mode, params.read_only), (Mode::Transaction, false));
    }

    #[test]
    fn values_are_read_with_their_units() {
        let params = parse(
            r#"{"customers": 1000, "distribution": "zipf", "zipf_theta": 0.8, "mode": "autocommit",
                "synchronous": "normal", "cache_bytes": "64MiB", "busy_timeout_s": "250ms"}"#,
        )
        .unwrap();
        assert_eq!(params.settings.cache_bytes.unwrap().0, 64 << 20);
        assert_eq!(params.settings.busy_timeout(), Duration::from_millis(250));
    }

    #[test]
    fn nonsense_is_refused() {
        for json in [
            r#"{"customers": 1}"#,
            r#"{"customers": 100000001}"#,
            r#"{"customers": -5}"#,
            r#"{"customer": 5}"#,
            r#"{"synchronous": "off"}"#,
            r#"{"conflict_retries": 1001}"#,
            r#"{"conflict_backoff_s": "11s"}"#,
            r#"{"zipf_theta": 0.9}"#,
            r#"{"distribution": "zipf", "zipf_theta": 0}"#,
            r#"{"distribution": "hot", "hot_choices_fraction": 1.5}"#,
        ] {
            assert!(parse(json).is_err(), "{json}");
        }
    }
}
