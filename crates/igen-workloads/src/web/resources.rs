//! What a page embeds: asked for over several connections at once, unless the user has it already.

use std::cell::Cell;

use super::cache::Need;
use super::fetch::{Lane, Reason, header};
use super::meter::{FROM_CACHE, NOT_MODIFIED};
use super::page::unset;
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
            together.ends(self.ask(lane, resource, need, wanted.operation).await);
        }
    }

    async fn ask(
        &self,
        lane: &mut Lane,
        resource: usize,
        need: Need,
        operation: usize,
    ) -> Result<(), Reason> {
        let asks_again = self.put_resource_together(lane, resource, need)?;
        let fetched = lane
            .fetch(
                &self.program.resource_reading,
                self.program.limit,
                self.meter,
            )
            .await;
        let done = fetched.answer.and_then(|answer| {
            let head = lane.client.head();
            for cookie in header(head, "set-cookie") {
                let path = self.server.web.site.base().as_bytes();
                self.cookies.borrow_mut().take(cookie, path, self.now_ns);
            }
            let etag = header(head, "etag").next();
            if let Some(etag) = etag {
                // The first one stands: where a resource changes under load, each answer is a whole one from then on.
                let _ = self.server.etags[resource].set(etag.into());
            }
            match answer.status {
                304 if asks_again => self.meter.count(NOT_MODIFIED, 1),
                200..=299 => (),
                status => return Err(format!("status {status} of {}", self.name(resource)).into()),
            }
            let cache_control = header(head, "cache-control").next();
            let has_etag = etag.is_some() || asks_again;
            self.cache
                .borrow_mut()
                .keep(resource, cache_control, has_etag, seconds(self.now_ns));
            Ok(())
        });
        if let Some(began_ns) = fetched.began_ns {
            self.meter.record(operation, began_ns, done.is_ok());
        }
        done
    }

    /// Writes the request; whether it asks only for what has changed.
    fn put_resource_together(
        &self,
        lane: &mut Lane,
        resource: usize,
        need: Need,
    ) -> Result<bool, Reason> {
        let output = lane.request.rewrite("GET");
        output.extend_from_slice(b"GET ");
        let begin = output.len();
        output.extend_from_slice(self.server.web.site.base().as_bytes());
        let mut values = self.values.borrow_mut();
        let fault = |slot| unset(self.program, slot);
        values
            .write(self.program, &self.program.resources[resource], output)
            .map_err(fault)?;
        let end = output.len();
        for piece in [" HTTP/1.1\r\nHost: ", &self.server.authority, "\r\n"] {
            output.extend_from_slice(piece.as_bytes());
        }
        values
            .write(self.program, &self.program.resource_headers, output)
            .map_err(fault)?;
        // Behind the path, which it needs.
        let (path, mut cookies) = (begin..end, Vec::new());
        self.cookies
            .borrow()
            .write(&output[path], self.now_ns, &mut cookies);
        output.extend_from_slice(&cookies);
        let etag = self.server.etags[resource]
            .get()
            .filter(|_| need == Need::Ask);
        if let Some(etag) = etag {
            for piece in [b"If-None-Match: ", &**etag, b"\r\n"] {
                output.extend_from_slice(piece);
            }
        }
        output.extend_from_slice(b"\r\n");
        Ok(etag.is_some())
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
