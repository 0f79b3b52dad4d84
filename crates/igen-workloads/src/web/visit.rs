//! A visit of a page: what its requests and resources share, of which several may be under way at once.

use igen_engine::Reason;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use super::cache::Cache;
use super::cookies::Cookies;
use super::fetch::Lane;
use super::meter::Meter;
use super::program::Program;
use super::render::Values;
use super::server::Server;

/// What the connections of a user share while it visits a page.
pub struct Visit<'a, 'm> {
    pub program: &'a Program,
    pub server: &'a Server,
    pub meter: &'a Meter<'m>,
    pub values: RefCell<&'a mut Values>,
    pub cookies: RefCell<&'a mut Cookies>,
    pub cache: RefCell<&'a mut Cache>,
    /// Memory for bodies that were compressed.
    pub inflated: RefCell<&'a mut Vec<u8>>,
    /// The present, as of the begin of the page.
    pub now_ns: u64,
}

/// What connections that work at once share: how much is done, and why the first one failed that did.
#[derive(Default)]
pub struct Together {
    done: Cell<u32>,
    fault: RefCell<Option<Reason>>,
}

impl Together {
    /// Something has ended, so that others may go on.
    pub fn ends(&self, done: Result<(), Reason>) {
        self.done.set(self.done.get().wrapping_add(1));
        if let Err(reason) = done {
            self.fault.borrow_mut().get_or_insert(reason);
        }
    }

    /// Returns true if something has failed, so that nothing more begins.
    pub fn has_failed(&self) -> bool {
        self.fault.borrow().is_some()
    }

    /// Lets each of these connections `work` until all of that has ended. Work may wait for what another one does.
    pub async fn work<'l, F: Future<Output = ()>>(
        &self,
        lanes: &'l mut [Lane],
        work: impl FnMut(&'l mut Lane) -> F,
    ) {
        // A box for each connection: the only memory that a page takes each time.
        let mut under_way: Vec<Pin<Box<F>>> = lanes.iter_mut().map(work).map(Box::pin).collect();
        poll_fn(|context| {
            loop {
                let before = self.done.get();
                under_way.retain_mut(|lane| lane.as_mut().poll(context).is_pending());
                if under_way.is_empty() {
                    return Poll::Ready(());
                }
                if self.done.get() == before {
                    return Poll::Pending;
                }
            }
        })
        .await;
    }

    /// Returns true if all went well.
    pub fn outcome(self) -> Result<(), Reason> {
        self.fault.into_inner().map_or(Ok(()), Err)
    }
}
