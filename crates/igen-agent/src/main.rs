//! `igen-agent`: runs one job and writes events. Works alone on a bare server.

#![forbid(unsafe_code)]

mod abandoned;
mod command_line;
mod execute;
mod host_name;
mod lease;
mod monitor;
mod output;
mod scheduling;
mod schema;
mod serve;
mod sign_of_life;
mod stdin;
mod tool;

use std::process::ExitCode;

use clap::Parser;
use command_line::{Arguments, Command};

fn main() -> ExitCode {
    // First of all, so that start-up is part of the job's time.
    let clock = igen_engine::Clock::start();
    match Arguments::parse().command {
        Command::Run => execute::run(clock),
        Command::Check { each: false } => execute::check(),
        Command::Check { each: true } => execute::check_each(),
        Command::Export { target_index } => execute::export(target_index),
        Command::Schema { of } => schema::print(&of),
        Command::List { what } => schema::list(what),
        Command::Facts => execute::facts(),
        Command::Tool { call } => tool::run(&call),
        Command::Monitor(what) => monitor::run(&what, clock),
        Command::Serve { what } => serve::serve(what),
    }
}
