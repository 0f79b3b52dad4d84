//! `igen-model run`: executes a job of `noop` or `model` as `igen-agent run` does, without monitors and commands.

#![forbid(unsafe_code)]

use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use igen_engine::{Clock, Host, WorkloadEntry};
use igen_job::event::{Event, Hello, Line};
use igen_job::{Job, JobError};
use igen_model::{Model, Noop};
use tokio::sync::mpsc;

static WORKLOADS: [WorkloadEntry; 2] = [WorkloadEntry::of::<Noop>(), WorkloadEntry::of::<Model>()];

fn main() -> ExitCode {
    match run(Clock::start().checked()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("igen-model: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(clock: Clock) -> Result<(), JobError> {
    let text = std::io::read_to_string(std::io::stdin())
        .map_err(|error| JobError::new(format!("cannot read standard input: {error}")))?;
    let job = Job::from_json(&text)?;
    let entry = WORKLOADS
        .iter()
        .find(|entry| entry.name == job.workload)
        .ok_or_else(|| {
            JobError::at(
                "workload",
                "this program supports only the workloads noop and model",
            )
        })?;
    let job = (entry.check)(&job)?;
    let seq = Mutex::new(0);
    let emit = Arc::new(move |event| {
        let mut seq = seq.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody who reads the output is left.
        let _ = write(event, *seq);
        *seq += 1;
    });
    emit(Event::Hello(Box::new(hello(entry, &job, &clock))));
    // Nobody sends a command.
    let (_, commands) = mpsc::unbounded_channel();
    let mut host = Host {
        emit,
        commands,
        monitors: Vec::new(),
        clock,
        targets_elsewhere: false,
        unattended: Arc::new(AtomicBool::new(true)),
    };
    (entry.run)(&job, &mut host).map(|_| ())
}

fn write(event: Event, seq: u64) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(&Line { event, seq })?;
    line.push(b'\n');
    std::io::stdout().write_all(&line)
}

fn hello(entry: &WorkloadEntry, job: &Job, clock: &Clock) -> Hello {
    Hello {
        protocol: igen_job::PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        host: String::new(),
        started_unix_s: 0.0,
        clock: clock.name().to_owned(),
        job: job.clone(),
        defaults: (entry.defaults)(),
    }
}
