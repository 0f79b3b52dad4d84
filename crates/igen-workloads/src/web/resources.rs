//! What a page embeds: asked for over several connections at once, unless the user has it already.

use igen_engine::Reason;
use std::cell::Cell;

use super::ask::{Asked, Resource};
use super::cache::Need;
use super::fetch::{Lane, header};
use super::meter::{FROM_CACHE, NOT_MODIFIED};
use super::program::Page;
use super::visit::{Together, Visit};

/// Resources that are to be asked for.
struct Wanted<'a> {
    resources: &'a [(usize, Need)],
    /// Place of the next one.
    next: Cell<usize>,
    operation: usize,
    /// Since when they wait for a connection.
    ready_ns: u64,
}

impl Visit<'_, '_> {
    /// Which resources of a page are to be asked for, because the user has not got them yet.
    pub(super) fn want(&self, page: &Page, wanted: &mut Vec<(usize, Need)>) {
        let now_s = seconds(self.now_ns);
        wanted.clear();
        for resource in &page.resources {
            let need = if self.program.browser.cache {
                self.cache.borrow().need(*resource, now_s)
            } else {
                Need::AskAnew
            };
            if need == Need::Nothing {
                self.meter.count(FROM_CACHE, 1);
            } else {
                wanted.push((*resource, need));
            }
        }
    }

    /// Asks for resources over these connections; the first failure ends it, when what is under way has been
    /// answered.
    pub(super) async fn resources(
        &self,
        lanes: &mut [Lane],
        resources: &[(usize, Need)],
        operation: usize,
    ) -> Result<(), Reason> {
        let wanted = Wanted {
            resources,
            next: Cell::new(0),
            operation,
            ready_ns: self.meter.now_ns(),
        };
        let together = Together::default();
        let (wanted, each) = (&wanted, &together);
        together
            .work(lanes, |lane| self.ask_for(lane, wanted, each))
            .await;
        together.outcome()
    }

    /// Asks for one resource after another.
    async fn ask_for(&self, lane: &mut Lane, wanted: &Wanted<'_>, together: &Together) {
        let mut is_first = true;
        while let Some((resource, need)) = wanted.resources.get(wanted.next.get()).copied() {
            if together.has_failed() {
                return;
            }
            wanted.next.set(wanted.next.get() + 1);
            if !std::mem::take(&mut is_first) {
                self.meter.waited_since(wanted.ready_ns);
            }
            let etag = self.server.etags[resource].get();
            let resource = Resource {
                place: resource,
                operation: wanted.operation,
                etag: etag.filter(|_| need == Need::Ask).map(|etag| &**etag),
            };
            together.ends(self.ask(lane, Asked::Resource(&resource)).await);
        }
    }

    /// Keeps a resource that has come, as long as the user may. One that was redirected for now alone is asked for
    /// anew each time, since it may be elsewhere then.
    pub(super) fn keep(
        &self,
        lane: &Lane,
        resource: &Resource<'_>,
        status: u16,
        is_permanent: bool,
    ) -> Result<(), Reason> {
        let Resource { place, etag, .. } = *resource;
        let head = lane.client.head();
        let own_etag = header(head, "etag").next();
        if let Some(own_etag) = own_etag {
            // The first one stands: where a resource changes under load, each answer is a whole one from then on.
            let _ = self.server.etags[place].set(own_etag.into());
        }
        match status {
            304 if etag.is_some() => self.meter.count(NOT_MODIFIED, 1),
            200..=299 => (),
            status => {
                return Err(Reason::wrong(format!(
                    "status {status} of {}",
                    self.name(place)
                )));
            }
        }
        if is_permanent {
            let cache_control = header(head, "cache-control").next();
            let has_etag = own_etag.is_some() || etag.is_some();
            self.cache
                .borrow_mut()
                .keep(place, cache_control, has_etag, seconds(self.now_ns));
        }
        Ok(())
    }

    /// Its path, for failures.
    #[cold]
    fn name(&self, resource: usize) -> String {
        let texts: Vec<u8> = self.program.resources[resource]
            .texts()
            .flatten()
            .copied()
            .collect();
        String::from_utf8_lossy(&texts).into_owned()
    }
}

fn seconds(now_ns: u64) -> u32 {
    u32::try_from(now_ns / 1_000_000_000).unwrap_or(u32::MAX)
}
