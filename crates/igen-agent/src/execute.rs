//! Running and checking a job.

use std::io::{BufWriter, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use igen_engine::{Clock, Host, WorkloadEntry};
use igen_job::event::{End, Event, Hello, Outcome};
use igen_job::{Command, Job, JobError};
use igen_monitors::Context;
use igen_workloads::{own_sessions, workloads};
use signal_hook::consts::{SIGINT, SIGTERM};
use tokio::sync::mpsc;

use crate::abandoned::{self, Abandoned};
use crate::host_name::host_name;
use crate::lease::Lease;
use crate::output::{self, BAD_JOB, Writer};
use crate::scheduling;
use crate::stdin::{self, AtEnd, Input};

const FAILED: u8 = 1;
const INTERRUPTED: u8 = 130;

/// Executes the job on standard input.
pub fn run(clock: Clock) -> ExitCode {
    let (send, commands) = mpsc::unbounded_channel();
    let clock = clock.checked();
    let mut input = Input::open();
    let checked = input.job().and_then(|job| {
        let entry = find(&job.workload)?;
        let job = (entry.check)(&job)?;
        igen_monitors::check(&job)?;
        Ok((entry, job))
    });
    let (entry, job) = match checked {
        Ok(checked) => checked,
        Err(error) => return output::fail(error, BAD_JOB),
    };
    // Before the first thread: all of them are in the session of the process.
    if let Err(error) = scheduling::prepare(&job) {
        return output::fail(error, BAD_JOB);
    }
    if let Err(error) = stop_on_signals(send.clone()) {
        return output::fail(JobError::new(format!("cannot catch signals: {error}")), 1);
    }
    let host = host_name();
    let stop = send.clone();
    let abandoned = Abandoned::watch(
        abandoned::LIMIT,
        move || {
            // The job may be over already.
            let _ = stop.send(Command::Stop);
        },
        || signal_hook::low_level::exit(INTERRUPTED.into()),
    );
    let writer = Writer::start(host.clone(), abandoned.clone());
    let emit = writer.emit();
    emit(Event::Hello(Box::new(hello(entry, &job, host, &clock))));
    let lease = job
        .lease_s
        .map(|length| Lease::start(length, emit.clone(), abandoned.clone()));
    let unattended = Arc::new(AtomicBool::new(false));
    let at_end = if job.attended {
        AtEnd::Stop(abandoned)
    } else {
        AtEnd::GoOn(Arc::clone(&unattended))
    };
    input.listen(at_end, lease, emit.clone(), send);
    let context = Context::new(&job.pids, &job.targets, emit.clone(), clock.clone())
        .with_tiers(&job.tiers)
        .with_credentials(job.credentials);
    let monitors = igen_monitors::open(job.monitors.as_deref(), &context);
    for missing in monitors.unavailable {
        let text = format!(
            "monitor {} is not available here: {}",
            missing.name, missing.reason
        );
        emit(Event::Warning(JobError::at("monitors", text)));
    }
    if !monitors.monitors.is_empty() {
        for fact in all_facts() {
            emit(Event::Fact(fact));
        }
    }
    let mut host = Host {
        emit,
        commands,
        monitors: monitors.monitors,
        clock,
        targets_elsewhere: igen_monitors::are_elsewhere(&job.targets),
        unattended,
    };
    let code = finish(&mut host, entry, &job);
    written(writer, code)
}

fn finish(host: &mut Host, entry: &WorkloadEntry, job: &Job) -> u8 {
    let (outcome, unfinished_users, code) = match (entry.run)(job, host) {
        Ok(report) if report.outcome == Outcome::Interrupted => {
            (Outcome::Interrupted, report.unfinished_users, INTERRUPTED)
        }
        Ok(report) => (report.outcome, report.unfinished_users, 0),
        Err(error) => {
            (host.emit)(Event::Error(error));
            (Outcome::Failed, 0, FAILED)
        }
    };
    // Those with a thread of their own say their last words now.
    host.monitors.clear();
    if let Some(fact) = own_sessions() {
        (host.emit)(Event::Fact(fact));
    }
    (host.emit)(Event::End(End {
        outcome,
        at_s: host.clock.now_s(),
        unfinished_users,
    }));
    code
}

/// The exit code, once all events are written. A reader that went away meant to; a full disk did not.
fn written(writer: Writer, code: u8) -> ExitCode {
    match writer.finish() {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("igen-agent: cannot write events: {error}");
            ExitCode::from(FAILED)
        }
        _ => ExitCode::from(code),
    }
}

