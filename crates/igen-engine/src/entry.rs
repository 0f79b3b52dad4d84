//! A workload without its types: what the list of workloads is made of.

use std::io::Write;

use igen_job::{Job, JobError, Placement};
use schemars::{Schema, SchemaGenerator};

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
    /// Where its users run by default.
    pub placement: Placement,
    /// What `igen run` does where its flags say nothing.
    pub run_defaults: fn() -> Option<RunDefaults>,
    /// Schema of its parameters.
    pub params_schema: fn() -> Schema,
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
            placement: W::PLACEMENT,
            run_defaults: W::run_defaults,
            params_schema: || SchemaGenerator::default().into_root_schema_for::<W::Params>(),
            check: |job| run::check::<W>(job).map(|_| run::normalised::<W>(job)),
            export: run::export::<W>,
            run: run::run::<W>,
        }
    }
}
