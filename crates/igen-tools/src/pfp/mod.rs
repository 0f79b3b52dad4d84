//! The share of floating-point instructions that a program executes: is it right for processors with few units for them?
//!
//! REQUIREMENTS: the right to trace the program: its own user, or root; many containers forbid it; x86-64, unless the
//! counters of the processor (PMU) tell.
//! OVERHEAD: the program stands still for 2 % of the time, or as `--budget` says; none where the counters tell.

mod apart;
mod counted;
mod floating;
mod program;
mod share;
mod speed;
mod threads;
mod told;
mod trace;
mod watch;
mod window;

use clap::Args;
use igen_job::tool::{Table, Verdict};
use igen_job::{JobError, Seconds};
use igen_kernel::group::Group;
use serde_json::json;

use self::counted::{Counting, Refusal};
use self::program::Program;
use self::share::{Advice, Estimate, percent, share, unmet_percent, windows_for};
use self::speed::{SPEEDS, at_any_speed};
use self::threads::Whose;
use self::told::{ENDED_EARLY, Thresholds, advised, counted_windows, shares};
use self::watch::Watched;
use self::window::Counts;
use crate::emit::Emit;
use crate::processes;
use crate::show::short;
use crate::tool::{Tool, duration};

const METHOD: &str =
    "single steps by ptrace, in windows of up to 200; user code only, without the kernel";

pub(crate) struct Pfp;

/// Options of the tool.
#[derive(Args)]
pub(crate) struct PfpArgs {
    /// Time to watch, such as 10s.
    #[arg(value_name = "DURATION")]
    duration: Seconds,
    /// Watch this process, its threads and its children.
    #[arg(long, value_name = "PID", conflicts_with_all = ["run", "cgroup"])]
    pid: Option<u32>,
    /// Watch all processes of this control group and of its subgroups: its folder, or its path in
    /// /proc/PID/cgroup.
    #[arg(long, value_name = "PATH", conflicts_with = "run")]
    cgroup: Option<String>,
    /// Start this command and watch it; at the end of the time it is terminated, and killed 2 s later.
    #[arg(long, value_name = "COMMAND")]
    run: Option<String>,
    /// Two percentages: a processor with few floating-point units is recommended up to the first, and not
    /// recommended above the second.
    #[arg(long, value_name = "LOW,HIGH", default_value = "1,2")]
    thresholds: Thresholds,
    /// Maximum share of the time for which the program is stopped, in percent.
    #[arg(long, value_name = "PERCENT", default_value = "2", value_parser = budget)]
    budget: f64,
    /// Examine single instructions, even if the processor can count them by kind.
    #[arg(long)]
    exact: bool,
    /// Watch in this process, for the one that started it, until that ends.
    #[arg(long, hide = true)]
    apart: bool,
}

fn budget(text: &str) -> Result<f64, String> {
    let number = text
        .parse()
        .ok()
        .filter(|percent| *percent > 0.0 && *percent <= 100.0);
    number.ok_or_else(|| "use a percentage above 0 and up to 100".to_owned())
}

impl PfpArgs {
    /// The command line that has another process watch.
    fn words(&self) -> Vec<String> {
        let mut words = ["tool", Pfp::NAME, "--apart"].map(str::to_owned).to_vec();
        words.push(format!("{}s", self.duration.0));
        words.extend(self.pid.map(|pid| format!("--pid={pid}")));
        words.extend(self.cgroup.as_ref().map(|path| format!("--cgroup={path}")));
        words.extend(self.run.as_ref().map(|command| format!("--run={command}")));
        let Thresholds { low, high } = self.thresholds;
        words.push(format!("--thresholds={low},{high}"));
        words.push(format!("--budget={}", self.budget));
        words.extend(self.exact.then(|| "--exact".to_owned()));
        words
    }
}

