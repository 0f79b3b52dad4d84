//! The connection that all requests of a user share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use igen_job::Reason;
use igen_net::{Stream, Traffic};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection::Connection;
use crate::error::Error;

/// Most requests of a user under way at once: as many as browsers begin with, before they know the server's limit.
const MOST_STREAMS: usize = 100;

/// The connection that all requests of a user share, when there is one.
pub(crate) struct Shared {
    connection: RefCell<Option<Rc<Connection>>>,
    /// What has gone over this one and those before.
    pub(crate) traffic: Rc<Traffic>,
    /// Which version of HTTP the last connection was found to have; `None` before the first one.
    is_http2: Cell<Option<bool>>,
    /// Who has it makes the connection for all.
    turn: Arc<Semaphore>,
    /// How many attempts to make one have failed, and why the last of them did.
    failed_attempts: Cell<u32>,
    reason: RefCell<Option<Reason>>,
}

impl Shared {
    /// No connection yet, which will be of HTTP/2 if that is `known`.
    pub(crate) fn new(known: bool) -> Rc<Self> {
        Rc::new(Self {
            connection: RefCell::new(None),
            traffic: Rc::default(),
            is_http2: Cell::new(known.then_some(true)),
            turn: Arc::new(Semaphore::new(1)),
            failed_attempts: Cell::default(),
            reason: RefCell::new(None),
        })
    }

    /// Goes on over `stream`, with the server of that name.
    pub(crate) async fn open(&self, stream: Stream, authority: &str) -> Result<(), Error> {
        let connection = Connection::open(stream, authority, &self.traffic).await?;
        self.connection.replace(Some(Rc::new(connection)));
        self.is_http2.set(Some(true));
        Ok(())
    }

    /// A connection was found to be of HTTP/1.1, which nobody shares.
    pub(crate) fn is_http1(&self) {
        self.is_http2.set(Some(false));
    }

    /// Waits until nobody else makes a connection; `None` where each may make its own. An attempt that fails
    /// meanwhile answers for all who wait: after a server that stalls they would wait one after another.
    pub(crate) async fn turn(&self) -> Result<Option<OwnedSemaphorePermit>, Reason> {
        if self.is_http2.get() == Some(false) {
            return Ok(None);
        }
        let failed_before = self.failed_attempts.get();
        let turn = Arc::clone(&self.turn).acquire_owned().await.ok();
        if self.failed_attempts.get() != failed_before
            && self.connection().is_none()
            && let Some(reason) = self.reason.borrow().clone()
        {
            return Err(reason);
        }
        Ok(turn)
    }

    /// An attempt to make a connection has failed.
    pub(crate) fn attempt_failed(&self, reason: Reason) {
        self.failed_attempts
            .update(|attempts| attempts.wrapping_add(1));
        self.reason.replace(Some(reason));
    }

    /// The connection, if it takes another request.
    pub(crate) fn connection(&self) -> Option<Rc<Connection>> {
        let connection = self.connection.borrow().clone()?;
        // Who waits for an answer has a third reference.
        let idle = Rc::strong_count(&connection) == 2;
        if !connection.takes_requests(idle) {
            self.forget(&connection);
            return None;
        }
        Some(connection)
    }

    /// Nobody asks over this connection any more; what is under way goes on.
    pub(crate) fn forget(&self, connection: &Rc<Connection>) {
        let mut own = self.connection.borrow_mut();
        if own.as_ref().is_some_and(|own| Rc::ptr_eq(own, connection)) {
            *own = None;
        }
    }

    /// Closes the connection.
    pub(crate) fn close(&self) {
        self.connection.replace(None);
    }

    /// How many requests may be under way at once; `None` where a connection takes one after another.
    pub(crate) fn streams(&self) -> Option<usize> {
        if self.is_http2.get() != Some(true) {
            return None;
        }
        let connection = self.connection.borrow();
        let most = connection
            .as_ref()
            .map_or(MOST_STREAMS, |connection| connection.most_streams());
        Some(most.clamp(1, MOST_STREAMS))
    }
}
