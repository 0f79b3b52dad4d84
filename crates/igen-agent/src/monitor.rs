//! Monitors of this machine, read for a user on another machine: nothing is installed, no port is opened, and
//! reading stops when standard input ends.

use std::io::{BufRead, Read};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use igen_engine::host::Emit;
use igen_engine::monitor::{Moment, read_all};
use igen_engine::{Clock, Monitor as Sampler};
use igen_job::event::Event;
use igen_job::monitor_line::{ClockAnswer, MonitorBegin};
use igen_job::{JobError, MonitorAsk, MonitorLine, Seconds, Tier};
use igen_monitors::Context;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::abandoned::{self, Abandoned};
use crate::host_name::host_name;
use crate::output::{BAD_JOB, write_line};
use crate::tool::cost;

const LONGEST_ASK_BYTES: u64 = 4096;
const SHORTEST_INTERVAL_S: f64 = 0.01;
const LONGEST_S: f64 = 86_400.0;
/// Exit code of a process that ended because nobody asked.
const FORGOTTEN: i32 = 1;

/// Monitors to read, and the interval.
#[derive(clap::Args)]
pub struct Monitor {
    /// Names of monitors, as `igen-agent list monitors` prints them; default: the monitors that most machines have.
    names: Vec<String>,
    /// Time between readings, 10 ms to a day.
    #[arg(long, default_value = "1s")]
    interval: Seconds,
    /// Stop if nothing arrives on standard input for this long, even if it is still open.
    #[arg(long)]
    lease: Option<Seconds>,
    /// Tier to count separately, in JSON as in a job; may be repeated.
    #[arg(long = "tier", value_name = "JSON", value_parser = tier)]
    tiers: Vec<Tier>,
}

fn tier(text: &str) -> Result<Tier, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Reads until standard input ends, a signal arrives, or the output is closed.
pub fn run(what: &Monitor, clock: Clock) -> ExitCode {
    let started = Instant::now();
    let clock = clock.checked();
    let host = host_name();
    let (stop, stopped) = channel();
    let signalled = stop.clone();
    let abandoned = Abandoned::watch(
        abandoned::LIMIT,
        move || {
            // It may be over already.
            let _ = stop.send(());
        },
        || signal_hook::low_level::exit(FORGOTTEN),
    );
    let emit = emit(host.clone(), abandoned.clone());
    let opened = check(what)
        .and_then(|()| stop_on_signals(signalled))
        .map(|()| open(what, &emit, &clock, host, abandoned));
    let mut monitors = match opened {
        Ok(monitors) => monitors,
        Err(error) => {
            // Nobody may be there to hear it; the exit code says the same.
            let _ = write_line(&MonitorLine::Error(error));
            return ExitCode::from(BAD_JOB);
        }
    };
    let interval = Duration::from_secs_f64(what.interval.0);
    let mut next = Instant::now();
    loop {
        read_all(&mut monitors, Moment::Between, &clock, &emit);
        // Of readings that took longer than the interval those that were missed are left out.
        while next <= Instant::now() {
            next += interval;
        }
        match stopped.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    // Those with a thread of their own say their last words now.
    monitors.clear();
    match write_line(&MonitorLine::End(cost(started))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn check(what: &Monitor) -> Result<(), JobError> {
    let names = named(what);
    igen_monitors::check_watched(names, &what.tiers, &[])?;
    if !(SHORTEST_INTERVAL_S..=LONGEST_S).contains(&what.interval.0) {
        let text = format!("an interval of {} s is out of range", what.interval.0);
        return Err(JobError::at("interval", text).hint("use 10 ms to 1 day, such as 1s"));
    }
    if let Some(lease) = &what.lease
        && !(SHORTEST_INTERVAL_S..=LONGEST_S).contains(&lease.0)
    {
        let text = format!("a lease of {} s is out of range", lease.0);
        return Err(JobError::at("lease", text).hint("use 10 ms to 1 day, such as 60s"));
    }
    Ok(())
}

fn named(what: &Monitor) -> Option<&[String]> {
    (!what.names.is_empty()).then_some(what.names.as_slice())
}

/// Says who reads what, and begins to listen.
fn open(
    what: &Monitor,
    emit: &Emit,
    clock: &Clock,
    host: String,
    abandoned: Abandoned,
) -> Vec<Box<dyn Sampler>> {
    let now_s = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |now| now.as_secs_f64());
    // Whoever does not take it is seen to be gone at the first reading.
    let _ = write_line(&MonitorLine::Begin(MonitorBegin {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        host,
        started_unix_s: now_s - clock.now_s(),
        interval_s: what.interval.0,
    }));
    let context = Context::new(&[], &[], Arc::clone(emit), clock.clone()).with_tiers(&what.tiers);
    let opened = igen_monitors::open(named(what), &context);
    for missing in opened.unavailable {
        let text = format!(
            "monitor {} is not available here: {}",
            missing.name, missing.reason
        );
        emit(Event::Warning(JobError::at("monitors", text)));
    }
    let asked = what.lease.map(forgotten_after);
    let clock = clock.clone();
    thread::spawn(move || {
        listen(&clock, asked.as_ref());
        abandoned.report();
    });
    opened.monitors
}

/// Where monitors say what they read. Readings are of this machine: `host`.
fn emit(host: String, abandoned: Abandoned) -> Emit {
    Arc::new(move |mut event| {
        if let Event::Reading(reading) = &mut event
            && reading.host.is_empty()
        {
            reading.host.clone_from(&host);
        }
        let Some(line) = MonitorLine::of(event) else {
            return;
        };
        if write_line(&line).is_err() {
            abandoned.report();
        }
    })
}

/// Answers until standard input ends.
fn listen(clock: &Clock, asked: Option<&Sender<()>>) {
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input
            .by_ref()
            .take(LONGEST_ASK_BYTES)
            .read_until(b'\n', &mut line)
        {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let at_s = clock.now_s();
        if let Some(asked) = asked {
            // It never ends before this process does.
            let _ = asked.send(());
        }
        let answer = match serde_json::from_slice(line.trim_ascii()) {
            Ok(MonitorAsk::Clock(id)) => MonitorLine::Clock(ClockAnswer { id, at_s }),
            Err(error) => MonitorLine::Warning(
                JobError::at("standard input", format!("invalid request: {error}"))
                    .hint("send a request such as {\"clock\": 1}"),
            ),
        };
        if write_line(&answer).is_err() {
            return;
        }
    }
}

/// Ends the process when nothing was asked for so long, also where it waits for somebody to take its lines: behind
/// a network that was cut nobody would end it.
fn forgotten_after(lease: Seconds) -> Sender<()> {
    let (asked, questions) = channel();
    thread::spawn(move || {
        while questions
            .recv_timeout(Duration::from_secs_f64(lease.0))
            .is_ok()
        {}
        std::process::exit(FORGOTTEN);
    });
    asked
}

fn stop_on_signals(stop: Sender<()>) -> Result<(), JobError> {
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])
        .map_err(|error| JobError::new(format!("cannot catch signals: {error}")))?;
    thread::spawn(move || {
        for _ in signals.forever() {
            // It may be over already.
            let _ = stop.send(());
        }
    });
    Ok(())
}