impl Tool for Pfp {
    const NAME: &'static str = "pfp";
    const SUMMARY: &'static str = "count the floating-point instructions of a program";
    const REQUIREMENTS: &'static str = "permission to trace the program (its user or root; many containers forbid it); \
        no other tracer; x86-64, or a processor with the counters (PMU)";
    const OVERHEAD: &'static str = "the program is stopped for 2 % of the time (--budget); none if the processor has the \
        counters";
    const EXAMPLES: &'static [&'static str] = &[
        "10s --pid 1234",
        "10s --cgroup /system.slice/postgresql.service",
        "10s --run 'gzip -c /usr/bin/python3 > /dev/null'",
    ];
    const FIGURE: Option<&'static str> = Some(
        "the share of floating-point instructions in percent: arithmetic, compare and convert",
    );
    type Args = PfpArgs;

    fn run(args: PfpArgs, emit: &mut Emit) -> Result<Verdict, JobError> {
        let duration = duration(args.duration)?;
        let named = named(&args)?;
        if !args.apart {
            return apart::run(&args.words(), emit);
        }
        let mut program = args.run.as_deref().map(Program::start).transpose()?;
        let started = program.as_ref().map(|one| Whose::Process(one.pid()));
        let Some(whose) = started.or(named) else {
            return Err(JobError::new("no program to watch").hint(
                "use --pid for a process, --cgroup for a control group, or --run to start a command",
            ));
        };
        let counting = (!args.exact).then(|| Counting::begin(&whose));
        // What cannot be looked at here is not executed either.
        if !cfg!(target_arch = "x86_64") && !matches!(counting, Some(Ok(_))) {
            return Err(not_understood(counting.and_then(Result::err)));
        }
        if let Some(program) = &mut program {
            program.go();
        }
        if let Some(Err(why)) = &counting {
            emit.note(format!(
                "cannot use the counters of the processor ({why}): single instructions are examined instead"
            ));
        }
        let verdict = if let Some(Ok(counting)) = counting {
            counting.tell(duration, args.thresholds, emit)
        } else {
            let watched = watch::watch(&whose, duration, args.budget / 100.0, emit);
            let watched = watched.map_err(|error| match program {
                Some(_) => JobError {
                    path: "--run".into(),
                    ..error
                },
                None => error,
            })?;
            tell(&watched, args.thresholds, emit)
        };
        if let Some(failure) = program.as_ref().and_then(Program::failure) {
            emit.note(failure?);
        }
        Ok(verdict)
    }
}

/// Which processes that run already are to be watched; none where a command is started.
fn named(args: &PfpArgs) -> Result<Option<Whose>, JobError> {
    if let Some(path) = &args.cgroup {
        let group = Group::named(path).ok_or_else(|| {
            JobError::at(
                "--cgroup",
                format!("the control group {path} does not exist"),
            )
            .hint("use the path from /proc/PID/cgroup of a process in the group")
        })?;
        if group.pids().is_empty() {
            return Err(JobError::at(
                "--cgroup",
                format!("no process runs in {path}"),
            ));
        }
        return Ok(Some(Whose::Group(group)));
    }
    match args.pid {
        Some(pid) => {
            let bad = |text| Err(JobError::at("--pid", text));
            match processes::process(pid) {
                None => bad(format!("process {pid} does not exist")),
                Some(process) if process.of_kernel => bad(format!(
                    "process {pid} is a kernel thread and does not execute a program"
                )),
                Some(_) => Ok(Some(Whose::Process(pid))),
            }
        }
        None => Ok(None),
    }
}

/// Why nothing is told on processors other than x86-64; without a refusal of the counters, nobody has asked for them.
fn not_understood(counters: Option<Refusal>) -> JobError {
    let text = "cannot decode the instructions of this processor";
    match counters {
        None => JobError::at("--exact", text)
            .hint("remove it: the counters of the processor may measure the share"),
        Some(why) => JobError::new(format!("{text} and cannot use its counters: {why}"))
            .hint("run it on an x86-64 machine with --host"),
    }
}

