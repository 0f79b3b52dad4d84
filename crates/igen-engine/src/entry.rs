//! A workload without its types: what the list of workloads is made of.

use std::io::Write;

use igen_job::{Job, JobError, Placement};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

use crate::host::Host;
use crate::report::Report;
use crate::run;
use crate::workload::{Rate, RunDefaults, Workload};

/// A workload in the list.
pub struct WorkloadEntry {
    /// Name on the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Changes whenever results stop being comparable.
    pub version: u32,
    /// Named steps of the transaction.
    pub operations: &'static [&'static str],
    /// What it counts.
    pub counters: &'static [&'static str],
    /// Figures of merit beside transactions a second.
    pub rates: &'static [Rate],
    /// Schemes of the targets that it can load.
    pub targets: &'static [&'static str],
    /// Target used when a job names none.
    pub default_target: Option<&'static str>,
    /// True if it creates what it checks before the load.
    pub prepares: bool,
    /// Where its users run by default.
    pub placement: Placement,
    /// What `igen run` does where its flags say nothing.
    pub run_defaults: fn() -> Option<RunDefaults>,
    /// Schema of its parameters.
    pub params_schema: fn() -> Schema,
    /// Values of the parameters that a job does not set, without those that depend on the target or the machine.
    pub defaults: fn() -> Map<String, Value>,
    /// Checks a job and fills in the defaults.
    pub check: fn(&Job) -> Result<Job, JobError>,
    /// Writes what `prepare` would load into the target of that index.
    pub export: fn(&Job, usize, &mut dyn Write) -> Result<(), JobError>,
    /// Executes a job.
    pub run: fn(&Job, &mut Host) -> Result<Report, JobError>,
}

impl WorkloadEntry {
    /// The entry of workload `W`.
    #[must_use]
    pub const fn of<W: Workload>() -> Self {
        Self {
            name: W::NAME,
            summary: W::SUMMARY,
            version: W::VERSION,
            operations: W::OPERATIONS,
            counters: W::COUNTERS,
            rates: W::RATES,
            targets: W::TARGETS,
            default_target: W::DEFAULT_TARGET,
            prepares: W::PREPARES,
            placement: W::PLACEMENT,
            run_defaults: W::run_defaults,
            params_schema: schema::<W>,
            defaults: || defaults(&schema::<W>()),
            check: |job| run::check::<W>(job).map(|_| run::normalised::<W>(job)),
            export: run::export::<W>,
            run: run::run::<W>,
        }
    }
}

fn schema<W: Workload>() -> Schema {
    SchemaGenerator::default().into_root_schema_for::<W::Params>()
}

/// The defaults that a schema of parameters has, by name.
fn defaults(schema: &Schema) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .filter_map(|(name, property)| Some((name.clone(), property.get("default")?.clone())))
        .filter(|(_, value)| !value.is_null())
        .collect()
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;

    #[derive(Serialize, Deserialize, schemars::JsonSchema)]
    #[serde(default)]
    struct Params {
        customers: u32,
        size_bytes: Option<u64>,
        #[schemars(extend("default" = "full"))]
        synchronous: Option<String>,
    }

    impl Default for Params {
        fn default() -> Self {
            Self {
                customers: 7,
                size_bytes: None,
                synchronous: None,
            }
        }
    }

    #[test]
    fn a_default_that_depends_on_the_machine_is_left_out() {
        let found = defaults(&SchemaGenerator::default().into_root_schema_for::<Params>());
        let expected = json!({"customers": 7, "synchronous": "full"});
        assert_eq!(Value::Object(found), expected);
    }
}