/// Checks the job on standard input and prints it with its defaults filled in.
pub fn check() -> ExitCode {
    match stdin::job().and_then(|job| checked(&job)) {
        Ok(job) => crate::schema::print_json(&job),
        Err(error) => output::fail(error, BAD_JOB),
    }
}

/// Checks job after job, one a line of standard input, and answers each with a line: the job with its defaults, or the
/// event of its error.
pub fn check_each() -> ExitCode {
    for line in std::io::stdin().lines() {
        let answered = line
            .map_err(|error| JobError::new(format!("cannot read standard input: {error}")))
            .and_then(|line| checked(&Job::from_json(&line)?))
            .map_or_else(
                |error| output::write(Event::Error(error), 0),
                |job| print_line(&job),
            );
        if answered.is_err() {
            return ExitCode::FAILURE; // a closed pipe: nobody wants the rest
        }
    }
    ExitCode::SUCCESS
}

fn checked(job: &Job) -> Result<Job, JobError> {
    let job = (find(&job.workload)?.check)(job)?;
    igen_monitors::check(&job)?;
    Ok(job)
}

fn print_line(job: &Job) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(job)?;
    line.push(b'\n');
    let mut output = std::io::stdout().lock();
    output.write_all(&line)?;
    output.flush()
}

/// Writes what the job on standard input would load into one of its targets.
pub fn export(target_index: usize) -> ExitCode {
    let mut output = BufWriter::new(std::io::stdout().lock());
    let exported = stdin::job().and_then(|job| {
        (find(&job.workload)?.export)(&job, target_index, &mut output)?;
        output
            .flush()
            .map_err(|error| JobError::new(format!("cannot write: {error}")))
    });
    match exported {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::fail_beside(error, BAD_JOB),
    }
}

/// What is known of the machine, and how it is tuned.
fn all_facts() -> impl Iterator<Item = igen_job::Fact> {
    igen_facts::read()
        .into_iter()
        .chain(igen_tools::tunables_facts())
}

/// Prints all facts.
pub fn facts() -> ExitCode {
    for (seq, fact) in (0..).zip(all_facts()) {
        if output::write(Event::Fact(fact), seq).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn find(name: &str) -> Result<&'static WorkloadEntry, JobError> {
    workloads::find(name).ok_or_else(|| {
        let known: Vec<&str> = workloads::WORKLOADS
            .iter()
            .map(|entry| entry.name)
            .collect();
        JobError::at("workload", format!("unknown workload `{name}`"))
            .hint(format!("use one of {}", known.join(", ")))
    })
}

fn hello(entry: &WorkloadEntry, job: &Job, host: String, clock: &Clock) -> Hello {
    let now_s = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |now| now.as_secs_f64());
    Hello {
        protocol: igen_job::PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        host,
        started_unix_s: now_s - clock.now_s(),
        clock: clock.name().to_owned(),
        job: job.clone(),
        defaults: (entry.defaults)(),
    }
}

/// SIGINT and SIGTERM end the load and keep what was measured; the second one ends the process.
fn stop_on_signals(commands: mpsc::UnboundedSender<Command>) -> std::io::Result<()> {
    let told = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag down, and raises it for the second.
        let at_once = i32::from(INTERRUPTED);
        signal_hook::flag::register_conditional_shutdown(signal, at_once, Arc::clone(&told))?;
        signal_hook::flag::register(signal, Arc::clone(&told))?;
    }
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        // Heard soon or late, it is heard.
        let _ = igen_kernel::scheduling::lift();
        for _ in signals.forever() {
            // The job may be over already.
            let _ = commands.send(Command::Stop);
        }
    });
    Ok(())
}
