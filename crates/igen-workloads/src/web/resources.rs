//! What a page embeds: asked for over several connections at once, unless the user has it already.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use super::cache::{Cache, Need};
use super::cookies::Cookies;
use super::fetch::{Lane, Reason, header};
use super::meter::{FROM_CACHE, Meter, NOT_MODIFIED};
use super::page::unset;
use super::program::{Page, Program};
use super::render::Values;
use super::server::Server;
use super::user::WebUser;

/// What the connections of a user share while they ask for the resources of a page.
struct Shared<'a, 'm> {
    program: &'a Program,
    server: &'a Server,
    meter: &'a Meter<'m>,
    operation: usize,
    wanted: &'a [(usize, Need)],
    /// Place of the next one.
    next: Cell<usize>,
    values: RefCell<&'a mut Values>,
    cookies: RefCell<&'a mut Cookies>,
    cache: RefCell<&'a mut Cache>,
    now_ns: u64,
    /// Why the first one failed that did.
    fault: RefCell<Option<Reason>>,
}

impl WebUser {
    /// Asks for the resources of a page; the first failure ends it, when what is under way has been answered.
    pub(super) async fn resources(&mut self, page: &Page, meter: &Meter<'_>) -> Result<(), Reason> {
        let program = Arc::clone(&self.program);
        let now_s = seconds(self.now_ns);
        self.wanted.clear();
        for resource in &page.resources {
            let need = if program.browser.cache {
                self.cache.need(*resource, now_s)
            } else {
                Need::AskAnew
            };
            if need == Need::Nothing {
                meter.count(FROM_CACHE, 1);
            } else {
                self.wanted.push((*resource, need));
            }
        }
        let lanes = self.wanted.len().min(program.browser.connections.into());
        while self.lanes.len() < lanes {
            let sibling = self.lanes[0]
                .client
                .sibling()
                .map_err(|error| error.reason())?;
            self.lanes.push(Lane::new(sibling));
        }
        let shared = Shared {
            program: &program,
            server: &self.server,
            meter,
            operation: page.resources_operation,
            wanted: &self.wanted,
            next: Cell::new(0),
            values: RefCell::new(&mut self.values),
            cookies: RefCell::new(&mut self.cookies),
            cache: RefCell::new(&mut self.cache),
            now_ns: self.now_ns,
            fault: RefCell::new(None),
        };
        // A box for each connection: the only memory that a page takes each time.
        let mut under_way: Vec<Pin<Box<_>>> = self.lanes[..lanes]
            .iter_mut()
            .map(|lane| Box::pin(shared.work(lane)))
            .collect();
        poll_fn(|context| {
            under_way.retain_mut(|lane| lane.as_mut().poll(context).is_pending());
            if under_way.is_empty() {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
        drop(under_way);
        shared.fault.into_inner().map_or(Ok(()), Err)
    }
}

impl Shared<'_, '_> {
    /// Asks for one resource after another.
    async fn work(&self, lane: &mut Lane) {
        while let Some((resource, need)) = self.wanted.get(self.next.get()).copied() {
            self.next.set(self.next.get() + 1);
            if let Err(reason) = self.ask(lane, resource, need).await {
                self.fault.borrow_mut().get_or_insert(reason);
                self.next.set(self.wanted.len());
            }
        }
    }

    async fn ask(&self, lane: &mut Lane, resource: usize, need: Need) -> Result<(), Reason> {
        let asks_again = self.put_together(lane, resource, need)?;
        let fetched = lane.fetch(&self.program.resource_reading, self.meter).await;
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
            self.meter.record(self.operation, began_ns, done.is_ok());
        }
        done
    }

    /// Writes the request; whether it asks only for what has changed.
    fn put_together(&self, lane: &mut Lane, resource: usize, need: Need) -> Result<bool, Reason> {
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
