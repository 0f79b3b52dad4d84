//! The command line of the agent.

use clap::{Parser, Subcommand, ValueEnum};

use crate::monitor::Monitor;
use crate::serve::Serve;
use crate::tool::ToolCall;

/// Runs one job and writes events: the part of iGen that measures.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
pub struct Arguments {
    /// What to do.
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

Exit codes: 0 ok, 1 run failed, 2 bad job, 130 interrupted. Tools: 0 good, 1 finding, 2 cannot be done here.";

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Execute the job on standard input; events go to standard output, one JSON object a line.
    Run,
    /// Check the job on standard input and print it with its defaults filled in.
    Check {
        /// Check many jobs: one a line, each answered by a line.
        #[arg(long)]
        each: bool,
    },
    /// Write what the job on standard input would load into one of its targets, for the server's own
    /// loader, to standard output.
    Export {
        /// Index of the target, counted from 0.
        #[arg(long, default_value_t = 0)]
        target_index: usize,
    },
    /// Print a JSON schema.
    Schema {
        /// What it describes: job, command, event, monitor, tool, or the parameters of a workload.
        #[arg(default_value = "job")]
        of: String,
    },
    /// List what this agent can do, as JSON.
    List {
        /// What to list.
        #[arg(default_value = "workloads")]
        what: Listing,
    },
    /// Print what can be told about this machine, one fact a line.
    Facts,
    /// Run a tool that looks at this machine once; what it finds goes to standard output, one JSON object a line.
    Tool {
        /// Which tool.
        #[command(subcommand)]
        call: ToolCall,
    },
    /// Read monitors of this machine until standard input ends; readings go to standard output, one JSON object
    /// a line, and at the end what that cost.
    Monitor(Monitor),
    /// Serve a small shop in three tiers, to load where no web application is at hand.
    Serve {
        /// Which tier.
        #[command(subcommand)]
        what: Serve,
    },
}

/// What can be listed.
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
