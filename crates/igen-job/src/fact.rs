//! Facts, and how one is declared: each fact that an agent or iGen writes is a row of [`crate::facts`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::fact_type::FactType;

/// A datum about the environment or the run. Only its declaration can make one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Fact {
    /// Dotted name; the first word is its group: `cpu.model`, `memory.total_bytes`,
    /// `target.sqlite.journal_mode`, `engine.clock_drift_ppm`. `igen-agent list facts` prints all declarations; an
    /// undeclared fact is about the environment.
    pub name: String,
    /// Text, number, boolean, list or table, as declared.
    pub value: Value,
}

impl Fact {
    /// Returns the fact of one of several loads, whose name begins with the `path` of the load.
    #[must_use]
    pub fn of_load(mut self, path: impl FnOnce(&str) -> String) -> Self {
        self.name = path(&self.name);
        self
    }
}

/// The subject of a fact. A fact of a run is a result, any other is about the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The machine that runs the agent.
    Machine,
    /// A setting of the kernel that can be tuned. A kernel that lacks it does not differ in it.
    Tunable,
    /// A device below the targets.
    Device,
    /// The system under test, as it describes itself.
    Server,
    /// Private instances, as iGen made them.
    Instance,
    /// The load: the version of the workload, and what its setting turned out to be on this machine.
    Load,
    /// The run: what its job asked for, counted, found, or what follows from other facts.
    Run,
}

/// How the facts of several agents become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Together {
    /// The first agent's fact, and the facts of other agents that differ from it, each with the agent's number.
    Each,
    /// The first agent's fact.
    First,
    /// The sum.
    Sum,
    /// The value that is furthest from 0.
    Largest,
}

/// The declaration of a fact, or of a family of facts: `storage.{device}.model`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declared {
    /// Name, with at most one part in braces that is known at run time.
    pub name: &'static str,
    /// Type of the value. If it is about the environment and the parts of a machine differ, the value is a list of
    /// their values.
    pub of_type: FactType,
    /// The subject.
    pub subject: Subject,
    /// One line for the user: the comment of the row, with its blank.
    summary: &'static str,
    /// True if it changes from run to run although nobody changes a setting.
    pub volatile: bool,
    /// True if another value means other work, so that there is no ratio.
    pub changes_work: bool,
    /// How the facts of several agents become one.
    pub together: Together,
    /// The setting whose value it shows: a parameter of a job or a setting of an instance by its last name, or the
    /// part in braces. A difference in both is one difference.
    pub shows: Option<&'static str>,
}

impl Declared {
    /// Declares a fact.
    #[must_use]
    pub(crate) const fn new(
        name: &'static str,
        of_type: FactType,
        subject: Subject,
        summary: &'static str,
    ) -> Self {
        Self {
            name,
            of_type,
            subject,
            summary,
            volatile: false,
            changes_work: false,
            together: Together::Each,
            shows: None,
        }
    }

    /// Returns one line for the user.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.summary.trim()
    }

    /// Declares that it changes from run to run.
    #[must_use]
    pub(crate) const fn volatile(mut self) -> Self {
        self.volatile = true;
        self
    }

    /// Declares that another value means other work.
    #[must_use]
    pub(crate) const fn changes_work(mut self) -> Self {
        self.changes_work = true;
        self
    }

    /// Declares the setting whose value it shows.
    #[must_use]
    pub(crate) const fn shows(mut self, setting: &'static str) -> Self {
        self.shows = Some(setting);
        self
    }

    /// Declares how the facts of several agents become one.
    #[must_use]
    pub(crate) const fn together(mut self, together: Together) -> Self {
        self.together = together;
        self
    }

    /// Returns the fact with this value.
    #[must_use]
    pub fn is(&self, value: impl Into<Value>) -> Fact {
        debug_assert!(self.parts().is_none(), "{} needs its part", self.name);
        self.fact(self.name.to_owned(), value.into())
    }

    /// Returns the fact of a family with this value; `part` stands for the part in braces.
    #[must_use]
    pub fn of(&self, part: &str, value: impl Into<Value>) -> Fact {
        self.fact(self.name_of(part), value.into())
    }

    /// Returns the name of the fact of a family.
    #[must_use]
    pub fn name_of(&self, part: &str) -> String {
        match self.parts() {
            Some((before, after)) => format!("{before}{part}{after}"),
            None => self.name.to_owned(),
        }
    }

    fn fact(&self, name: String, value: Value) -> Fact {
        debug_assert!(
            self.has(&value),
            "{name} is declared as {:?}: {value}",
            self.of_type
        );
        Fact { name, value }
    }

    /// Returns true if a value has the declared type.
    #[must_use]
    pub fn has(&self, value: &Value) -> bool {
        let may_differ = self.of_type.is_scalar() && !matches!(self.subject, Subject::Run);
        match value {
            Value::Array(values) if may_differ => values.iter().all(|each| self.of_type.has(each)),
            value => self.of_type.has(value),
        }
    }

    /// Returns the texts before and after the part in braces; None without such a part.
    #[must_use]
    pub fn parts(&self) -> Option<(&'static str, &'static str)> {
        let (before, rest) = self.name.split_once('{')?;
        Some((before, rest.split_once('}')?.1))
    }

    /// Returns the unit, which is the end of the name: `bytes`, `s`, `rows/s`; None without a unit.
    #[must_use]
    pub fn unit(&self) -> Option<String> {
        const UNITS: &[&str] = &["bytes", "s", "ms", "us", "mhz", "ppm", "percent", "w"];
        if !matches!(self.of_type.word(), "number" | "list") {
            return None;
        }
        let (_, last) = self.name.rsplit_once('.')?;
        let words: Vec<&str> = last.split('_').collect();
        match words.as_slice() {
            [.., amount, "per", "s"] => Some(format!("{amount}/s")),
            ["bytes", "per", whole] => Some(format!("bytes/{whole}")),
            [.., unit] if UNITS.contains(unit) => Some((*unit).to_owned()),
            _ => None,
        }
    }
}
