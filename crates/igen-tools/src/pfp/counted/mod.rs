//! The share by the counters of the processor, where they are there and its list is known.

mod bounds;
mod lists;
mod opening;
mod processor;

use std::io;
use std::time::{Duration, Instant};

use igen_job::tool::{Table, Verdict};
use serde_json::json;

use self::bounds::{Bounds, bounds};
use self::lists::{List, Rest};
pub(super) use self::opening::Refusal;
use self::opening::{listing, open, settled};
use self::processor::Processor;
use super::share::{Advice, Estimate};
use super::threads::{Tree, Whose};
use super::told::{ENDED_EARLY, Thresholds, advised, shares};
use super::watch::{LOOK, input_ended};
use crate::counters::{Counter, Event, Sum, turns};
use crate::emit::Emit;
use crate::show::short;

/// Counters of a program's threads and of all that these start.
pub(super) struct Counting {
    list: &'static List,
    tree: Tree,
    /// All instructions first, then the list's parts in its order; of each event one for each thread.
    counters: Vec<Vec<Counter>>,
}

/// What was counted; None where events were to be counted and never were.
struct Counted {
    instructions: Option<f64>,
    parts: Vec<Option<f64>>,
    /// The least share of the time in which an event was counted.
    counted: f64,
}

impl Counting {
    /// Begins to count.
    pub(super) fn begin(whose: &Whose) -> Result<Self, Refusal> {
        let list = Processor::here()
            .and_then(lists::list)
            .ok_or(Refusal::NoList)?;
        Self::of(list, whose)
    }

