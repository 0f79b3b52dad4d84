//! A connection, as long as it lives.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use h2::client::{Builder, SendRequest};
use h2::{Ping, PingPong};
use http::uri::{Authority, Scheme};
use igen_job::fact::Declared;
use igen_job::facts;
use igen_net::{Stream, Traffic, Transport};

use super::fault::error;
use crate::error::Error;

/// What the server may send of an answer, and of all answers together, before somebody has read it.
const STREAM_WINDOW_BYTES: u32 = 64 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 1024 * 1024;
/// Memory of the compression of heads, each way.
const TABLE_BYTES: u32 = 4 * 1024;
/// Longest head of an answer.
const MOST_HEAD_BYTES: u32 = 64 * 1024;

/// A connection, as long as it lives.
pub(crate) struct Connection {
    /// Frames come and go as long as somebody drives it.
    frames: RefCell<h2::client::Connection<Transport, Bytes>>,
    pings: RefCell<Option<PingPong>>,
    pub(super) sender: RefCell<SendRequest<Bytes>>,
    /// Nothing comes any more.
    is_over: Cell<bool>,
    pub(super) scheme: Scheme,
    pub(super) authority: Authority,
    /// What has gone over it.
    pub(super) traffic: Rc<Traffic>,
    /// How the server is reached: facts of its kind, and values.
    pub(crate) facts: Vec<(&'static Declared, String)>,
}

impl Connection {
    /// Speaks HTTP/2 over `stream`, with the server of that name.
    pub(crate) async fn open(
        stream: Stream,
        authority: &str,
        traffic: &Rc<Traffic>,
    ) -> Result<Self, Error> {
        let authority = Authority::try_from(authority)
            .map_err(|_| Error::Protocol("the host name is not valid in HTTP/2"))?;
        let is_tls = stream.protocol().is_some();
        let mut found: Vec<_> = stream.facts().into();
        // It never shares system calls.
        found.retain(|(fact, _)| **fact != facts::TARGET_CLIENT_IO);
        found.push((&facts::TARGET_CLIENT_IO, "epoll".to_owned()));
        let transport = stream.into_transport(Rc::clone(traffic))?;
        let (sender, mut frames) = Builder::new()
            .initial_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .header_table_size(TABLE_BYTES)
            .max_header_list_size(MOST_HEAD_BYTES)
            .enable_push(false)
            .handshake(transport)
            .await
            .map_err(|fault| error(fault, false))?;
        Ok(Self {
            pings: RefCell::new(frames.ping_pong()),
            frames: RefCell::new(frames),
            sender: RefCell::new(sender),
            is_over: Cell::new(false),
            scheme: if is_tls { Scheme::HTTPS } else { Scheme::HTTP },
            authority,
            traffic: Rc::clone(traffic),
            facts: found,
        })
    }

    /// Lets frames come and go, as many as there are.
    pub(super) fn drive(&self, context: &mut Context<'_>) {
        if !self.is_over.get() {
            let mut frames = self.frames.borrow_mut();
            // Why it has ended each stream is told.
            if Pin::new(&mut *frames).poll(context).is_ready() {
                self.is_over.set(true);
            }
        }
    }

    /// Returns true if nothing comes any more, so that there is nothing to wait for.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.get()
    }

    /// Whether it takes another request, after what has come while it was `idle`; who waits for an answer drives it
    /// otherwise, and must be the one that is woken.
    pub(crate) fn takes_requests(&self, idle: bool) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        if idle {
            self.drive(&mut context);
        }
        // An error where the server takes no more, also while it goes on with what it has.
        let ready = self.sender.borrow_mut().poll_ready(&mut context);
        !self.is_over() && !matches!(ready, Poll::Ready(Err(_)))
    }

    /// How many requests the server lets be under way at once.
    pub(crate) fn most_streams(&self) -> usize {
        self.sender.borrow().current_max_send_streams()
    }

    /// Waits for a sign of life, by which the server's settings are known too.
    pub(crate) async fn round_trip(&self) -> Result<(), Error> {
        let Some(mut pings) = self.pings.take() else {
            return Ok(());
        };
        pings
            .send_ping(Ping::opaque())
            .map_err(|fault| error(fault, false))?;
        poll_fn(|context| {
            self.drive(context);
            match pings.poll_pong(context) {
                Poll::Ready(pong) => {
                    Poll::Ready(pong.map(|_| ()).map_err(|fault| error(fault, false)))
                }
                Poll::Pending if self.is_over() => Poll::Ready(Err(Error::Closed)),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }
}
