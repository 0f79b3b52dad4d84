//! What a tool says: one object a line. Tools are one-shot programs beside a benchmark; they run no job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::JobError;

/// One line of a tool. Tables and notes come in the order in which they are read; a verdict or an error is last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ToolLine {
    /// How far it is, for people who wait.
    Progress(String),
    /// Something that it found, as rows.
    Table(Table),
    /// How complete it was, and what it could not see.
    Note(String),
    /// What all that means.
    Verdict(Verdict),
    /// It cannot be done here, or not like that: exit code 2.
    Error(JobError),
}

/// Rows of named values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Tells the tables of one tool apart.
    pub name: String,
    /// What people read above it.
    pub title: String,
    /// Names of the values in the order in which they are shown. A name of something with a unit ends in it:
    /// `_bytes`, `_s`, `_per_s`, `_percent`.
    pub columns: Vec<String>,
    /// One object for each row; what is not known is absent.
    pub rows: Vec<Map<String, Value>>,
}

/// The last line of a tool that could do its work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// There is something to look at: exit code 1.
    pub finding: bool,
    /// The sentence.
    pub text: String,
    /// The number that the sentence is about, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<f64>,
    /// How it was found out.
    pub method: String,
    /// What that cost this machine.
    #[serde(default)]
    pub cost: Cost,
}

/// What a tool has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// From its start to its verdict.
    pub wall_s: f64,
    /// Time of processors, user and system.
    pub processor_s: f64,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(name: &str, title: &str, columns: &[&str]) -> Self {
        Self {
            name: name.to_owned(),
            title: title.to_owned(),
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row: a value for each column, null where it is not known.
    pub fn row<const N: usize>(&mut self, values: [Value; N]) {
        let named = self.columns.iter().cloned().zip(values);
        self.rows
            .push(named.filter(|(_, value)| !value.is_null()).collect());
    }
}

impl Verdict {
    /// Nothing to look at.
    pub fn good(method: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            finding: false,
            text: text.into(),
            figure: None,
            method: method.into(),
            cost: Cost::default(),
        }
    }

    /// Something to look at.
    pub fn finding(method: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            finding: true,
            ..Self::good(method, text)
        }
    }

    /// The same, about this number.
    #[must_use]
    pub fn about(self, figure: f64) -> Self {
        Self {
            figure: Some(figure),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_leaves_out_what_is_not_known() {
        let mut table = Table::new("parts", "Parts", &["part", "size_bytes"]);
        table.row([json!("kernel"), json!(4096)]);
        table.row([json!("other"), Value::Null]);
        assert_eq!(
            json!(table.rows),
            json!([{"part": "kernel", "size_bytes": 4096}, {"part": "other"}])
        );
    }
}
