//! Is each variable set before it is used, whichever way a user takes? And is each page used?

use std::collections::{BTreeMap, BTreeSet};

use igen_job::JobError;

use super::page::Page;
use super::request::Request;
use crate::web::scenario::{Scenario, Step};

/// Variables that are set.
type Set = BTreeSet<usize>;

/// Follows all ways through the scenario.
pub struct Ways<'a> {
    pub scenario: &'a Scenario,
    pub pages: &'a [Page],
    pub places: &'a BTreeMap<&'a str, usize>,
    pub variables: &'a [String],
    /// Pages that some way goes to.
    pub used: BTreeSet<usize>,
}

impl Ways<'_> {
    /// Checks them all.
    pub fn check(mut self) -> Result<(), JobError> {
        let mut set = Set::new();
        for (index, once) in self.scenario.once.iter().enumerate() {
            self.page(&once.page, &mut set, &format!("scenario.once[{index}]"))?;
        }
        self.steps(
            &self.scenario.session.steps,
            &mut set,
            "scenario.session.steps",
        )?;
        let unused = (0..self.pages.len()).find(|page| !self.used.contains(page));
        match unused {
            None => Ok(()),
            Some(page) => {
                let text = format!("no step uses the page `{}`", self.pages[page].name);
                Err(JobError::at(format!("scenario.page[{page}]"), text)
                    .hint("remove it, or use it in session.steps or once"))
            }
        }
    }

    fn steps(&mut self, steps: &[Step], set: &mut Set, path: &str) -> Result<(), JobError> {
        for (index, step) in steps.iter().enumerate() {
            let path = format!("{path}[{index}]");
            if let Some(name) = &step.page {
                self.page(name, set, &path)?;
            }
            if let Some(times) = &step.times {
                let mut inside = set.clone();
                self.steps(&step.steps, &mut inside, &format!("{path}.steps"))?;
                if !times
                    .iter()
                    .any(|(times, weight)| *weight > 0 && times.parse() == Ok(0))
                {
                    *set = inside;
                }
            }
            if let Some(ways) = &step.choose {
                let mut all: Option<Set> = None;
                for (index, way) in ways.iter().enumerate() {
                    let mut inside = set.clone();
                    self.steps(
                        &way.steps,
                        &mut inside,
                        &format!("{path}.choose[{index}].steps"),
                    )?;
                    if way.weight > 0 {
                        all = Some(all.map_or(inside.clone(), |all| &all & &inside));
                    }
                }
                *set = all.unwrap_or_default();
            }
        }
        Ok(())
    }

    fn page(&mut self, name: &str, set: &mut Set, way: &str) -> Result<(), JobError> {
        let Some(place) = self.places.get(name) else {
            return Ok(());
        };
        self.used.insert(*place);
        let page = &self.pages[*place];
        for (index, request) in page.requests.iter().enumerate() {
            let before = page.order.before(index);
            let mut own: Set = before.flat_map(|it| page.requests[it].sets()).collect();
            own.extend(&*set);
            for (slot, path) in &request.uses {
                if !own.contains(slot) {
                    let variable = &self.variables[*slot];
                    return Err(JobError::at(
                        path,
                        format!("{{{variable}}} is not set on the path {way}"),
                    )
                    .hint("extract it in an earlier request, on every path to this page"));
                }
            }
        }
        set.extend(page.requests.iter().flat_map(Request::sets));
        Ok(())
    }
}
