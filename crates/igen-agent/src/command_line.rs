//! The command line of the agent.

use clap::{Parser, Subcommand, ValueEnum};

use crate::monitor::Monitor;
use crate::serve::Serve;
use crate::tool::ToolCall;

/// Run one job and write events: the part of iGen that measures.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
pub struct Arguments {
    /// Command to execute.
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  echo '{\"workload\":\"cpu\",\"load\":{\"closed\":{\"users\":2}}}' | igen-agent run > events.jsonl
  igen-agent check < job.json
  igen-agent schema job
  igen-agent list workloads
  igen-agent tool pages
  igen-agent monitor cpu memory --interval 10s > readings.jsonl

Exit codes: 0 ok, 1 run failed, 2 bad job, 130 interrupted. Exit codes of tools: 0 good, 1 finding, 2 cannot run here.";

/// Commands of the agent.
#[derive(Subcommand)]
pub enum Command {
    /// Execute the job on standard input; events go to standard output, one JSON object a line.
    Run,
    /// Check the job on standard input and print it with its defaults filled in.
    Check {
        /// Check several jobs: one per line of input, with one line of output for each.
        #[arg(long)]
        each: bool,
    },
    /// Write the data that the job on standard input would load into a target, in the format of the server's loader,
    /// to standard output.
    Export {
        /// Index of the target, counted from 0.
        #[arg(long, default_value_t = 0)]
        target_index: usize,
    },
    /// Print a JSON schema.
    Schema {
        /// Schema to print: job, command, event, monitor, tool, or the name of a workload for its parameters.
        #[arg(default_value = "job")]
        of: String,
    },
    /// List workloads, monitors, facts or tools of this agent, as JSON.
    List {
        /// List to print.
        #[arg(default_value = "workloads")]
        what: Listing,
    },
    /// Print the facts about this machine, one per line.
    Facts,
    /// Run a tool that examines this machine once; results go to standard output, one JSON object a line.
    Tool {
        /// Tool to run.
        #[command(subcommand)]
        call: ToolCall,
    },
    /// Read monitors of this machine until standard input ends; readings, and at the end the cost of reading, go to
    /// standard output, one JSON object a line.
    Monitor(Monitor),
    /// Serve a small web shop in three tiers, as a target for load tests.
    Serve {
        /// Tier to serve.
        #[command(subcommand)]
        what: Serve,
    },
}

/// Lists that can be printed.
#[derive(Clone, Copy, ValueEnum)]
pub enum Listing {
    /// Workloads with their operations, counters, targets and parameters.
    Workloads,
    /// Monitors.
    Monitors,
    /// Facts that this agent and igen write: type, unit, subject.
    Facts,
    /// Tools with their options, requirements and overhead.
    Tools,
}
