//! A scenario, compiled once for all users: no text of it is looked at again while they work.

mod alias;
mod csv;
pub mod extract;
pub mod field;
#[cfg(test)]
mod fuzz_tests;
pub mod long_body;
mod nearest;
mod order;
mod page;
mod pointer;
mod request;
mod rows;
mod steps;
mod template;
#[cfg(test)]
mod tests;
mod text;
mod walk;
mod ways;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use igen_http::Reading;
use igen_job::{JobError, Seconds};

pub use page::Page;
pub use pointer::Pointer;
pub use request::Request;
pub use rows::Rows;
pub use steps::{Position, Steps};
pub use template::{Encoding, Hole, Piece, Template, UNRESERVED};
pub use text::Text;

use self::page::Common;
use self::template::{Names, places};
use self::ways::Ways;
use super::scenario::{Browser, OnFailure, Scenario};
use crate::secret;

/// How long a connection may rest: at least a millisecond, at most a day.
const LEAST_IDLE_S: f64 = 0.001;
const MOST_IDLE_S: f64 = 86_400.0;

/// A scenario, ready to be done.
pub struct Program {
    /// Its name.
    pub name: String,
    pub pages: Vec<Page>,
    /// Pages that a user goes to when it is created.
    pub once: Vec<usize>,
    pub steps: Steps,
    /// What a user does after a page that failed.
    pub on_failure: OnFailure,
    pub tables: Vec<Rows>,
    pub secrets: Vec<String>,
    pub variables: Vec<String>,
    /// Paths of all resources, each once.
    pub resources: Vec<Template>,
    /// Head of a resource's request, behind the path and the server's name.
    pub resource_headers: Template,
    /// How answers to resources are read.
    pub resource_reading: Reading,
    /// Most redirects of a resource in a row.
    pub redirects: u8,
    pub browser: Browser,
    /// Connections that stay while a user thinks.
    pub keep: usize,
    /// How long a kept connection rests before the user closes it; `None` for as long as the server keeps it.
    pub idle_close_ns: Option<u64>,
    /// Longest time to an answer.
    pub limit: Duration,
    /// Names of operations: pages, then requests and the resources of pages.
    pub operations: Vec<String>,
}

impl Program {
    /// Compiles and checks a scenario for so many users; an error says where in it.
    pub fn new(scenario: &Scenario, users: u32) -> Result<Self, JobError> {
        check_bounds(scenario)?;
        let places = places(
            scenario.page.iter().map(|page| page.name.as_str()),
            |page| format!("scenario.page[{page}].name"),
        )?;
        let tables = Rows::all(scenario, users)?;
        let names = names(scenario, &tables);
        let mut common = Common::new(scenario)?;
        let mut pages = Vec::new();
        for (index, page) in scenario.page.iter().enumerate() {
            let path = format!("scenario.page[{index}]");
            pages.push(Page::new(page, scenario, &names, &mut common, &path)?);
        }
        let steps = Steps::new(&scenario.session, &places)?;
        let once = scenario.once.iter().enumerate().map(|(index, once)| {
            steps::page(&places, &once.page, &format!("scenario.once[{index}].page"))
        });
        let once = once.collect::<Result<_, _>>()?;
        Ways {
            scenario,
            pages: &pages,
            places: &places,
            variables: &names.variables,
            used: BTreeSet::new(),
        }
        .check()?;
        let resource_headers =
            request::headers(&BTreeMap::new(), scenario, &names, "scenario.defaults")?;
        Ok(Self {
            name: scenario.name.clone(),
            pages,
            once,
            steps,
            on_failure: scenario.session.on_failure,
            tables,
            secrets: Vec::new(),
            variables: names.variables,
            resources: in_place(common.resources),
            resource_headers,
            resource_reading: Reading::new(None, request::MOST_BODY_BYTES).keeping(0),
            redirects: scenario.defaults.redirects,
            keep: scenario.browser.keep.of(scenario.browser.connections),
            idle_close_ns: scenario.browser.idle_close.map(nanoseconds),
            browser: scenario.browser.clone(),
            limit: Duration::from_secs_f64(scenario.defaults.timeout.0),
            operations: common.operations,
        })
    }

    /// Most connections that a user has at once, where each takes one request at a time.
    pub fn connections_at_once(&self) -> usize {
        let widths = self
            .pages
            .iter()
            .map(|page| page.width.max(page.resources.len()));
        let widest = widths.max().unwrap_or(1);
        widest.min(self.browser.connections.into())
    }

    /// Reads the secrets that the scenario names, where the load runs.
    pub fn read_secrets(&mut self, scenario: &Scenario) -> Result<(), JobError> {
        let read = scenario
            .secrets
            .iter()
            .map(|(name, place)| secret::read(place, &format!("scenario.secrets.{name}")));
        self.secrets = read.collect::<Result<_, _>>()?;
        Ok(())
    }
}

fn check_bounds(scenario: &Scenario) -> Result<(), JobError> {
    request::check_limit(scenario.defaults.timeout, "scenario.defaults.timeout")?;
    let browser = &scenario.browser;
    if !(1..=32).contains(&browser.connections) {
        return Err(JobError::at("scenario.browser.connections", "out of range")
            .hint("use 1 to 32 (browsers use 6)"));
    }
    if let Some(idle_close) = browser.idle_close
        && !(LEAST_IDLE_S..=MOST_IDLE_S).contains(&idle_close.0)
    {
        return Err(JobError::at("scenario.browser.idle_close", "out of range")
            .hint(format!("use {LEAST_IDLE_S} to {MOST_IDLE_S} seconds")));
    }
    Ok(())
}

fn nanoseconds(time: Seconds) -> u64 {
    u64::try_from(Duration::from_secs_f64(time.0).as_nanos()).unwrap_or(u64::MAX)
}

/// Paths as texts, by their places.
fn in_place(resources: BTreeMap<String, usize>) -> Vec<Template> {
    let mut texts: Vec<_> = resources.into_iter().collect();
    texts.sort_unstable_by_key(|(_, place)| *place);
    texts
        .into_iter()
        .map(|(path, _)| Template::text(path))
        .collect()
}

fn names(scenario: &Scenario, tables: &[Rows]) -> Names {
    let extracted = scenario
        .page
        .iter()
        .flat_map(|page| &page.request)
        .flat_map(|request| request.extract.keys());
    let variables: BTreeSet<_> = extracted.cloned().collect();
    Names {
        variables: variables.into_iter().collect(),
        tables: scenario
            .data
            .keys()
            .cloned()
            .zip(tables.iter().map(|rows| rows.table.columns.clone()))
            .collect(),
        secrets: scenario.secrets.keys().cloned().collect(),
    }
}
