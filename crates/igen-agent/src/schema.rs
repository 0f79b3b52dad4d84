//! What the agent tells about itself: schemas and lists.

use std::io::Write;
use std::process::ExitCode;

use igen_job::event::Line;
use igen_job::fact::{Declared, Subject};
use igen_job::{Command, Job, JobError, MonitorLine, ToolLine, facts};
use igen_workloads::workloads::{self, WORKLOADS};
use serde::Serialize;
use serde_json::{Value, json};

use crate::command_line::Listing;
use crate::output::{self, BAD_JOB};

/// Prints the schema of `of`.
pub fn print(of: &str) -> ExitCode {
    match of {
        "job" => print_json(&schemars::schema_for!(Job)),
        "command" => print_json(&schemars::schema_for!(Command)),
        "event" => print_json(&schemars::schema_for!(Line)),
        "monitor" => print_json(&schemars::schema_for!(MonitorLine)),
        "tool" => print_json(&schemars::schema_for!(ToolLine)),
        workload => match workloads::find(workload) {
            Some(entry) => print_json(&(entry.params_schema)()),
            None => output::fail(
                JobError::new(format!("no schema for `{workload}`"))
                    .hint("use job, command, event, monitor, tool or the name of a workload"),
                BAD_JOB,
            ),
        },
    }
}

/// Lists what this agent can do.
pub fn list(what: Listing) -> ExitCode {
    match what {
        Listing::Workloads => {
            let entries = WORKLOADS.iter().map(|entry| {
                json!({
                    "name": entry.name,
                    "summary": entry.summary,
                    "version": entry.version,
                    "operations": entry.operations,
                    "counters": entry.counters,
                    "rates": entry.rates,
                    "targets": entry.targets,
                    "default_target": entry.default_target,
                    "prepares": entry.prepares,
                    "run_defaults": (entry.run_defaults)(),
                    "placement": entry.placement,
                    "params": (entry.params_schema)(),
                })
            });
            print_json(&entries.collect::<Vec<_>>())
        }
        Listing::Monitors => {
            print_summaries(igen_monitors::list().iter().map(|m| (m.name, m.summary)))
        }
        Listing::Facts => print_json(&facts::list().map(declaration).collect::<Vec<_>>()),
        Listing::Tools => print_json(&crate::tool::entries()),
    }
}

fn declaration(fact: &Declared) -> Value {
    let about = match fact.subject {
        Subject::Run => "result",
        _ => "environment",
    };
    json!({
        "name": fact.name,
        "summary": fact.summary(),
        "type": fact.of_type.word(),
        "form": fact.of_type,
        "unit": fact.unit(),
        "about": about,
        "subject": fact.subject,
        "volatile": fact.volatile,
        "changes_work": fact.changes_work,
        "together": fact.together,
        "shows": fact.shows,
    })
}

fn print_summaries(entries: impl Iterator<Item = (&'static str, &'static str)>) -> ExitCode {
    let entries = entries.map(|(name, summary)| json!({ "name": name, "summary": summary }));
    print_json(&entries.collect::<Vec<_>>())
}

/// Prints `value` as readable JSON.
pub fn print_json(value: &impl Serialize) -> ExitCode {
    let written = serde_json::to_string_pretty(value)
        .map_err(std::io::Error::from)
        .and_then(|text| writeln!(std::io::stdout(), "{text}"));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE, // a closed pipe: nobody wants the rest
    }
}
