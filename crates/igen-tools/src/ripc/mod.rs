//! What processors do with their cycles: instructions per cycle, misses, switches, and who waits for a processor.
//!
//! REQUIREMENTS: root, or `perf_event_paranoid` of 0 and less; counters of the processor, which many virtual machines lack.
//! OVERHEAD: none but the counters' own: below 0.1 % of the load's speed.

mod events;
mod ratios;
mod waiting;

use std::fs;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use igen_job::tool::{Table, Verdict};
use igen_job::{JobError, Seconds};
use serde_json::{Value, json};

use self::events::{EVENTS, TASK_CLOCK};
use self::ratios::{Counts, ratios};
use self::waiting::{Clocks, PRESSURES, Waiting};
use crate::counters::{Counter, Event, Of, Source, Sum, Within, turns};
use crate::emit::Emit;
use crate::show::short;
use crate::tool::{Tool, duration};

const LOOK: Duration = Duration::from_millis(50);
/// Tasks that wait for a processor for more than this share of the time in which they run are held back by others.
const MUCH_WAITING: f64 = 0.25;
const MUCH_STOLEN: f64 = 0.01;

pub(crate) struct Ripc;

/// Options of the tool.
#[derive(Args)]
pub(crate) struct RipcArgs {
    /// Time to count, such as 10s.
    #[arg(value_name = "DURATION")]
    duration: Seconds,
    /// Count this process and its children; default: the whole machine.
    #[arg(long, value_name = "PID")]
    pid: Option<u32>,
}

impl Tool for Ripc {
    const NAME: &'static str = "ripc";
    const SUMMARY: &'static str = "show instructions per cycle, misses and waiting threads";
    const REQUIREMENTS: &'static str = "root, or perf_event_paranoid of 0 or less; for cycles and misses the counters of the processor (PMU), \
        which many virtual machines do not have";
    const OVERHEAD: &'static str = "below 0.1 % of processor time";
    const EXAMPLES: &'static [&'static str] = &["10s", "10s --pid 1234"];
    type Args = RipcArgs;

    fn run(args: RipcArgs, emit: &mut Emit) -> Result<Verdict, JobError> {
        let duration = duration(args.duration)?;
        let threads = args.pid.map(threads_of).transpose()?;
        let (mut counters, missing) = open(threads.as_deref());
        if counters.is_empty() {
            return Err(nothing(&missing));
        }
        let before = Clocks::read(args.pid);
        let start = Instant::now();
        let mut ended = false;
        while start.elapsed() < duration && !ended && !emit.stopped() {
            thread::sleep(duration.saturating_sub(start.elapsed()).min(LOOK));
            ended = args.pid.is_some_and(has_ended);
        }
        let elapsed_s = start.elapsed().as_secs_f64();
        let waited = Clocks::read(args.pid).since(&before);
        let read = read(&mut counters, elapsed_s, emit);
        emit.table(read.table);
        emit.table(named("ratios", "Ratios", &ratios(&read.counts)));
        emit.table(waits(&waited, elapsed_s));
        for note in notes(&missing) {
            emit.note(note);
        }
        if ended {
            emit.note(format!(
                "the process ended early, after {elapsed_s:.2} s, so the times that it ran and waited are unknown"
            ));
        }
        Ok(verdict(
            &read.counts,
            &waited,
            elapsed_s,
            processors() as f64,
        ))
    }
}

/// Not a single event can be counted.
fn nothing(missing: &[Missing]) -> JobError {
    let ended = |(_, error): &Missing| error.raw_os_error() == Some(libc::ESRCH);
    if missing.iter().any(ended) {
        return JobError::at("--pid", "the process has ended");
    }
    let reason = missing
        .last()
        .map(|(_, error)| error.to_string())
        .unwrap_or_default();
    JobError::new(format!("cannot count any event: {reason}"))
        .hint("run it as root, or set kernel.perf_event_paranoid to 0; many containers forbid counters completely")
}

fn threads_of(pid: u32) -> Result<Vec<u32>, JobError> {
    let entries = fs::read_dir(format!("/proc/{pid}/task"))
        .map_err(|error| JobError::at("--pid", format!("process {pid} does not exist: {error}")))?;
    Ok(entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect())
}

