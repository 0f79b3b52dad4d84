//! Does a scheduling class help a program? The same command is executed in several ways in turn, and the ways are compared
//! by pairs. It measures, and does not advise: what one program wins, another one on the machine may lose.
//!
//! REQUIREMENTS: for `nice`, `autogroup`, `fifo` and `rr` root, or the capability `SYS_NICE`.
//! OVERHEAD: that of the command; at a fixed priority it may keep the processors from everything else until its limit.

mod attempt;
pub mod guard;
mod ratio;
mod used;

use std::fs;
use std::io;
use std::num::NonZero;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use igen_job::tool::{Table, Verdict};
use igen_job::{JobError, Scheduling, Seconds};
use igen_kernel::scheduling;
use serde_json::json;

use self::attempt::{Attempt, End, attempt};
use self::guard::Guard;
use self::ratio::{Ratio, ratio};
use crate::emit::Emit;
use crate::show::short;
use crate::tool::Tool;

const METHOD: &str = "the same command with each scheduling in turn, compared by pairs (log-t; Bonferroni correction if \
    there are several ways)";

pub(crate) struct Schedule;

/// Options of the tool.
#[derive(Args)]
pub(crate) struct ScheduleArgs {
    /// Shell command to execute; it must do the same work each time.
    #[arg(long, value_name = "COMMAND")]
    run: Option<String>,
    /// Scheduling to compare with `other`; may be repeated. Default: all.
    #[arg(long = "way", value_parser = ways(), value_name = "WAY")]
    ways: Vec<Scheduling>,
    /// Number of executions for each scheduling; at least 2, to know the noise.
    #[arg(long, value_name = "N", default_value = "5")]
    rounds: NonZero<u32>,
    /// Maximum time of one execution; then it is killed.
    #[arg(long, value_name = "TIME", default_value = "30s")]
    limit: Seconds,
    /// Be the process that watches over programs of fixed priority, for the tool that started it.
    #[arg(long, hide = true)]
    guard: bool,
}

impl Tool for Schedule {
    const NAME: &'static str = "schedule";
    const SUMMARY: &'static str = "measure if a scheduling class makes a command faster";
    const REQUIREMENTS: &'static str =
        "none for other, batch, idle and slice; root or the capability SYS_NICE for the others";
    const OVERHEAD: &'static str = "the command itself, for each scheduling and round; at a fixed priority it can block all \
        processors until --limit";
    const EXAMPLES: &'static [&'static str] = &[
        "--run 'gzip -c /usr/bin/python3'",
        "--run 'make -j8' --way fifo --rounds 10 --limit 2min",
    ];
    type Args = ScheduleArgs;

    fn run(args: ScheduleArgs, emit: &mut Emit) -> Result<Verdict, JobError> {
        let limit = Duration::try_from_secs_f64(args.limit.0)
            .ok()
            .filter(|limit| !limit.is_zero())
            .ok_or_else(|| {
                JobError::at("--limit", "not a valid time").hint("use a time such as 30s")
            })?;
        if args.guard {
            self::guard::run()?;
            return Ok(Verdict::good(METHOD, "watched"));
        }
        let command = args.run.ok_or_else(|| {
            JobError::at("--run", "no command to execute")
                .hint("use a command such as --run 'gzip -c /usr/bin/python3'")
        })?;
        let ways = possible(&args.ways, emit);
        if ways.len() < 2 {
            return Err(JobError::at(
                "--way",
                "nothing to compare: only the scheduling `other` is possible here",
            )
            .hint("run it as root; a container needs the capability SYS_NICE"));
        }
        let mut guard = guarded(&ways)?;
        for note in surroundings() {
            emit.note(note);
        }
        let mut attempts = Vec::new();
        for round in 0..args.rounds.get() as usize {
            emit.progress(format!("round {} of {}", round + 1, args.rounds));
            // Another one begins each time: nobody always comes after the same.
            for turn in 0..ways.len() {
                let way = ways[(round + turn) % ways.len()];
                let done =
                    attempt(&command, way, limit, guard.as_mut(), emit).map_err(|error| {
                        JobError::at(
                            "--run",
                            format!("cannot execute the command as {}: {error}", way.name()),
                        )
                    })?;
                match done.end {
                    End::Well => attempts.push(done),
                    End::Stopped => return Ok(Verdict::finding(METHOD, "stopped early")),
                    End::Limit => {
                        let text = format!(
                            "the command was killed after {1} s as {0}: it did not end within --limit",
                            way.name(),
                            short(limit.as_secs_f64())
                        );
                        return Ok(Verdict::finding(METHOD, text));
                    }
                    End::Badly(status) => {
                        let text = format!("the command failed as {}: {status}", way.name());
                        return Err(JobError::at("--run", text)
                            .hint("use a command that ends with exit code 0"));
                    }
                }
            }
        }
        emit.table(table(&ways, &attempts));
        Ok(verdict(&ways, &attempts))
    }
}

