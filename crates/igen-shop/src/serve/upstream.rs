//! The tier behind, over its Unix socket: connections are kept, and bounded in number.

use std::cell::RefCell;
use std::path::PathBuf;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body as Stream, Frame, Incoming, SizeHint};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{HOST, HeaderValue};
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::UnixStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_local;
use tokio::time::timeout;

/// Connections at the same time; further requests wait for one of them.
const MOST_CONNECTIONS: usize = 256;
/// How long an idle connection is used again: much shorter than a server keeps it open, because one that it
/// closes in the very moment of a request would be a failure.
const KEPT_FOR: Duration = Duration::from_secs(15);
/// Longest answer that is taken as a whole.
const ANSWER_BYTES: usize = 4 << 20;

type Outgoing = Request<Full<Bytes>>;
type Sender = SendRequest<Full<Bytes>>;

/// A server behind this one.
pub struct Upstream {
    socket: PathBuf,
    within: Duration,
    /// Since when they are idle; the last one was used last.
    idle: RefCell<Vec<(Instant, Sender)>>,
    places: Arc<Semaphore>,
}

/// Why there is no answer.
pub enum Fault {
    /// It was not reached: the request is unsent, and another server may be asked.
    NotReached(Box<Outgoing>),
    /// It went away before it answered.
    Failed,
    /// It did not answer in time.
    TooLate,
}

impl Upstream {
    /// The server at a socket, which has to answer `within` a time. It need not run yet.
    pub fn new(socket: PathBuf, within: Duration) -> Self {
        Self {
            socket,
            within,
            idle: RefCell::default(),
            places: Arc::new(Semaphore::new(MOST_CONNECTIONS)),
        }
    }

    /// Its answer, as soon as the head is there.
    pub async fn send(self: &Rc<Self>, request: Outgoing) -> Result<Response<Passed>, Fault> {
        timeout(self.within, self.sent(request))
            .await
            .unwrap_or(Err(Fault::TooLate))
    }

    /// Its whole answer to a request of our own; `body` makes it a POST.
    pub async fn ask(
        self: &Rc<Self>,
        path: &str,
        body: Option<Bytes>,
    ) -> Result<(StatusCode, Bytes), Fault> {
        let mut request = Request::new(Full::new(body.clone().unwrap_or_default()));
        if body.is_some() {
            *request.method_mut() = hyper::Method::POST;
        }
        *request.uri_mut() = Uri::try_from(path).map_err(|_| Fault::Failed)?;
        request
            .headers_mut()
            .insert(HOST, HeaderValue::from_static("localhost"));
        let (head, body) = self.send(request).await?.into_parts();
        let collected = timeout(self.within, Limited::new(body, ANSWER_BYTES).collect()).await;
        let body = collected.map_err(|_| Fault::TooLate)?;
        Ok((head.status, body.map_err(|_| Fault::Failed)?.to_bytes()))
    }

    async fn sent(self: &Rc<Self>, mut request: Outgoing) -> Result<Response<Passed>, Fault> {
        let place = Arc::clone(&self.places)
            .acquire_owned()
            .await
            .map_err(|_| Fault::Failed)?;
        loop {
            let kept = self.kept().await;
            let is_fresh = kept.is_none();
            let mut connection = match kept {
                Some(connection) => connection,
                None => match self.connect().await {
                    Some(connection) => connection,
                    None => return Err(Fault::NotReached(Box::new(request))),
                },
            };
            match connection.try_send_request(request).await {
                Ok(response) => {
                    let held = Held {
                        connection,
                        upstream: Rc::clone(self),
                        _place: place,
                    };
                    return Ok(response.map(|body| Passed {
                        body,
                        ended: false,
                        held: Some(held),
                    }));
                }
                Err(mut error) => match error.take_message() {
                    Some(unsent) if is_fresh => return Err(Fault::NotReached(Box::new(unsent))),
                    // The server had closed the kept connection.
                    Some(unsent) => request = unsent,
                    None => return Err(Fault::Failed),
                },
            }
        }
    }

    /// A connection that was kept and still stands.
    async fn kept(&self) -> Option<Sender> {
        loop {
            let (since, mut connection) = self.idle.borrow_mut().pop()?;
            if since.elapsed() < KEPT_FOR && connection.ready().await.is_ok() {
                return Some(connection);
            }
        }
    }

    async fn connect(&self) -> Option<Sender> {
        let stream = UnixStream::connect(&self.socket).await.ok()?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await.ok()?;
        // How it ends is told to whoever waits for an answer.
        spawn_local(async move { drop(connection.await) });
        Some(sender)
    }
}

/// A connection while its answer is passed on.
struct Held {
    connection: Sender,
    upstream: Rc<Upstream>,
    _place: OwnedSemaphorePermit,
}

/// The body of an answer, as it comes. At its end the connection is kept for the next request.
pub struct Passed {
    body: Incoming,
    ended: bool,
    held: Option<Held>,
}

impl Stream for Passed {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let this = self.get_mut();
        let frame = ready!(Pin::new(&mut this.body).poll_frame(context));
        this.ended = frame.is_none();
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Passed {
    fn drop(&mut self) {
        // Where the client left before the end the connection is of no use any more.
        if let Some(held) = self.held.take()
            && (self.ended || self.body.is_end_stream())
        {
            let idle = (Instant::now(), held.connection);
            held.upstream.idle.borrow_mut().push(idle);
        }
    }
}