    fn of(list: &'static List, whose: &Whose) -> Result<Self, Refusal> {
        let mut tree = Tree::of(whose);
        let parts = list.parts.iter().map(|part| part.event);
        let events: Vec<Event> = [list.instructions].into_iter().chain(parts).collect();
        let counters = settled(|| listing(&mut tree), |threads| open(&events, threads))?;
        if counters.iter().any(Vec::is_empty) {
            return Err(Refusal::Ended);
        }
        Ok(Self {
            list,
            tree,
            counters,
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
        let read = |counters: &mut Vec<Counter>| {
            Sum::of(
                counters
                    .iter_mut()
                    .filter_map(|counter| counter.read().ok()),
            )
        };
        let sums: Vec<Sum> = self.counters.iter_mut().map(read).collect();
        Counted {
            instructions: sums.first().and_then(|sum| sum.count),
            parts: sums.iter().skip(1).map(|sum| sum.count).collect(),
            counted: sums.iter().map(|sum| sum.counted).fold(1.0, f64::min),
        }
    }
}

fn verdict(list: &List, counted: &Counted, limits: Thresholds, emit: &mut Emit) -> Verdict {
    let method = format!(
        "counters of the processor: {}; user code only, without the kernel",
        list.name
    );
    emit.table(counts(list, counted));
    if let Some(note) = turns(counted.counted) {
        emit.note(note);
    }
    let parts: Option<Vec<f64>> = counted.parts.iter().copied().collect();
    let (Some(instructions), Some(parts)) = (counted.instructions, parts) else {
        let text = format!(
            "cannot tell: other programs used the counters, so {} were never counted{EXACT}",
            missing(list, counted).join("; ")
        );
        return Verdict::finding(method, text);
    };
    let found = bounds(list, instructions, &parts);
    emit.table(told(&found));
    for note in notes(list) {
        emit.note(note);
    }
    let Some(share) = found.decides().filter(|_| instructions > 0.0) else {
        let text = "cannot tell: the program ran only in the kernel";
        return Verdict::finding(method, text);
    };
    if list.rest == Rest::Unknown {
        return from_below(list, &share, method, limits);
    }
    let text = if share.low < share.high {
        format!(
            "{} to {} % of its instructions are floating point",
            short(share.low),
            short(share.high)
        )
    } else {
        format!(
            "{} % of its instructions are floating point",
            short(share.high)
        )
    };
    let verdict = match share.between(limits.low, limits.high) {
        Some(advice) => advised(advice, method, &text),
        None => Verdict::finding(
            method,
            format!(
                "{text}: cannot tell, because the counters of this processor are too coarse to compare it with {} and {} %{EXACT}",
                short(limits.low),
                short(limits.high)
            ),
        ),
    };
    // One end of a range would be taken for the share.
    if share.low < share.high {
        verdict
    } else {
        verdict.about(share.high)
    }
}

/// Where some floating-point instructions are not counted, only many are certain.
fn from_below(list: &List, share: &Estimate, method: String, limits: Thresholds) -> Verdict {
    let text = format!(
        "at least {} % of its instructions are floating point",
        short(share.low)
    );
    if share.low > limits.high {
        return advised(Advice::NotRecommended, method, &text);
    }
    Verdict::finding(
        method,
        format!(
            "{text}; cannot tell how many more, because this processor does not count: {}{EXACT}",
            list.unseen
        ),
    )
}

/// What sees more; nothing does on other processors.
const EXACT: &str = if cfg!(target_arch = "x86_64") {
    "; --exact examines single instructions"
} else {
    ""
};

/// What was to be counted and never was.
fn missing(list: &List, counted: &Counted) -> Vec<&'static str> {
    let parts = list.parts.iter().map(|part| part.event.name);
    [list.instructions.name]
        .into_iter()
        .chain(parts)
        .zip([counted.instructions].iter().chain(&counted.parts))
        .filter_map(|(name, count)| count.is_none().then_some(name))
        .collect()
}

/// What the processor does not tell.
fn notes(list: &List) -> Vec<String> {
    let mut notes = Vec::new();
    if list.parts.iter().any(|part| part.at_least < 1.0) {
        notes.push(
            "some counts are not instructions: a fused instruction counts twice, a vector instruction may count once for \
             each number or operation, or integers are included; so only a lower and an upper bound of the share are known"
                .to_owned(),
        );
    }
    if !list.unseen.is_empty() {
        notes.push(format!(
            "this processor does not count: {}{EXACT}",
            list.unseen
        ));
    }
    notes
}

fn counts(list: &List, counted: &Counted) -> Table {
    let columns = ["instructions", "count", "of_all_percent"];
    let mut table = Table::new("instructions", "Counted instructions", &columns);
    let names = list.parts.iter().map(|part| part.event.name);
    let parts = names.zip(counted.parts.iter().copied());
    let all = counted.instructions.unwrap_or_default().max(1.0);
    for (name, count) in [("all", counted.instructions)].into_iter().chain(parts) {
        let Some(count) = count else { continue };
        let percent = counted.instructions.map(|_| 100.0 * count / all);
        table.row([json!(name), json!(count.round()), json!(percent)]);
    }
    table
}

fn told(found: &Bounds) -> Table {
    let arithmetic = if found.floating.is_some() {
        "arithmetic"
    } else {
        "arithmetic that is counted"
    };
    let known = [
        (arithmetic, found.arithmetic),
        ("arithmetic, compare, convert", found.floating),
    ];
    let known = known
        .into_iter()
        .filter_map(|(name, share)| share.map(|share| (name, share)));
    shares("Lower and upper bounds of the shares", known)
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

    fn said(
        processor: Processor,
        instructions: f64,
        parts: &[f64],
        counted: f64,
    ) -> (Verdict, Vec<String>) {
        let parts = parts.iter().copied().map(Some).collect();
        let counted = Counted {
            instructions: Some(instructions),
            parts,
            counted,
        };
        told_of(processor, &counted)
    }

    fn told_of(processor: Processor, counted: &Counted) -> (Verdict, Vec<String>) {
        let list = lists::list(processor).unwrap();
        let mut told = None;
        let lines = lines(|emit| told = Some(verdict(list, counted, LIMITS, emit)));
        let notes = lines.into_iter().filter_map(|line| match line {
            ToolLine::Note(text) => Some(text),
            _ => None,
        });
        (told.unwrap(), notes.collect())
    }

    const SKYLAKE: Processor = Processor::Intel {
        family: 6,
        model: 0x5e,
    };
    const NEOVERSE_V2: Processor = Processor::Arm { part: 0xd4f };

    #[test]
    fn counts_become_a_verdict_that_says_what_is_not_known() {
        // Whatever is not counted may be many: nobody recommends anything.
        for few in [0.0, 2e3, 3e4] {
            let (told, notes) = said(SKYLAKE, 1e6, &[few, 0.0, 0.0], 1.0);
            assert!(told.finding);
            assert_eq!(
                told.text,
                format!(
                    "at least {} % of its instructions are floating point; cannot tell how many more, because this processor does \
                     not count: comparisons, conversions, x87{EXACT}",
                    short(few / 2e4)
                )
            );
            assert_eq!(notes.len(), 2, "{notes:?}");
        }
        let sapphire_rapids = Processor::Intel {
            family: 6,
            model: 0x8f,
        };
        let (told, _) = said(sapphire_rapids, 1e6, &[0.0; 5], 1.0);
        assert!(told.finding && told.text.contains("x87, bfloat16, AMX"));
        let (many, _) = said(SKYLAKE, 1e6, &[2e5, 0.0, 2e5], 1.0);
        assert!(many.finding);
        assert_eq!(
            many.text,
            "at least 20 % of its instructions are floating point: processors with few floating-point units are not recommended"
        );
        let (few, notes) = said(NEOVERSE_V2, 1e6, &[0.0, 1e3, 1e3], 0.25);
        assert!(!few.finding);
        assert_eq!(few.figure, Some(0.2));
        // "At least" and a range are no figure.
        assert_eq!(many.figure, None);
        assert_eq!(
            few.text,
            "0.2 % of its instructions are floating point: processors with few floating-point units are recommended"
        );
        assert!(
            notes[0].starts_with("the counters were shared"),
            "{notes:?}"
        );
        let (between, _) = said(Processor::Arm { part: 0xd0c }, 1e6, &[5e3, 5e4], 1.0);
        assert!(between.finding);
        assert_eq!(between.figure, None);
        assert!(between.text.contains("are too coarse"));
        assert_eq!(
            between.text.contains("--exact"),
            cfg!(target_arch = "x86_64")
        );
        let (nothing, _) = said(SKYLAKE, 0.0, &[0.0; 3], 1.0);
        assert!(nothing.finding && nothing.text.starts_with("cannot tell"));
    }

    #[test]
    fn what_was_never_counted_is_no_nought() {
        let never = |instructions, parts: [Option<f64>; 3]| {
            let parts = parts.to_vec();
            let counted = Counted {
                instructions,
                parts,
                counted: 1.0,
            };
            told_of(NEOVERSE_V2, &counted).0
        };
        let told = never(Some(1e6), [Some(0.0), None, Some(0.0)]);
        assert!(told.finding);
        let names = "cannot tell: other programs used the counters, so single precision";
        assert!(told.text.starts_with(names), "{}", told.text);
        let told = never(None, [Some(0.0); 3]);
        assert!(told.text.starts_with(
            "cannot tell: other programs used the counters, so instructions, including"
        ));
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
        unseen: "",
    };

    #[test]
    fn what_a_program_starts_is_counted_with_it() {
        let mut shell = Command::new("sh");
        shell.args([
            "-c",
            "read word; i=0; while [ $i -lt 20 ]; do /bin/true; i=$((i+1)); done",
        ]);
        let mut shell = shell.stdin(Stdio::piped()).spawn().unwrap();
        let counting = Counting::of(&FAULTS, &Whose::Process(shell.id()));
        drop(shell.stdin.take());
        let ended = shell.wait().unwrap();
        assert!(ended.success());
        // Where this user may not count, as in many containers, there is nothing to be said.
        let Ok(mut counting) = counting else { return };
        let counted = counting.read();
        let all = counted.instructions.unwrap();
        assert!(all > 20.0 * 10.0, "{all}");
        assert!((counted.parts[0].unwrap() - all).abs() < 20.0);
    }

    #[test]
    fn a_program_that_has_ended_has_no_counters() {
        let mut ended = Command::new("true").spawn().unwrap();
        let pid = ended.id();
        let process = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
        let options =
            rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT;
        rustix::process::waitid(rustix::process::WaitId::Pid(process), options).unwrap();
        // Nobody has asked yet how it ended.
        assert!(matches!(
            Counting::of(&FAULTS, &Whose::Process(pid)),
            Err(Refusal::Ended)
        ));
        ended.wait().unwrap();
        assert!(matches!(
            Counting::of(&FAULTS, &Whose::Process(pid)),
            Err(Refusal::Ended)
        ));
    }
}