/// Gone, or nobody has asked yet how it ended; threads may outlive the first one.
fn has_ended(pid: u32) -> bool {
    let status = fs::read(format!("/proc/{pid}/status")).unwrap_or_default();
    let status = String::from_utf8_lossy(&status);
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim_start().to_owned())
    };
    let is_last = of("Threads:").is_none_or(|threads| threads == "1");
    of("State:").is_none_or(|state| state.starts_with('Z') && is_last)
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Processors that are online: `0-3,6` in the kernel's list.
fn online() -> Vec<i32> {
    let text =
        fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_else(|_| "0".to_owned());
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse::<i32>().ok()?..=last.parse().ok()?)
    };
    text.trim().split(',').filter_map(range).flatten().collect()
}

/// An event that nobody counts, and why.
type Missing = (Event, io::Error);

/// Counters of all events, one for each processor or thread.
fn open(threads: Option<&[u32]>) -> (Vec<(Event, Vec<Counter>)>, Vec<Missing>) {
    let subjects: Vec<Of> = match threads {
        None => online().into_iter().map(Of::Processor).collect(),
        Some(threads) => threads
            .iter()
            .map(|thread| Of::Thread(thread.cast_signed()))
            .collect(),
    };
    let (mut counters, mut missing) = (Vec::new(), Vec::new());
    // That of a processor goes on while it is idle.
    let wanted = EVENTS
        .into_iter()
        .filter(|event| threads.is_some() || *event != TASK_CLOCK);
    for event in wanted {
        // A thread may have ended since it was seen: that says nothing of the event.
        let opened = subjects
            .iter()
            .map(|of| Counter::open(event, *of, Within::All))
            .filter(
                |opened| !matches!(opened, Err(error) if error.raw_os_error() == Some(libc::ESRCH)),
            )
            .collect::<io::Result<Vec<Counter>>>();
        match opened {
            Ok(opened) if opened.is_empty() => {
                missing.push((event, io::Error::from_raw_os_error(libc::ESRCH)));
            }
            Ok(opened) => counters.push((event, opened)),
            Err(error) => missing.push((event, error)),
        }
    }
    (counters, missing)
}

struct Read {
    counts: Counts,
    table: Table,
}

fn read(counters: &mut [(Event, Vec<Counter>)], elapsed_s: f64, emit: &mut Emit) -> Read {
    let mut table = Table::new("counters", "Counted", &["event", "count", "events_per_s"]);
    let mut counts = Counts::new();
    let mut least = 1.0_f64;
    for (event, counters) in counters {
        let readings = counters.iter_mut();
        let Sum { count, counted } = Sum::of(readings.filter_map(|counter| counter.read().ok()));
        let Some(count) = count else {
            emit.note(format!(
                "{}: never counted, because other programs used the counters",
                event.name
            ));
            continue;
        };
        least = least.min(counted);
        counts.insert(event.name, count);
        table.row([
            json!(event.name),
            whole(count),
            json!(count / elapsed_s.max(1e-9)),
        ]);
    }
    if let Some(note) = turns(least) {
        emit.note(note);
    }
    Read { counts, table }
}

/// A count that was scaled has a fraction that means nothing.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(count: f64) -> Value {
    json!(count.round() as u64)
}

