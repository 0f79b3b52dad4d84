//! The tables of `tunables`: settings that differ, all settings, and advice.

use igen_job::tool::Table;
use serde_json::json;

use super::check::{Check, State};
use super::studies;

/// The result of a check.
pub(super) struct Row {
    pub(super) state: State,
    pub(super) check: &'static Check,
    pub(super) value: String,
    /// The server to which the setting belongs.
    pub(super) pid: Option<u32>,
}

/// Return a row for each setting.
pub(super) fn all(rows: &[Row]) -> Table {
    let columns = ["state", "area", "pid", "setting", "value", "good"];
    let mut table = Table::new("checks", "Settings", &columns);
    for row in rows {
        table.row([
            json!(row.state.name()),
            json!(row.check.area.name()),
            json!(row.pid),
            json!(row.check.name),
            json!(row.value),
            json!(row.check.good),
        ]);
    }
    table
}

/// Return the settings that differ from their recommendation, the worst first, and one row for all
/// servers with the same value.
pub(super) fn differing(rows: &[Row]) -> Table {
    let columns = ["state", "pids", "setting", "value", "good"];
    let mut table = Table::new(
        "differing",
        "Settings that differ from recommendations",
        &columns,
    );
    let mut found: Vec<(&Row, Vec<String>)> = Vec::new();
    for row in rows.iter().filter(|row| row.state >= State::Check) {
        let pid = row.pid.map(|pid| pid.to_string());
        let same = |(other, _): &&mut (&Row, Vec<String>)| {
            other.check.is(row.check) && (other.state, &other.value) == (row.state, &row.value)
        };
        match found.iter_mut().find(same) {
            Some((_, pids)) => pids.extend(pid),
            None => found.push((row, pid.into_iter().collect())),
        }
    }
    found.sort_by_key(|(row, _)| std::cmp::Reverse(row.state));
    for (row, pids) in found {
        table.row([
            json!(row.state.name()),
            json!((!pids.is_empty()).then(|| pids.join(", "))),
            json!(row.check.name),
            json!(row.value),
            json!(row.check.good),
        ]);
    }
    table
}

/// Return why settings should be changed, the worst first, and once for several servers.
pub(super) fn advice(rows: &[Row]) -> Table {
    let columns = ["state", "setting", "why", "change", "source", "study"];
    let mut table = Table::new("advice", "Recommended changes", &columns);
    let mut advised: Vec<(State, &Check)> = Vec::new();
    for row in rows.iter().filter(|row| row.state >= State::Check) {
        let is_it = |(state, check): &(State, &Check)| *state == row.state && check.is(row.check);
        if !advised.iter().any(is_it) {
            advised.push((row.state, row.check));
        }
    }
    advised.sort_by_key(|(state, _)| std::cmp::Reverse(*state));
    for (state, check) in advised {
        table.row([
            json!(state.name()),
            json!(check.name),
            json!(check.why),
            json!(check.change),
            json!(check.source),
            json!(studies::of(check)),
        ]);
    }
    table
}
