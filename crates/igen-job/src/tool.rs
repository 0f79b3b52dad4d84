//! What a tool says: one object a line. Tools are one-shot programs beside a benchmark; they run no job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::JobError;

/// One line of a tool. Tables and notes come in reading order; a verdict or an error is last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ToolLine {
    /// Progress, for people who wait.
    Progress(String),
    /// Findings, as rows.
    Table(Table),
    /// Remark on the findings, such as data that could not be read.
    Note(String),
    /// Conclusion.
    Verdict(Verdict),
    /// Error that prevents a result: exit code 2.
    Error(JobError),
}

/// Rows of named values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Id of the table, unique within the tool.
    pub name: String,
    /// Title of the table.
    pub title: String,
    /// Names of the columns in their order. The name of a value with a unit ends in the unit: `_bytes`, `_s`, `_per_s`,
    /// `_percent`.
    pub columns: Vec<String>,
    /// One object for each row; unknown values are absent.
    pub rows: Vec<Map<String, Value>>,
}

/// Last line of a tool that succeeded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// True if there is something to look at: exit code 1.
    pub finding: bool,
    /// Conclusion, as a sentence.
    pub text: String,
    /// Number in the sentence, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<f64>,
    /// Method of the tool.
    pub method: String,
    /// Cost of the tool for this machine.
    #[serde(default)]
    pub cost: Cost,
}

/// Cost of a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Time from start to verdict.
    pub wall_s: f64,
    /// Processor time, user and system.
    pub processor_s: f64,
}

impl Table {
    /// Returns a table without rows.
    #[must_use]
    pub fn new(name: &str, title: &str, columns: &[&str]) -> Self {
        Self {
            name: name.to_owned(),
            title: title.to_owned(),
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row: a value for each column, null if unknown.
    pub fn row<const N: usize>(&mut self, values: [Value; N]) {
        let named = self.columns.iter().cloned().zip(values);
        self.rows
            .push(named.filter(|(_, value)| !value.is_null()).collect());
    }
}

impl Verdict {
    /// Returns a verdict without a finding.
    pub fn good(method: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            finding: false,
            text: text.into(),
            figure: None,
            method: method.into(),
            cost: Cost::default(),
        }
    }

    /// Returns a verdict with a finding.
    pub fn finding(method: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            finding: true,
            ..Self::good(method, text)
        }
    }

    /// Returns the same verdict with its number.
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
