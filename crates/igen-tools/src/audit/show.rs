//! What an audit has seen, as tables and as a verdict.

use std::fs;
use std::time::Duration;

use igen_job::tool::{Table, Verdict};
use serde_json::{Value, json};

use super::connector::Lost;
use super::parents::{Parent, user_name};
use super::tally::{LIVES_US, RUNAWAY_CHILDREN, Tally};
use super::unaccounted::Used;
use crate::emit::Emit;
use crate::show::short;

const METHOD: &str =
    "process events and records of ended tasks from the kernel; /proc at the start and at the end";
const WITHOUT_RECORDS: &str = "process events from the kernel; /proc at the start and at the end";
/// A parent that starts so many a second, most of which live less than a second, looks like a script that ran away.
const RUNAWAY_PER_S: f64 = 10.0;
const MOSTLY: f64 = 0.8;
/// Share of all processors from which on something is worth a look.
const SHARE: f64 = 0.01;
/// Share of the busy time that may remain unexplained.
const UNEXPLAINED: f64 = 0.03;
/// The kernel samples who is busy with its clock's ticks: sums of n ticks differ by chance, by 3 times √n at most.
const TICKS_PER_S: f64 = 100.0;
const BY_CHANCE: f64 = 3.0;

/// All that was seen.
pub(super) struct Seen<'a> {
    pub(super) tally: &'a Tally,
    pub(super) used: Used,
    pub(super) elapsed: Duration,
    pub(super) lost: Lost,
    /// How often records did not fit into their buffer; none without records.
    pub(super) overruns: Option<u64>,
}

