//! What a connection of HTTP/2 does: whether it answers, sends, or rests, and since when.

use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use hyper::Response;
use hyper::body::{Body as Stream, Frame, SizeHint};
use tokio::time::Instant;

use super::body::Body;
use super::limits::Limits;

/// What a connection does.
pub struct Rest {
    /// Requests whose answers have not begun.
    asked: Cell<usize>,
    /// Bodies, and pieces of them, that are not sent.
    unsent: Cell<usize>,
    /// When it last did something.
    since: Cell<Instant>,
}

impl Rest {
    pub fn begin() -> Rc<Self> {
        Rc::new(Self {
            asked: Cell::default(),
            unsent: Cell::default(),
            since: Cell::new(Instant::now()),
        })
    }

    /// It has done something.
    pub fn interrupt(&self) {
        self.since.set(Instant::now());
    }

    /// Returns true if answers wait for the client to take them.
    pub fn sends(&self) -> bool {
        self.unsent.get() > 0
    }

    /// When it is to end if it does nothing more: its client takes nothing, or asks nothing. Whoever answers has
    /// bounds of its own.
    pub fn ends(&self, limits: &Limits) -> Instant {
        let since = if self.asked.get() > 0 {
            Instant::now()
        } else {
            self.since.get()
        };
        let most = if self.sends() {
            limits.transfer
        } else {
            limits.idle
        };
        since + most
    }
}

/// A request, until its answer begins or its client gives it up.
pub struct Asked(Rc<Rest>);

impl Asked {
    pub fn begin(rest: &Rc<Rest>) -> Self {
        rest.asked.update(|requests| requests + 1);
        Self(Rc::clone(rest))
    }

    /// The answer begins: it is under way until its last byte is sent.
    pub fn answered(self, response: Response<Body>) -> Response<Sending> {
        response.map(|body| Sending {
            body,
            unsent: Unsent::begin(&self.0),
        })
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.asked.update(|requests| requests - 1);
        self.0.interrupt();
    }
}

/// Something to send, until it is sent or nobody wants it any more.
struct Unsent(Rc<Rest>);

impl Unsent {
    fn begin(rest: &Rc<Rest>) -> Self {
        rest.unsent.update(|unsent| unsent + 1);
        Self(Rc::clone(rest))
    }
}

impl Drop for Unsent {
    fn drop(&mut self) {
        self.0.unsent.update(|unsent| unsent - 1);
        self.0.interrupt();
    }
}

/// The body of an answer under way.
pub struct Sending {
    body: Body,
    unsent: Unsent,
}

impl Stream for Sending {
    type Data = Piece;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Piece>, hyper::Error>>> {
        let this = self.get_mut();
        let frame = ready!(Pin::new(&mut this.body).poll_frame(context));
        let piece = |bytes| Piece {
            bytes,
            unsent: Unsent::begin(&this.unsent.0),
        };
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.map_data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A piece of a body. Who sends it is done with the body long before a slow client has taken the piece.
pub struct Piece {
    bytes: Bytes,
    unsent: Unsent,
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, sent: usize) {
        self.bytes.advance(sent);
        self.unsent.0.interrupt();
    }
}