/// What `--way` understands.
fn ways() -> impl TypedValueParser<Value = Scheduling> {
    let names = PossibleValuesParser::new(Scheduling::ALL.map(Scheduling::name));
    names.try_map(|name| name.parse::<Scheduling>())
}

/// The ways that this process may take, `other` first.
fn possible(wanted: &[Scheduling], emit: &mut Emit) -> Vec<Scheduling> {
    let mut possible = vec![Scheduling::Other];
    for way in Scheduling::ALL {
        let is_wanted = wanted.is_empty() || wanted.contains(&way);
        if way == Scheduling::Other || !is_wanted {
            continue;
        }
        match scheduling::possible(way) {
            Ok(()) => possible.push(way),
            Err(error) => emit.note(format!("cannot use the scheduling {way}: {error}")),
        }
    }
    possible
}

/// What ends a program of fixed priority, whatever happens; none where there is no such way.
fn guarded(ways: &[Scheduling]) -> Result<Option<Guard>, JobError> {
    if !ways.iter().any(|way| way.is_fixed()) {
        return Ok(None);
    }
    let failed = |error: io::Error| {
        JobError::at(
            "--way",
            format!("cannot start the guard for fixed priorities: {error}"),
        )
        .hint("use --way without fifo and rr: the others do not need a guard")
    };
    let guard = Guard::start().map_err(failed)?;
    scheduling::above().map_err(failed)?;
    Ok(Some(guard))
}