impl Seen<'_> {
    pub(super) fn tables(&self, rows: usize, emit: &mut Emit) {
        emit.table(self.events());
        emit.table(self.time());
        let with_records = self.overruns.is_some();
        if with_records {
            emit.table(self.programs(rows));
        }
        emit.table(self.parents(rows));
        if with_records {
            emit.table(self.lives());
        }
        emit.note(format!("events lost: {}", self.lost));
        let missing = self.tally.exits.saturating_sub(self.tally.records);
        match self.overruns {
            // Of those that end at the last moment one comes, and the other not any more.
            Some(overruns) if overruns > 0 || missing > 1 + self.tally.exits / 1000 => {
                emit.note(format!("records of ended processes lost: {missing}"));
            }
            _ => {}
        }
        emit.note("the kernel samples processor time at its clock ticks, so shares of a short audit are rough");
        emit.note("sockets are listed for this network namespace, at the end of the audit");
    }

    fn per_s(&self, count: u64) -> f64 {
        count as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    fn events(&self) -> Table {
        let mut table = Table::new("events", "Processes", &["what", "count", "events_per_s"]);
        let tally = self.tally;
        for (what, count) in [
            ("started", tally.started),
            ("programs executed", tally.execs),
            ("ended", tally.exits),
        ] {
            table.row([json!(what), json!(count), json!(self.per_s(count))]);
        }
        table
    }

    fn time(&self) -> Table {
        let columns = ["processor_time", "used_s", "of_processors_percent"];
        let mut table = Table::new("processor_time", "Use of the processors", &columns);
        let used = &self.used;
        for (what, seconds) in [
            ("busy", used.busy_s),
            ("processes that live", used.living_s),
            ("unaccounted", used.unaccounted_s()),
            ("explained by processes that have ended", used.ended_s),
            ("explained by interrupts", used.interrupts_s),
            ("unexplained", used.unexplained_s()),
        ] {
            table.row([
                json!(what),
                json!(seconds),
                json!(100.0 * self.share(seconds)),
            ]);
        }
        table
    }

    fn share(&self, seconds: f64) -> f64 {
        seconds / self.used.available_s.max(1e-9)
    }

    fn programs(&self, rows: usize) -> Table {
        let columns = [
            "program",
            "ended",
            "within_a_second",
            "processor_s",
            "mean_life_s",
        ];
        let mut table = Table::new("programs", "Programs that have ended", &columns);
        let mut programs: Vec<_> = self.tally.programs.iter().collect();
        programs.sort_by_key(|(name, program)| {
            (std::cmp::Reverse((program.used_us, program.ended)), *name)
        });
        for (name, program) in programs.into_iter().take(rows) {
            table.row([
                json!(name),
                json!(program.ended),
                json!(program.short),
                json!(program.used_us as f64 / 1e6),
                json!(program.lived_us as f64 / 1e6 / program.ended.max(1) as f64),
            ]);
        }
        table
    }

    fn parents(&self, rows: usize) -> Table {
        let columns = [
            "parent",
            "pid",
            "user",
            "control_group",
            "started",
            "started_per_s",
            "most_often",
            "children_processor_s",
        ];
        let mut table = Table::new("parents", "Parents that start processes", &columns);
        let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
        for (pid, parent) in self.most_children().into_iter().take(rows) {
            let text = |text: &str| {
                if text.is_empty() {
                    Value::Null
                } else {
                    json!(text)
                }
            };
            table.row([
                text(&parent.name),
                json!(pid),
                json!(parent.user.map(|user| user_name(user, &passwd))),
                text(&parent.control_group),
                json!(parent.children),
                json!(self.per_s(parent.children)),
                json!(parent.main_program()),
                json!(parent.used_us as f64 / 1e6),
            ]);
        }
        table
    }

    fn most_children(&self) -> Vec<(u32, &Parent)> {
        let parents = self
            .tally
            .parents
            .iter()
            .filter(|(_, parent)| parent.children > 0);
        let mut parents: Vec<(u32, &Parent)> =
            parents.map(|(pid, parent)| (*pid, parent)).collect();
        parents.sort_by_key(|(pid, parent)| (std::cmp::Reverse(parent.children), *pid));
        parents
    }

    fn lives(&self) -> Table {
        let mut table = Table::new("lives", "Lifetimes", &["less_than", "ended"]);
        for (end, count) in LIVES_US.iter().zip(self.tally.lives) {
            let name = match end {
                1_000 => "1 ms",
                10_000 => "10 ms",
                100_000 => "100 ms",
                1_000_000 => "1 s",
                _ => "longer",
            };
            table.row([json!(name), json!(count)]);
        }
        table
    }

    pub(super) fn verdict(&self) -> Verdict {
        let short_share = self.share(self.tally.short_used_us as f64 / 1e6);
        let mut findings = Vec::new();
        for (pid, parent) in self.most_children() {
            findings.extend(self.of_parent(pid, parent));
        }
        if short_share > SHARE {
            findings.push(format!(
                "short-lived processes used {} % of the processors",
                short(100.0 * short_share)
            ));
        }
        let unexplained = self.used.unexplained_s();
        let by_chance = BY_CHANCE * (self.used.busy_s / TICKS_PER_S).sqrt();
        if unexplained > by_chance.max(UNEXPLAINED * self.used.busy_s)
            && self.share(unexplained) > SHARE
        {
            findings.push(format!(
                "{} s of processor time are unexplained, {} % of the used time",
                short(unexplained),
                short(100.0 * unexplained / self.used.busy_s)
            ));
        }
        if findings.is_empty() {
            let short_lived = if self.overruns.is_some() {
                format!(
                    "short-lived processes used {} % of the processors",
                    short(100.0 * short_share)
                )
            } else {
                format!(
                    "ended processes used {} % of the processors according to their parents; their lifetimes are \
                     unknown",
                    short(100.0 * self.share(self.used.ended_s))
                )
            };
            let text = format!(
                "{} processes started, {} per second; {short_lived}",
                self.tally.started,
                short(self.per_s(self.tally.started)),
            );
            return Verdict::good(self.method(), text);
        }
        Verdict::finding(self.method(), findings.join("; "))
    }

    fn method(&self) -> &'static str {
        if self.overruns.is_some() {
            METHOD
        } else {
            WITHOUT_RECORDS
        }
    }

    /// What there is to say of one that starts many. Where records are missing, how long its children live is not known.
    fn of_parent(&self, pid: u32, parent: &Parent) -> Option<String> {
        let rate = self.per_s(parent.children);
        if parent.children < RUNAWAY_CHILDREN || rate < RUNAWAY_PER_S {
            return None;
        }
        let name = if parent.name.is_empty() {
            "an ended process"
        } else {
            &parent.name
        };
        let starts = format!(
            "{name} (pid {pid}) starts {} processes per second",
            short(rate)
        );
        if self.overruns.is_none() {
            return Some(format!("{starts}; their lifetimes are unknown"));
        }
        // Those that go on, such as the workers of a server, are none of a script that ran away.
        let mostly = parent.short as f64 >= MOSTLY * parent.children as f64;
        mostly.then(|| {
            let program = parent.main_program().unwrap_or("unknown programs");
            let of_main = parent.programs.get(program).copied().unwrap_or(0);
            let often = if 2 * of_main > parent.children {
                "mostly"
            } else {
                "most often"
            };
            format!("{starts}, {often} {program}: probably a runaway script")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::connector::Event;
    use super::*;
    use igen_kernel::records::Record;

    fn seen(tally: &Tally, used: Used) -> Seen<'_> {
        Seen {
            tally,
            used,
            elapsed: Duration::from_secs(2),
            lost: Lost::default(),
            overruns: Some(0),
        }
    }

    /// Starts and ends a child of a parent that is not known.
    fn child(tally: &mut Tally, pid: u32, name: String, used_us: u64) {
        tally.event(Event::Fork { parent: u32::MAX });
        tally.record(Record {
            pid,
            process: pid,
            parent: u32::MAX,
            user: 0,
            name,
            life_us: 900,
            used_us,
            process_life_us: 900,
            last: true,
        });
    }

    fn busy(children: u32, used_us: u64) -> Tally {
        let mut tally = Tally::default();
        for pid in 0..children {
            child(&mut tally, pid, "date".into(), used_us);
        }
        tally.settle();
        tally
    }

    const USED: Used = Used {
        busy_s: 2.0,
        living_s: 1.0,
        ended_s: 1.0,
        interrupts_s: 0.0,
        available_s: 4.0,
    };

    #[test]
    fn a_script_that_ran_away_is_named_with_its_child() {
        let tally = busy(1000, 1000);
        let verdict = seen(&tally, USED).verdict();
        assert!(verdict.finding);
        assert!(
            verdict
                .text
                .contains("starts 500 processes per second, mostly date"),
            "{}",
            verdict.text
        );
        assert!(
            verdict.text.contains("used 25 % of the processors"),
            "{}",
            verdict.text
        );
    }

    #[test]
    fn mostly_is_more_than_half() {
        let mut tally = busy(40, 0);
        for pid in 100..160 {
            child(&mut tally, pid, format!("one{pid}"), 0);
        }
        tally.settle();
        let text = seen(&tally, USED).verdict().text;
        assert!(text.contains("per second, most often date:"), "{text}");
    }

    #[test]
    fn who_starts_what_goes_on_did_not_run_away() {
        let mut tally = busy(5, 0);
        for _ in 0..1000 {
            tally.event(Event::Fork { parent: u32::MAX });
        }
        let verdict = seen(&tally, USED).verdict();
        assert!(!verdict.finding, "{}", verdict.text);
    }

    #[test]
    fn without_records_a_parent_is_told_with_its_rate_only() {
        let mut tally = Tally::default();
        for _ in 0..1000 {
            tally.event(Event::Fork { parent: u32::MAX });
        }
        let mut seen = seen(&tally, USED);
        seen.overruns = None;
        let text = seen.verdict().text;
        assert!(
            text.contains("starts 500 processes per second; their lifetimes"),
            "{text}"
        );
        assert!(
            !text.contains("mostly") && !text.contains("ran away"),
            "{text}"
        );
    }

    #[test]
    fn a_quiet_machine_is_good() {
        let tally = busy(5, 1000);
        let verdict = seen(&tally, USED).verdict();
        assert!(!verdict.finding, "{}", verdict.text);
        assert!(
            verdict
                .text
                .starts_with("5 processes started, 2.5 per second"),
            "{}",
            verdict.text
        );
    }

    #[test]
    fn without_records_nobody_says_what_short_lived_processes_used() {
        let tally = busy(5, 0);
        let mut seen = seen(&tally, USED);
        seen.overruns = None;
        let verdict = seen.verdict();
        assert!(
            !verdict.finding
                && verdict.text.contains(
                    "ended processes used 25 % of the processors according to their parents"
                ),
            "{}",
            verdict.text
        );
        assert!(!verdict.method.contains("records"));
    }

    #[test]
    fn time_that_nothing_explains_is_a_finding() {
        let tally = busy(1, 0);
        let long = Used {
            busy_s: 20.0,
            living_s: 10.0,
            ended_s: 5.0,
            interrupts_s: 0.0,
            available_s: 40.0,
        };
        let verdict = seen(&tally, long).verdict();
        assert!(
            verdict
                .text
                .contains("5 s of processor time are unexplained, 25 %"),
            "{}",
            verdict.text
        );
    }
}