fn tell(watched: &Watched, limits: Thresholds, emit: &mut Emit) -> Verdict {
    if watched.ended {
        emit.note(ENDED_EARLY);
    }
    if watched.refused > 0 {
        emit.note(format!(
            "a thread could not be stopped {} times: no permission, or another process traces it",
            watched.refused
        ));
    }
    if watched.waiting > 0 {
        emit.note(format!(
            "a thread did not get a processor for a step within 10 ms {} times: the machine is busy",
            watched.waiting
        ));
    }
    if watched.cut > 0 {
        let counted = if watched.cut_counted {
            "counted, because few were complete: the share of a long loop is less exact"
        } else {
            "ignored"
        };
        emit.note(format!(
            "{} cut short by the busy machine and {counted}",
            counted_windows(watched.cut)
        ));
    }
    let executed: u64 = watched.windows.iter().map(|window| window.all).sum();
    emit.table(counts(&watched.windows));
    if watched.windows.is_empty() {
        return Verdict::finding(METHOD, nothing(watched));
    }
    let floating = share(&watched.windows, Counts::floating);
    let arithmetic = share(&watched.windows, Counts::arithmetic);
    emit.table(shares(
        "Shares, with 95 % intervals",
        [
            ("arithmetic", arithmetic.told(watched.windows.len())),
            (
                "arithmetic, compare, convert",
                floating.told(watched.windows.len()),
            ),
        ],
    ));
    emit.note(format!(
        "{executed} instructions in {}; threads were in the kernel {} times; the program was stopped for {} % of {} s",
        counted_windows(watched.windows.len() as u64),
        watched.in_kernel,
        short(100.0 * watched.stopped_s / watched.elapsed_s.max(1e-9)),
        short(watched.elapsed_s),
    ));
    let mean = executed / watched.windows.len() as u64;
    // They see more of where they begin, which is where the program spends its time.
    if mean < window::FEWEST {
        let why = if watched.cut_counted && watched.cut > 0 {
            "system calls and a busy machine"
        } else {
            "system calls"
        };
        emit.note(format!(
            "windows have {mean} instructions on average instead of at least {}, because {why} end them early: the share \
             of a long loop is less exact",
            window::FEWEST
        ));
    }
    let wide = at_any_speed(floating, &watched.windows, &watched.code);
    let figure = floating.told(watched.windows.len()).percent;
    verdict(&floating, &wide, watched.windows.len(), limits).about(figure)
}

/// Why no instruction was seen.
fn nothing(watched: &Watched) -> &'static str {
    if watched.in_kernel > 0 {
        "cannot tell: the program ran only in the kernel"
    } else if watched.ended {
        "cannot tell: the program ended before the first window"
    } else if watched.waiting > 0 {
        "cannot tell: the program did not get a processor"
    } else {
        "cannot tell: the program was always waiting; watch it for longer, or under load"
    }
}

/// By chance the share is within its own interval; by chance and by how fast its code executes in the `wide` one.
fn verdict(floating: &Estimate, wide: &Estimate, windows: usize, limits: Thresholds) -> Verdict {
    let text = if floating.high > 0.0 {
        format!(
            "{} % of its instructions are floating point ({} to {} %)",
            short(floating.percent),
            short(floating.low),
            short(floating.high)
        )
    } else {
        format!(
            "none of the instructions in {} is floating point",
            counted_windows(windows as u64)
        )
    };
    let advice = floating.advice(windows, limits.low, limits.high);
    if advice == Advice::CannotTell {
        let text = format!(
            "{text}: cannot tell, because {} are too few to compare it with {} and {} %; watch it for longer",
            counted_windows(windows as u64),
            short(limits.low),
            short(limits.high)
        );
        return Verdict::finding(METHOD, text);
    }
    if wide.advice(windows, limits.low, limits.high) == Advice::CannotTell {
        let text = format!(
            "{text} by time: cannot tell by instructions if it is below {} or above {} %; if code with fewer floating-point \
             instructions runs up to {} times faster or slower than the rest, the share is {} to {} %: measure it on a \
             machine that shows the counters of its processor",
            short(limits.low),
            short(limits.high),
            short(SPEEDS),
            short(wide.low),
            short(wide.high)
        );
        return Verdict::finding(METHOD, text);
    }
    if advice == Advice::Recommended {
        return advised(
            advice,
            METHOD,
            &format!("{text}; {}", missed(windows, limits)),
        );
    }
    advised(advice, METHOD, &text)
}

