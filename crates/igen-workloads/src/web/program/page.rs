//! A page of a program.

use std::collections::{BTreeMap, BTreeSet};

use igen_job::{JobError, ThinkTime};

use super::order::Order;
use super::request::{Request, check_path};
use super::template::Names;
use crate::web::scenario::{self, Scenario};

/// Most operations: each has statistics of its own.
const MOST_OPERATIONS: usize = 256;

/// A page.
pub struct Page {
    pub name: String,
    pub requests: Vec<Request>,
    pub order: Order,
    /// Maximum number of requests at the same time.
    pub width: usize,
    /// Places in the program's resources.
    pub resources: Vec<usize>,
    /// The operation that its resources are.
    pub resources_operation: usize,
    /// Tables that it takes rows from.
    pub tables: Vec<usize>,
    /// Think time before the next page, unless the load has one.
    pub think: Option<ThinkTime>,
}

/// Data that all pages share.
#[derive(Default)]
pub struct Common {
    /// Names of operations: pages, then requests and the resources of pages.
    pub operations: Vec<String>,
    /// Paths of all resources, each once.
    pub resources: BTreeMap<String, usize>,
}

impl Common {
    /// The operations that pages are themselves.
    pub fn new(scenario: &Scenario) -> Result<Self, JobError> {
        let mut common = Self::default();
        for page in &scenario.page {
            common.operation(page.name.clone())?;
        }
        Ok(common)
    }

    /// Adds an operation and returns its place.
    fn operation(&mut self, name: String) -> Result<usize, JobError> {
        if self.operations.len() == MOST_OPERATIONS {
            let text = format!("more than {MOST_OPERATIONS} pages and requests");
            return Err(
                JobError::at("scenario.page", text).hint("use fewer: each has its own statistics")
            );
        }
        self.operations.push(name);
        Ok(self.operations.len() - 1)
    }
}

impl Page {
    /// Reads the scenario at `path`.
    pub fn new(
        page: &scenario::Page,
        scenario: &Scenario,
        names: &Names,
        common: &mut Common,
        path: &str,
    ) -> Result<Self, JobError> {
        if page.request.is_empty() {
            return Err(JobError::at(path, "a page needs at least one request"));
        }
        if let Some(think) = &page.think {
            think.check(&format!("{path}.think"))?;
        }
        let mut requests: Vec<Request> = Vec::new();
        for (index, request) in page.request.iter().enumerate() {
            let path = format!("{path}.request[{index}]");
            let mut compiled = Request::new(request, scenario, names, &path)?;
            let name = format!("{}: {}", page.name, compiled.name);
            if common.operations.contains(&name) {
                let text = format!(
                    "two requests of this page have the name `{}`",
                    compiled.name
                );
                return Err(JobError::at(path, text).hint("give each request its own name"));
            }
            compiled.operation = common.operation(name)?;
            requests.push(compiled);
        }
        let mut resources = Vec::new();
        let mut own = BTreeSet::new();
        for (index, resource) in page.resource.iter().enumerate() {
            let path = format!("{path}.resource[{index}].get");
            check_path(&resource.get, &path)?;
            let next = common.resources.len();
            let known = common.resources.entry(resource.get.clone());
            let place = *known.or_insert(next);
            if !own.insert(place) {
                let text = format!("`{}` is listed twice", resource.get);
                return Err(JobError::at(path, text));
            }
            resources.push(place);
        }
        let resources_operation = if resources.is_empty() {
            0
        } else {
            common.operation(format!("{}: resources", page.name))?
        };
        let own: Vec<_> = requests.iter().map(|it| it.name.clone()).collect();
        let order = Order::new(&page.request, &own, path)?;
        let tables: BTreeSet<_> = requests.iter().flat_map(Request::tables).collect();
        let page = Self {
            name: page.name.clone(),
            width: order.width(),
            order,
            requests,
            resources,
            resources_operation,
            tables: tables.into_iter().collect(),
            think: page.think,
        };
        page.check_together(names, path)?;
        Ok(page)
    }

    /// Requests that go out together neither need nor set what another one of them sets: who is first is chance.
    fn check_together(&self, names: &Names, path: &str) -> Result<(), JobError> {
        for (index, request) in self.requests.iter().enumerate() {
            let parallel = (0..self.requests.len())
                .filter(|other| self.width > 1 && self.order.are_parallel(index, *other));
            for other in parallel {
                let other = &self.requests[other];
                let uses = request.uses.iter();
                let needed = uses.map(|(slot, at)| (*slot, at.clone(), "needs"));
                let set = request.sets().map(|slot| {
                    let name = &names.variables[slot];
                    let at = format!("{path}.request[{index}].extract.{name}");
                    (slot, at, "sets")
                });
                let both = needed
                    .chain(set)
                    .find(|(slot, ..)| other.sets().any(|it| it == *slot));
                if let Some((slot, at, does)) = both {
                    let (name, other) = (&names.variables[slot], &other.name);
                    let text = format!(
                        "the request {does} {{{name}}}, but `{other}` sets it and may run at the same time"
                    );
                    return Err(JobError::at(at, text)
                        .hint("order the two requests with `after`, or use two names"));
                }
            }
        }
        Ok(())
    }
}
