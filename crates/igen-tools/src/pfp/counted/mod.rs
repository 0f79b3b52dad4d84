//! The share by the counters of the processor, where they are there and its list is known.

mod bounds;
mod lists;
mod processor;

use std::io;
use std::time::{Duration, Instant};

use igen_job::tool::{Table, Verdict};
use serde_json::json;

use self::bounds::{Bounds, bounds};
use self::lists::{List, Rest};
use self::processor::Processor;
use super::share::Advice;
use super::threads::{Tree, threads};
use super::told::{ENDED_EARLY, Thresholds, advised, shares};
use super::watch::{LOOK, input_ended};
use crate::counters::{Counter, Event, Of, Sum, Within, turns};
use crate::emit::Emit;
use crate::show::short;

/// Counters of a program's threads and of all that these start.
pub(super) struct Counting {
    list: &'static List,
    tree: Tree,
    /// All instructions first, then the list's parts in its order; of each event one for each thread.
    counters: Vec<Vec<Counter>>,
}

/// What was counted.
struct Counted {
    instructions: f64,
    parts: Vec<f64>,
    /// The least share of the time in which an event was counted.
    counted: f64,
}

impl Counting {
    /// Begins to count. None where the processor has no list, or does not let this user count all that is in it.
    pub(super) fn begin(pid: u32) -> Option<Self> {
        Self::of(lists::list(Processor::here()?)?, pid)
    }

    fn of(list: &'static List, pid: u32) -> Option<Self> {
        let mut tree = Tree::of(pid);
        tree.look();
        let threads: Vec<u32> = tree.processes().iter().copied().flat_map(threads).collect();
        let parts = list.parts.iter().map(|part| part.event);
        let counters = [list.instructions].into_iter().chain(parts);
        Some(Self {
            list,
            tree,
            counters: counters
                .map(|event| open(event, &threads))
                .collect::<io::Result<_>>()
                .ok()?,
        })
    }

    /// Waits for so long, or until the program ends, or whoever wants to know; and says what was counted.
    pub(super) fn tell(
        mut self,
        duration: Duration,
        limits: Thresholds,
        emit: &mut Emit,
    ) -> Verdict {
        let start = Instant::now();
        let stdin = io::stdin();
        while start.elapsed() < duration && !emit.stopped() {
            let left = duration.saturating_sub(start.elapsed());
            if input_ended(&stdin, left.min(LOOK)) {
                break;
            }
            self.tree.look();
            if self.tree.ended() {
                emit.note(ENDED_EARLY);
                break;
            }
        }
        let counted = self.read();
        verdict(self.list, &counted, limits, emit)
    }

    fn read(&mut self) -> Counted {
        let sums: Vec<Sum> = self
            .counters
            .iter_mut()
            .map(|counters| {
                Sum::of(
                    counters
                        .iter_mut()
                        .filter_map(|counter| counter.read().ok()),
                )
            })
            .collect();
        Counted {
            instructions: sums.first().map_or(0.0, |sum| sum.count),
            parts: sums.iter().skip(1).map(|sum| sum.count).collect(),
            counted: sums.iter().map(|sum| sum.counted).fold(1.0, f64::min),
        }
    }
}

/// One for each thread. A thread may have ended since it was seen: that says nothing of the event.
fn open(event: Event, threads: &[u32]) -> io::Result<Vec<Counter>> {
    let counters = threads
        .iter()
        .map(|thread| Counter::open(event, Of::Thread(thread.cast_signed()), Within::Programs));
    counters
        .filter(|opened| !matches!(opened, Err(error) if error.raw_os_error() == Some(libc::ESRCH)))
        .collect()
}

fn verdict(list: &List, counted: &Counted, limits: Thresholds, emit: &mut Emit) -> Verdict {
    let method = format!(
        "counters of the processor: {}; the user's code, not the kernel's",
        list.name
    );
    emit.table(counts(list, counted));
    let found = bounds(list, counted.instructions, &counted.parts);
    emit.table(told(&found));
    if let Some(note) = turns(counted.counted) {
        emit.note(note);
    }
    notes(list).for_each(|note| emit.note(note));
    let Some(share) = found.decides().filter(|_| counted.instructions > 0.0) else {
        let text =
            "cannot tell: the program was never seen to execute anything outside of the kernel";
        return Verdict::finding(method, text);
    };
    let what = match list.rest {
        Rest::Unknown => "floating-point arithmetic",
        Rest::Apart | Rest::Within => "floating point",
    };
    let text = if share.low < share.high {
        format!(
            "{} to {} % of its instructions are {what}",
            short(share.low),
            short(share.high)
        )
    } else {
        format!("{} % of its instructions are {what}", short(share.high))
    };
    match share.between(limits.low, limits.high) {
        Some(advice) if list.rest == Rest::Unknown && advice != Advice::NotRecommended => advised(
            advice,
            method,
            &format!("{text}, and it is not known how many compare or convert; if those are few"),
        ),
        Some(advice) => advised(advice, method, &text),
        None => Verdict::finding(
            method,
            format!(
                "{text}: cannot tell by what this processor counts on which side of {} and {} % it is; --exact looks at single \
                 instructions",
                short(limits.low),
                short(limits.high)
            ),
        ),
    }
}

