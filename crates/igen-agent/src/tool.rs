//! Runs a tool: what it says goes to standard output, one JSON object a line.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::error::ErrorKind;
use clap::{ArgMatches, Command, Error, FromArgMatches, Subcommand};
use igen_job::ToolLine;
use igen_job::tool::Cost;
use igen_tools::{Emit, Entry};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::output::write_line;

const FINDING: u8 = 1;
const CANNOT: u8 = 2;

/// A tool of the list, with its options.
#[derive(Clone)]
pub struct ToolCall {
    name: String,
    matches: ArgMatches,
}

impl FromArgMatches for ToolCall {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let (name, matches) = matches
            .subcommand()
            .ok_or_else(|| Error::raw(ErrorKind::MissingSubcommand, "which tool?"))?;
        Ok(Self {
            name: name.to_owned(),
            matches: matches.clone(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for ToolCall {
    fn augment_subcommands(command: Command) -> Command {
        command
            .subcommands(igen_tools::list().iter().map(Entry::command))
            .subcommand_required(true)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        igen_tools::find(name).is_some()
    }
}

/// Runs the tool. SIGINT and SIGTERM end it with what it has found so far.
pub fn run(call: &ToolCall) -> ExitCode {
    let started = Instant::now();
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag down, and raises it for the second.
        let registered = signal_hook::flag::register_conditional_shutdown(
            signal,
            128 + signal,
            Arc::clone(&stop),
        )
        .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)));
        if let Err(error) = registered {
            eprintln!("igen-agent: cannot catch signals: {error}");
            return ExitCode::FAILURE;
        }
    }
    let Some(entry) = igen_tools::find(&call.name) else {
        return ExitCode::from(CANNOT); // clap knows the same list
    };
    let gone = Arc::clone(&stop);
    thread::spawn(move || stop_without_reader(&gone));
    let mut told = |line: ToolLine| write_line(&line);
    let done = entry.run(&call.matches, &mut Emit::new(&mut told, &stop));
    let (line, code) = match done {
        Ok(mut verdict) => {
            let own = cost(started);
            verdict.cost = Cost {
                // What it had others do, it says itself.
                processor_s: own.processor_s + verdict.cost.processor_s,
                ..own
            };
            let code = if verdict.finding { FINDING } else { 0 };
            (ToolLine::Verdict(verdict), code)
        }
        Err(error) => (ToolLine::Error(error), CANNOT),
    };
    match write_line(&line) {
        Ok(()) => ExitCode::from(code),
        Err(_) if stop.load(Ordering::Relaxed) => ExitCode::from(code),
        Err(_) => ExitCode::FAILURE,
    }
}

/// A tool that says nothing for an hour would not notice that whoever asked for it was killed: the other end of its
/// standard output is watched meanwhile.
fn stop_without_reader(stop: &AtomicBool) {
    let output = std::io::stdout();
    loop {
        let mut descriptors = [PollFd::new(&output, PollFlags::empty())];
        match poll(&mut descriptors, None) {
            Err(Errno::INTR) => {}
            Err(_) => return,
            Ok(_) => {
                let seen = descriptors[0].revents();
                if seen.intersects(PollFlags::ERR | PollFlags::HUP) {
                    stop.store(true, Ordering::Relaxed);
                }
                return;
            }
        }
    }
}

/// What this process has used so far.
pub fn cost(started: Instant) -> Cost {
    let used: Duration = clock_gettime(ClockId::ProcessCPUTime)
        .try_into()
        .unwrap_or_default();
    Cost {
        wall_s: started.elapsed().as_secs_f64(),
        processor_s: used.as_secs_f64(),
    }
}

/// All tools with their options, for whoever shows them.
pub fn entries() -> Vec<Value> {
    igen_tools::list()
        .iter()
        .map(|entry| {
            let command = entry.command();
            let arguments: Vec<Value> = command
                .get_arguments()
                .filter(|argument| !argument.is_hide_set())
                .map(argument)
                .collect();
            json!({
                "name": entry.name,
                "summary": entry.summary,
                "requirements": entry.requirements,
                "overhead": entry.overhead,
                "figure": entry.figure,
                "examples": entry.examples,
                "arguments": arguments,
            })
        })
        .collect()
}

fn argument(argument: &clap::Arg) -> Value {
    let takes_value = argument.get_action().takes_values();
    let names = argument.get_value_names().unwrap_or_default();
    let defaults = argument.get_default_values();
    let choices = argument.get_possible_values();
    json!({
        "name": argument.get_id().as_str(),
        "option": argument.get_long().map(|long| format!("--{long}")),
        "short": argument.get_short().map(|short| format!("-{short}")),
        "value": names.first().filter(|_| takes_value).map(ToString::to_string),
        "many": matches!(argument.get_action(), clap::ArgAction::Append),
        "required": argument.is_required_set(),
        "default": defaults.first().filter(|_| takes_value).map(|value| value.to_string_lossy()),
        "choices": choices
            .iter()
            .filter(|_| takes_value)
            .map(clap::builder::PossibleValue::get_name)
            .collect::<Vec<_>>(),
        "help": argument.get_help().map(ToString::to_string),
    })
}