/// What so many windows may not have met, which may be floating point.
fn missed(windows: usize, limits: Thresholds) -> String {
    let unmet = unmet_percent(windows);
    let text = format!(
        "code that runs for {} % of the time may have been missed",
        short(unmet)
    );
    match windows_for(limits.low).filter(|_| unmet > limits.low) {
        Some(enough) => format!("{text} ({enough} windows leave {} %)", short(limits.low)),
        None => text,
    }
}

type Part = fn(&Counts) -> u64;

fn counts(windows: &[Counts]) -> Table {
    let columns = ["instructions", "count", "of_all_percent"];
    let mut table = Table::new("instructions", "Executed instructions", &columns);
    let parts: [(&str, Part); 7] = [
        ("all", |one| one.all),
        ("arithmetic, one number at a time", |one| one.scalar),
        ("arithmetic, 128 bits", |one| one.bits_128),
        ("arithmetic, 256 bits", |one| one.bits_256),
        ("arithmetic, 512 bits", |one| one.bits_512),
        ("compare", |one| one.compare),
        ("convert", |one| one.convert),
    ];
    for (kind, part) in parts {
        let count: u64 = windows.iter().map(part).sum();
        table.row([json!(kind), json!(count), json!(percent(windows, part))]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_a_share_of_the_time() {
        assert!(budget("0").is_err() && budget("101").is_err() && budget("2").is_ok());
    }

    #[test]
    fn a_refusal_names_its_own_reason() {
        let many = std::io::Error::from_raw_os_error(libc::EMFILE);
        let refused = not_understood(Some(Refusal::Kernel(many)));
        assert!(refused.text.contains("Too many open files"));
        assert!(!refused.hint.contains("--exact"));
        assert_eq!(not_understood(None).path, "--exact");
    }

    #[test]
    fn a_verdict_names_share_and_interval() {
        let limits = Thresholds {
            low: 1.0,
            high: 2.0,
        };
        let exact = |percent| Estimate {
            percent,
            low: percent,
            high: percent,
        };
        let good = verdict(&exact(0.5), &exact(0.5), 40, limits);
        assert!(
            !good.finding
                && good
                    .text
                    .ends_with("few floating-point units are recommended")
        );
        let missed = "; code that runs for 7.22 % of the time may have been missed (299 windows leave 1 %): ";
        assert!(good.text.contains(missed), "{}", good.text);
        let never = verdict(&exact(0.0), &exact(0.0), 300, limits);
        let expected = "none of the instructions in 300 windows is floating point; code that runs for 0.99 % of the time may \
            have been missed: processors";
        assert!(
            !never.finding && never.text.starts_with(expected),
            "{}",
            never.text
        );
        let bad = verdict(&exact(17.0), &exact(17.0), 40, limits);
        assert!(bad.finding && bad.text.starts_with("17 % of its instructions"));
        let nothing = verdict(&exact(17.0), &exact(17.0), 3, limits);
        assert!(nothing.text.contains("3 windows are too few"));
        let one = verdict(&exact(0.0), &exact(0.0), 1, limits);
        assert!(
            one.text
                .starts_with("none of the instructions in 1 window is")
        );
        let wide = Estimate {
            low: 1.5,
            ..exact(17.0)
        };
        let unknown = verdict(&exact(17.0), &wide, 40, limits);
        assert!(
            unknown.finding && unknown.text.contains("the share is 1.5 to 17 %"),
            "{}",
            unknown.text
        );
    }
}
