//! Looks at a program again and again, without holding it up for longer than was said.

use std::fs::{self, File};
use std::io::{self, Stdin};
use std::time::{Duration, Instant};

use igen_job::JobError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::share::{Chance, ENOUGH};
use super::threads::{Tree, Whose, tracer};
use super::trace;
use super::window::{Counts, Seen, look};
use crate::emit::Emit;

/// How often it is looked for new processes.
pub(super) const LOOK: Duration = Duration::from_millis(50);
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// What was seen.
#[derive(Debug, Default)]
pub(super) struct Watched {
    pub(super) windows: Vec<Counts>,
    /// The addresses of the instructions of each window.
    pub(super) code: Vec<Vec<u64>>,
    /// Looks that found a thread in the kernel.
    pub(super) in_kernel: u64,
    /// Windows that a busy machine cut short.
    pub(super) cut: u64,
    /// Those are among the windows, since the whole ones are too few to tell.
    pub(super) cut_counted: bool,
    /// Looks at threads that got no processor.
    pub(super) waiting: u64,
    pub(super) refused: u64,
    pub(super) stopped_s: f64,
    pub(super) elapsed_s: f64,
    /// The program ended before its time.
    pub(super) ended: bool,
}

impl Watched {
    /// Returns true if no thread of it could be stopped so far.
    fn saw_nothing(&self) -> bool {
        self.windows.is_empty() && self.cut + self.in_kernel + self.waiting == 0
    }
}

/// Watches a process tree; `budget` is the share of the time for which it may stand still. It ends when standard input
/// does: then the process that wants to know is gone.
pub(super) fn watch(
    whose: &Whose,
    duration: Duration,
    budget: f64,
    emit: &Emit,
) -> Result<Watched, JobError> {
    if let Whose::Process(pid) = whose
        && let Some(other) = tracer(*pid)
    {
        let text = format!("process {pid} is already traced by process {other}");
        return Err(JobError::at("--pid", text)
            .hint("stop the other process first, such as a debugger or strace"));
    }
    may_trace(whose)?;
    // For who ends this process without a warning may end the watched one too (see `apart`). Only root may.
    let _ = fs::write("/proc/self/oom_score_adj", "-1000");
    let start = Instant::now();
    let input = io::stdin();
    let mut chance = Chance(seed());
    let mut tree = Tree::of(whose);
    let mut looked = None;
    let mut watched = Watched::default();
    let mut cut = Vec::new();
    let mut refusal = None;
    while start.elapsed() < duration && !emit.stopped() {
        let begun = Instant::now();
        if looked.is_none_or(|looked: Instant| looked.elapsed() > LOOK) {
            tree.look();
            looked = Some(Instant::now());
        }
        let running = tree.running();
        // Before it is believed that all have ended it is looked for those who were started last.
        if running.is_empty() {
            tree.look();
            if tree.ended() {
                watched.ended = true;
                break;
            }
        }
        let mut cost = begun.elapsed();
        if !running.is_empty() {
            let thread = running[chance.below(running.len())];
            let one = one(thread, &mut watched, &mut cut);
            // Of several, others may be stopped.
            let alone = tree.processes().len() == 1;
            refusal = refusal.or_else(|| one.as_ref().err().map(|error| untraced(whose, error)));
            if alone && watched.saw_nothing() && refusal.is_some() {
                break;
            }
            cost = cost.max(one.unwrap_or_default());
        }
        let left = duration.saturating_sub(start.elapsed());
        if input_ended(&input, pause(cost, budget, &mut chance).min(left)) {
            break;
        }
    }
    watched.elapsed_s = start.elapsed().as_secs_f64();
    watched.cut_counted = watched.windows.len() < ENOUGH;
    if watched.cut_counted {
        watched.windows.extend(cut.iter().map(|one| one.0));
        watched.code.extend(cut.into_iter().map(|one| one.1));
    }
    match refusal {
        Some(refusal) if watched.saw_nothing() => Err(refusal),
        _ => Ok(watched),
    }
}

/// Refuses at once what nobody here may stop: it may sleep all the time.
fn may_trace(whose: &Whose) -> Result<(), JobError> {
    trace::allowed().map_err(|error| untraced(whose, &error))?;
    let pids = match whose {
        Whose::Process(pid) => vec![*pid],
        Whose::Group(group) => group.pids().into_iter().collect(),
    };
    // The kernel asks the same of who reads the memory of another as of who traces it.
    let refusal = |pid: &u32| match File::open(format!("/proc/{pid}/mem")) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Some(error),
        _ => None,
    };
    let refusals: Vec<_> = pids.iter().filter_map(refusal).collect();
    match refusals.first() {
        Some(first) if refusals.len() == pids.len() => Err(untraced(whose, first)),
        _ => Ok(()),
    }
}

fn untraced(whose: &Whose, error: &io::Error) -> JobError {
    let text = format!("cannot trace the program: {error}");
    JobError::at(whose.option(), text).hint(
        "run it as root, or as the user of the program if kernel.yama.ptrace_scope is 0; a container needs the \
         capability SYS_PTRACE",
    )
}

/// One window, and for how long the thread stood still; an error where it may not be stopped.
fn one(
    thread: u32,
    watched: &mut Watched,
    cut: &mut Vec<(Counts, Vec<u64>)>,
) -> io::Result<Duration> {
    match look(thread) {
        Ok(window) => {
            watched.stopped_s += window.stopped.as_secs_f64();
            match window.seen {
                Seen::Instructions(counts, code) => {
                    watched.windows.push(counts);
                    watched.code.push(code);
                }
                Seen::Cut(counts, code) => {
                    watched.cut += 1;
                    cut.push((counts, code));
                }
                Seen::Kernel => watched.in_kernel += 1,
                Seen::Waiting => watched.waiting += 1,
            }
            Ok(window.stopped)
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            watched.refused += 1;
            Err(error)
        }
        // It has ended, or was killed in the middle.
        Err(_) => Ok(Duration::ZERO),
    }
}

/// By chance between half and one and a half of what the budget asks for: a program with a rhythm is met everywhere.
fn pause(cost: Duration, budget: f64, chance: &mut Chance) -> Duration {
    let mean = cost.mul_f64(1.0 / budget - 1.0);
    let factor = 0.5 + chance.below(1000) as f64 / 1000.0;
    mean.clamp(SHORTEST_PAUSE, LONGEST_PAUSE).mul_f64(factor)
}

/// Waits for so long, or until standard input ends.
pub(super) fn input_ended(input: &Stdin, wait: Duration) -> bool {
    let Ok(wait) = Timespec::try_from(wait) else {
        return false;
    };
    let mut descriptors = [PollFd::new(input, PollFlags::IN)];
    // A signal ends the wait early: the loop looks whether to stop.
    poll(&mut descriptors, Some(&wait)).is_ok_and(|ready| ready > 0)
}

/// Another one each time; never 0, of which xorshift makes nothing else.
fn seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    u64::from(now.map_or(1, |now| now.subsec_nanos())) | 1 << 40
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_keep_the_budget() {
        let mut chance = Chance(1);
        let cost = Duration::from_millis(4);
        let total: Duration = (0..2000).map(|_| pause(cost, 0.02, &mut chance)).sum();
        let share =
            2000.0 * cost.as_secs_f64() / (2000.0 * cost.as_secs_f64() + total.as_secs_f64());
        assert!((0.019..0.021).contains(&share), "{share}");
    }
}
