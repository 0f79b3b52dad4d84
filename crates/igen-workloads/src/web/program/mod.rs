//! A scenario, compiled once for all users: no text of it is looked at again while they work.

mod alias;
mod csv;
pub mod extract;
mod nearest;
mod page;
mod pointer;
mod request;
mod steps;
mod template;
#[cfg(test)]
mod tests;
mod ways;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use igen_http::Reading;
use igen_job::JobError;

pub use csv::Table;
pub use page::Page;
pub use request::{KEPT_BYTES, Request};
pub use steps::{Position, Steps};
pub use template::{Encoding, Hole, Piece, Template, UNRESERVED};

use self::template::{Names, places};
use self::ways::Ways;
use super::scenario::{Browser, OnFailure, Pick, Scenario};
use crate::secret;

/// Most operations: each has statistics of its own.
const MOST_OPERATIONS: usize = 256;
/// Shortest and longest limit of an answer: it is looked at twice a second.
const LIMITS_S: [f64; 2] = [0.5, 3_600.0];
/// Names that holes have already.
const TAKEN: [&str; 4] = ["random", "user", "now", "secret"];

/// A scenario, ready to be done.
pub struct Program {
    /// Its name.
    pub name: String,
    pub pages: Vec<Page>,
    /// Pages that a user goes to when it is created.
    pub once: Vec<usize>,
    pub steps: Steps,
    /// Whether a user begins anew after a page that failed.
    pub restarts: bool,
    pub tables: Vec<Rows>,
    pub secrets: Vec<String>,
    pub variables: Vec<String>,
    /// Paths of all resources, each once.
    pub resources: Vec<Template>,
    /// Head of a resource's request, behind the path and the server's name.
    pub resource_headers: Template,
    /// How answers to resources are read.
    pub resource_reading: Reading,
    pub browser: Browser,
    /// Longest time to an answer.
    pub limit: Duration,
    /// Names of operations: pages, then requests and the resources of pages.
    pub operations: Vec<String>,
}

/// A table, and who takes which row.
pub struct Rows {
    pub table: Table,
    pub pick: Pick,
    /// The row that is next.
    pub next: AtomicUsize,
}

impl Program {
    /// Compiles and checks a scenario for so many users; an error says where in it.
    pub fn new(scenario: &Scenario, users: u32) -> Result<Self, JobError> {
        check_bounds(scenario)?;
        let places = places(
            scenario.page.iter().map(|page| page.name.as_str()),
            |page| format!("scenario.page[{page}].name"),
        )?;
        let tables = tables(scenario, users)?;
        let names = names(scenario, &tables);
        let mut operations: Vec<_> = scenario.page.iter().map(|page| page.name.clone()).collect();
        let mut resources: Vec<String> = Vec::new();
        let mut pages = Vec::new();
        for (index, page) in scenario.page.iter().enumerate() {
            let path = format!("scenario.page[{index}]");
            if page.request.is_empty() {
                return Err(JobError::at(path, "a page has one request at least"));
            }
            let mut requests: Vec<Request> = Vec::new();
            for (index, request) in page.request.iter().enumerate() {
                let path = format!("{path}.request[{index}]");
                let mut compiled = Request::new(request, scenario, &names, &path)?;
                let name = format!("{}: {}", page.name, compiled.name);
                if operations.contains(&name) {
                    return Err(JobError::at(
                        path,
                        format!("another request of this page is `{}`", compiled.name),
                    )
                    .hint("give each a name of its own"));
                }
                compiled.operation = operations.len();
                operations.push(name);
                requests.push(compiled);
            }
            let mut own = Vec::new();
            for (index, resource) in page.resource.iter().enumerate() {
                let path = format!("{path}.resource[{index}].get");
                request::check_path(&resource.get, &path)?;
                let place = resources
                    .iter()
                    .position(|known| *known == resource.get)
                    .unwrap_or_else(|| {
                        resources.push(resource.get.clone());
                        resources.len() - 1
                    });
                if own.contains(&place) {
                    return Err(JobError::at(
                        path,
                        format!("`{}` is there twice", resource.get),
                    ));
                }
                own.push(place);
            }
            let resources_operation = operations.len();
            if !own.is_empty() {
                operations.push(format!("{}: resources", page.name));
            }
            let tables: BTreeSet<_> = requests.iter().flat_map(Request::tables).collect();
            pages.push(Page {
                name: page.name.clone(),
                requests,
                resources: own,
                resources_operation,
                tables: tables.into_iter().collect(),
            });
        }
        if operations.len() > MOST_OPERATIONS {
            let text = format!("{} pages and requests are too many", operations.len());
            return Err(JobError::at("scenario.page", text).hint(format!(
                "use {MOST_OPERATIONS} at most: each has statistics of its own"
            )));
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
            restarts: scenario.session.on_failure == OnFailure::Restart,
            tables,
            secrets: Vec::new(),
            variables: names.variables,
            resources: resources.into_iter().map(Template::text).collect(),
            resource_headers,
            resource_reading: Reading::new(None, request::MOST_BODY_BYTES).keeping(0),
            browser: scenario.browser.clone(),
            limit: Duration::from_secs_f64(scenario.defaults.timeout.0),
            operations,
        })
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
    let [least_s, most_s] = LIMITS_S;
    if !(least_s..=most_s).contains(&scenario.defaults.timeout.0) {
        return Err(JobError::at("scenario.defaults.timeout", "out of range")
            .hint(format!("use {least_s} to {most_s} seconds")));
    }
    if !(1..=32).contains(&scenario.browser.connections) {
        return Err(JobError::at("scenario.browser.connections", "out of range")
            .hint("use 1 to 32; browsers use 6"));
    }
    Ok(())
}

fn tables(scenario: &Scenario, users: u32) -> Result<Vec<Rows>, JobError> {
    let mut tables = Vec::new();
    for (name, data) in &scenario.data {
        let path = format!("scenario.data.{name}");
        if TAKEN.contains(&name.as_str()) {
            return Err(JobError::at(
                path,
                format!("`{name}` is a name that holes have already"),
            ));
        }
        let Some(text) = &data.text else {
            return Err(JobError::at(path, format!("what is in {} is not here", data.file)).hint(
                "name the scenario by --set scenario=@FILE, so that igen reads its tables; or put the lines into `text`",
            ));
        };
        if text.len() > csv::MOST_BYTES {
            return Err(JobError::at(
                path,
                format!("{} has more than 4 MiB", data.file),
            ));
        }
        let table = Table::read(text)
            .map_err(|text| JobError::at(&path, format!("{}: {text}", data.file)))?;
        if data.pick == Pick::Unique && table.rows() < users as usize {
            let text = format!(
                "{} has {} rows, and there are {users} users",
                data.file,
                table.rows()
            );
            return Err(
                JobError::at(path, text).hint("add rows, use fewer users, or pick = \"random\"")
            );
        }
        tables.push(Rows {
            table,
            pick: data.pick,
            next: AtomicUsize::new(0),
        });
    }
    Ok(tables)
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