/// What the processor does not tell.
fn notes(list: &List) -> impl Iterator<Item = &'static str> {
    let bounds = list.parts.iter().any(|part| part.at_least < 1.0);
    let unknown = list.rest == Rest::Unknown;
    [
        (
            bounds,
            "some counts stand for less than an instruction: a fused one counts twice, or one on several numbers for each, or \
             integers are among them; so the share is known from below and from above",
        ),
        (
            unknown,
            "this processor counts no comparisons and conversions; --exact sees them",
        ),
    ]
    .into_iter()
    .filter_map(|(so, note)| so.then_some(note))
}

fn counts(list: &List, counted: &Counted) -> Table {
    let columns = ["instructions", "count", "of_all_percent"];
    let mut table = Table::new("instructions", "Counted instructions", &columns);
    let names = list.parts.iter().map(|part| part.event.name);
    let parts = names.zip(counted.parts.iter().copied());
    for (name, count) in [("all", counted.instructions)].into_iter().chain(parts) {
        let percent = 100.0 * count / counted.instructions.max(1.0);
        table.row([json!(name), json!(count.round()), json!(percent)]);
    }
    table
}

fn told(found: &Bounds) -> Table {
    let known = [
        ("arithmetic", found.arithmetic),
        ("arithmetic, compare, convert", found.floating),
    ];
    let known = known
        .into_iter()
        .filter_map(|(name, share)| share.map(|share| (name, share)));
    shares("Shares, at least and at most", known)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::process::{Command, Stdio};

    use igen_job::ToolLine;

    use super::lists::{Part, Sort};
    use super::*;
    use crate::emit::tests::lines;

    const LIMITS: Thresholds = Thresholds {
        low: 1.0,
        high: 2.0,
    };

    fn said(model: u32, instructions: f64, parts: &[f64], counted: f64) -> (Verdict, Vec<String>) {
        let intel = Processor::Intel { family: 6, model };
        let list = lists::list(intel).unwrap();
        let counted = Counted {
            instructions,
            parts: parts.to_vec(),
            counted,
        };
        let mut told = None;
        let lines = lines(|emit| told = Some(verdict(list, &counted, LIMITS, emit)));
        let notes = lines.into_iter().filter_map(|line| match line {
            ToolLine::Note(text) => Some(text),
            _ => None,
        });
        (told.unwrap(), notes.collect())
    }

    #[test]
    fn counts_become_a_verdict_that_says_what_is_not_known() {
        let (few, notes) = said(0x5e, 1e6, &[2e3, 0.0, 0.0], 1.0);
        assert!(!few.finding);
        assert_eq!(
            few.text,
            "0.1 to 0.2 % of its instructions are floating-point arithmetic, and it is not known how many compare or convert; if \
             those are few: processors with few floating-point units are recommended"
        );
        assert_eq!(notes.len(), 2, "{notes:?}");
        let (many, _) = said(0x5e, 1e6, &[2e5, 0.0, 2e5], 1.0);
        assert!(many.finding);
        assert_eq!(
            many.text,
            "20 to 40 % of its instructions are floating-point arithmetic: processors with few floating-point units are not \
             recommended"
        );
        let (between, notes) = said(0x5e, 1e6, &[1.5e4, 0.0, 0.0], 0.25);
        assert!(
            between
                .text
                .contains("cannot tell by what this processor counts")
        );
        assert!(notes[0].starts_with("events took turns"), "{notes:?}");
        let (nothing, _) = said(0x5e, 0.0, &[0.0; 3], 1.0);
        assert!(nothing.finding && nothing.text.starts_with("cannot tell"));
    }

    /// Events of the kernel in the place of the processor's, which are not there everywhere: page faults of a shell's children.
    const FAULTS: List = List {
        name: "page faults",
        instructions: Event::software("faults", 2),
        parts: &[Part {
            event: Event::software("minor faults", 5),
            sort: Sort::All,
            at_least: 1.0,
        }],
        rest: Rest::Within,
    };

    #[test]
    fn what_a_program_starts_is_counted_with_it() {
        let mut shell = Command::new("sh");
        shell.args([
            "-c",
            "read word; i=0; while [ $i -lt 20 ]; do /bin/true; i=$((i+1)); done",
        ]);
        let mut shell = shell.stdin(Stdio::piped()).spawn().unwrap();
        let counting = Counting::of(&FAULTS, shell.id());
        drop(shell.stdin.take());
        let ended = shell.wait().unwrap();
        assert!(ended.success());
        // Where this user may not count, as in many containers, there is nothing to be said.
        let Some(mut counting) = counting else { return };
        let counted = counting.read();
        assert!(
            counted.instructions > 20.0 * 10.0,
            "{}",
            counted.instructions
        );
        assert!((counted.parts[0] - counted.instructions).abs() < 20.0);
    }
}