fn named(name: &str, title: &str, rows: &[(&'static str, f64)]) -> Table {
    let mut table = Table::new(name, title, &["ratio", "value"]);
    for (ratio, value) in rows {
        table.row([json!(ratio), json!(value)]);
    }
    table
}

fn waits(waited: &Waiting, elapsed_s: f64) -> Table {
    let mut table = Table::new(
        "waiting",
        "Running and waiting",
        &["what", "time_s", "of_wall_time_percent"],
    );
    let mut row = |what: &str, seconds: f64| {
        table.row([
            json!(what),
            json!(seconds),
            json!(100.0 * seconds / elapsed_s.max(1e-9)),
        ]);
    };
    row("tasks on processors", waited.ran_s);
    row(
        "tasks that could run and waited for a processor",
        waited.waited_s,
    );
    for (name, seconds) in PRESSURES.iter().zip(waited.pressure_s) {
        if let Some(seconds) = seconds {
            row(
                &format!("at least one task waiting: {name} (whole machine)"),
                seconds,
            );
        }
    }
    row("stolen by the hypervisor (whole machine)", waited.stolen_s);
    table
}

/// Why events are missing, those of the processor in one sentence.
fn notes(missing: &[Missing]) -> Vec<String> {
    let of = |source: Source| {
        missing
            .iter()
            .filter(move |(event, _)| event.source == source)
    };
    let all = EVENTS
        .iter()
        .filter(|event| event.source == Source::Processor)
        .count();
    let mut notes = Vec::new();
    if let Some((_, error)) = of(Source::Processor).next() {
        let denied = error.kind() == io::ErrorKind::PermissionDenied;
        let number = of(Source::Processor).count();
        notes.push(if denied {
            "only root may use the counters of the processor (perf_event_paranoid)".to_owned()
        } else if number == all {
            "no PMU: this machine does not provide the counters of its processor, so cycles, instructions and misses are \
             unknown"
                .to_owned()
        } else {
            let names: Vec<&str> = of(Source::Processor).map(|(event, _)| event.name).collect();
            format!("this processor does not count: {}", names.join("; "))
        });
    }
    for (event, error) in of(Source::Kernel) {
        notes.push(format!("cannot count {}: {error}", event.name));
    }
    notes
}

fn verdict(counts: &Counts, waited: &Waiting, elapsed_s: f64, processors: f64) -> Verdict {
    let ratios = ratios(counts);
    let method = if ratios.is_empty() {
        "kernel events, schedstat, pressure; no counters of the processor"
    } else {
        "counters of the processor, kernel events, schedstat, pressure"
    };
    let mut text = match ratios.first() {
        Some((name, value)) if *name == "instructions per cycle" => {
            format!("{} instructions per cycle", short(*value))
        }
        _ => "cycles are unknown".to_owned(),
    };
    let stolen = waited.stolen_s / (elapsed_s * processors).max(1e-9);
    let waiting = waited.waited_s / waited.ran_s.max(1e-9);
    let mut findings = Vec::new();
    if waiting > MUCH_WAITING && waited.ran_s > 0.0 {
        findings.push(format!(
            "tasks waited for a processor for {} % of their run time: too few processors or too many tasks",
            short(100.0 * waiting)
        ));
    }
    if stolen > MUCH_STOLEN {
        findings.push(format!(
            "the hypervisor took {} % of the processors",
            short(100.0 * stolen)
        ));
    }
    if findings.is_empty() && waited.ran_s == 0.0 {
        let unknown = "the run time of its tasks is unknown";
        return Verdict::good(method, format!("{text}; {unknown}"));
    }
    if findings.is_empty() {
        text = format!(
            "{text}; tasks waited for a processor for {} % of their run time",
            short(100.0 * waiting)
        );
        return Verdict::good(method, text);
    }
    Verdict::finding(method, format!("{text}; {}", findings.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_wait_much_are_a_finding() {
        let counts = Counts::from([("cycles", 4.0), ("instructions", 6.0)]);
        let busy = Waiting {
            ran_s: 4.0,
            waited_s: 2.0,
            ..Waiting::default()
        };
        let said = verdict(&counts, &busy, 2.0, 2.0);
        assert!(
            said.finding
                && said
                    .text
                    .contains("1.5 instructions per cycle; tasks waited"),
            "{}",
            said.text
        );
        let quiet = Waiting {
            waited_s: 0.1,
            ..busy
        };
        let said = verdict(&Counts::new(), &quiet, 2.0, 2.0);
        assert!(
            !said.finding && said.text.starts_with("cycles are unknown; "),
            "{}",
            said.text
        );
        let stolen = Waiting {
            stolen_s: 0.4,
            ..quiet
        };
        assert!(
            verdict(&counts, &stolen, 2.0, 2.0)
                .text
                .ends_with("the hypervisor took 10 % of the processors")
        );
    }

    #[test]
    fn a_machine_without_counters_is_told_from_one_that_refuses() {
        let missing = |kind: io::ErrorKind| -> Vec<Missing> {
            let events = EVENTS
                .into_iter()
                .filter(|event| event.source == Source::Processor);
            events.map(|event| (event, io::Error::from(kind))).collect()
        };
        assert!(notes(&missing(io::ErrorKind::NotFound))[0].starts_with("no PMU"));
        assert!(
            notes(&missing(io::ErrorKind::PermissionDenied))[0].contains("perf_event_paranoid")
        );
        let some = missing(io::ErrorKind::NotFound).split_off(6);
        assert!(notes(&some)[0].starts_with("this processor does not count: cycles without"));
    }
}
