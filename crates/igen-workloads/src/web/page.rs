//! Is the answer to a request of a page the right one, and what is taken out of it?

use igen_engine::Reason;
use std::borrow::Cow;

use super::body::inflate;
use super::fetch::Lane;
use super::judge::{self, Body};
use super::last_body::{self, Look};
use super::program::Request;
use super::program::extract::Extract;
use super::program::long_body::{self, MOST_VALUE_BYTES};
use super::render::Values;
use super::visit::Visit;

impl Visit<'_, '_> {
    /// Checks the answer that has come, and takes out of it what the scenario asks for.
    pub(super) fn judge_request(
        &self,
        lane: &mut Lane,
        request: &Request,
        status: u16,
    ) -> Result<(), Reason> {
        let long = lane.client.take_long_body();
        let (head, kept) = (lane.client.head(), lane.client.body());
        let mut inflated = self.inflated.borrow_mut();
        let body = if !request.reads_body || !request.checks.takes(status) {
            Body::Whole(b"")
        } else if let Some(found) = long_body::found(long) {
            Body::Long(found?)
        } else if let Some(body) = inflate(head, kept, &mut inflated)? {
            Body::Whole(body)
        } else {
            Body::Long(request.sought.find(head, kept)?)
        };
        judge::check(request, status, head, &body)?;
        if request.extracts.is_empty() {
            return Ok(());
        }
        last_body::look(request, body.begin(), |look| {
            self.extract(request, head, &body, look)
        })
    }

    /// Takes out of an answer what the scenario asks for.
    fn extract(
        &self,
        request: &Request,
        head: &[u8],
        body: &Body<'_>,
        look: &mut Look<'_, '_>,
    ) -> Result<(), Reason> {
        let (cookies, mut values) = (self.cookies.borrow(), self.values.borrow_mut());
        let Values {
            random, variables, ..
        } = &mut **values;
        for (number, (slot, extract)) in request.extracts.iter().enumerate() {
            let value = match body {
                Body::Long(found) if extract.reads_all() => found.value(number).map(Cow::Borrowed),
                _ => judge::extract((number, extract), head, look, &cookies, random),
            };
            let value =
                value.ok_or_else(|| missing(&self.program.variables[*slot], extract, body))?;
            variables.set(*slot, &value);
        }
        Ok(())
    }
}

/// Why there is no value, as far as was looked.
#[cold]
fn missing(name: &str, extract: &Extract, body: &Body<'_>) -> Reason {
    let most_kib = MOST_VALUE_BYTES / 1024;
    let place = match body {
        Body::Long(_) if extract.reads_all() => format!("of up to {most_kib} KiB in the answer"),
        Body::Long(_) if extract.reads_body() => "in the first MiB of the answer".to_owned(),
        Body::Whole(_) | Body::Long(_) => "in the answer".to_owned(),
    };
    Reason::wrong(format!("no {name} {place}"))
}