/// What else decides who gets a processor.
fn surroundings() -> Vec<String> {
    let text = |path: &str| {
        fs::read_to_string(path)
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let mut notes = Vec::new();
    match text("/proc/sys/kernel/sched_autogroup_enabled").as_str() {
        "1" => notes.push(
            "autogroup is on: processors are first shared between sessions, and nice counts only within a session"
                .to_owned(),
        ),
        "0" => notes.push("autogroup is off".to_owned()),
        _ => {}
    }
    let runtime = text("/proc/sys/kernel/sched_rt_runtime_us");
    if runtime == "-1" {
        notes.push(
            "fixed priorities may use all processor time (sched_rt_runtime_us is -1)".to_owned(),
        );
    } else if !runtime.is_empty() {
        notes.push(format!(
            "fixed priorities may use {runtime} of every {} µs if other programs need the rest",
            text("/proc/sys/kernel/sched_rt_period_us")
        ));
    }
    notes
}

/// Pairs of the same round: this way, and `other`.
fn compared(way: Scheduling, ways: &[Scheduling], attempts: &[Attempt]) -> Option<Ratio> {
    let times = |way: Scheduling| {
        let of_way = attempts.iter().filter(move |one| one.way == way);
        of_way.map(|one| one.wall.as_secs_f64())
    };
    let pairs: Vec<(f64, f64)> = times(way).zip(times(Scheduling::Other)).collect();
    ratio(&pairs, ways.len() - 1)
}

fn table(ways: &[Scheduling], attempts: &[Attempt]) -> Table {
    let columns = [
        "way",
        "executions",
        "mean_time_s",
        "of_other",
        "low",
        "high",
        "processor_s",
        "involuntary_switches",
        "voluntary_switches",
    ];
    let mut table = Table::new(
        "ways",
        "Scheduling, with times and their ratio to `other`",
        &columns,
    );
    for way in ways {
        let own: Vec<&Attempt> = attempts.iter().filter(|one| one.way == *way).collect();
        let n = own.len().max(1) as f64;
        let mean = |of: fn(&Attempt) -> f64| own.iter().map(|one| of(one)).sum::<f64>() / n;
        let ratio = compared(*way, ways, attempts).filter(|_| *way != Scheduling::Other);
        table.row([
            json!(way.name()),
            json!(own.len()),
            json!(mean(|one| one.wall.as_secs_f64())),
            json!(ratio.map(|ratio| ratio.mean)),
            json!(ratio.map(|ratio| ratio.low)),
            json!(ratio.map(|ratio| ratio.high)),
            json!(mean(|one| one.used.processor.as_secs_f64())),
            json!(mean(|one| one.used.involuntary as f64)),
            json!(mean(|one| one.used.voluntary as f64)),
        ]);
    }
    table
}

fn verdict(ways: &[Scheduling], attempts: &[Attempt]) -> Verdict {
    let mut differ = Vec::new();
    let mut won = false;
    for way in ways.iter().skip(1) {
        let Some(ratio) = compared(*way, ways, attempts) else {
            let text = "one round cannot separate a difference from chance; use --rounds 2 or more";
            return Verdict::finding(METHOD, format!("cannot tell: {text}"));
        };
        if ratio.differs {
            won |= ratio.mean < 1.0;
            differ.push(format!(
                "{} took {} times as long as other ({} to {})",
                way.name(),
                short(ratio.mean),
                short(ratio.low),
                short(ratio.high)
            ));
        }
    }
    if differ.is_empty() {
        return Verdict::good(
            METHOD,
            "no scheduling differs from other by more than chance",
        );
    }
    let mut text = differ.join("; ");
    if won {
        text += "; other programs on this machine may have become slower";
    }
    Verdict::good(METHOD, text)
}

#[cfg(test)]
mod tests {
    use super::used::Used;
    use super::*;

    fn attempts(way: Scheduling, times_ms: [u64; 3]) -> Vec<Attempt> {
        let one = |time| Attempt {
            way,
            wall: Duration::from_millis(time),
            used: Used::default(),
            end: End::Well,
        };
        times_ms.map(one).to_vec()
    }

    #[test]
    fn only_what_differs_surely_is_told() {
        let ways = [Scheduling::Other, Scheduling::Fifo, Scheduling::Batch];
        let mut all = attempts(Scheduling::Other, [100, 200, 300]);
        all.extend(attempts(Scheduling::Fifo, [50, 101, 150]));
        all.extend(attempts(Scheduling::Batch, [90, 230, 290]));
        let said = verdict(&ways, &all);
        assert!(
            !said.finding && said.text.starts_with("fifo took 0.5 times"),
            "{}",
            said.text
        );
        assert!(!said.text.contains("batch") && said.text.contains("slower"));
        let lost = [
            attempts(Scheduling::Other, [100, 200, 300]),
            attempts(Scheduling::Fifo, [200, 401, 600]),
        ];
        let said = verdict(&ways[..2], &lost.concat());
        assert!(
            said.text.starts_with("fifo took 2 times") && !said.text.contains("slower"),
            "{}",
            said.text
        );
        assert_eq!(table(&ways, &all).rows.len(), 3);
        let same = [
            attempts(Scheduling::Other, [100, 200, 300]),
            attempts(Scheduling::Batch, [90, 230, 290]),
        ]
        .concat();
        let said = verdict(&[Scheduling::Other, Scheduling::Batch], &same);
        assert!(
            !said.finding && said.text.starts_with("no scheduling differs"),
            "{}",
            said.text
        );
    }

    #[test]
    fn one_execution_of_each_way_decides_nothing() {
        let ways = [Scheduling::Other, Scheduling::Batch];
        let once = [
            attempts(Scheduling::Other, [100, 200, 300])[0],
            attempts(Scheduling::Batch, [9, 230, 290])[0],
        ];
        let said = verdict(&ways, &once);
        assert!(
            said.finding && said.text.starts_with("cannot tell: one round"),
            "{}",
            said.text
        );
    }
}
