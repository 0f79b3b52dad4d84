//! The requests of one connection, in the version of HTTP that its client speaks.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use hyper::body::{Body as _, Incoming};
use hyper::header::CONTENT_LENGTH;
use hyper::rt::Executor;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::spawn_local;
use tokio::time::{Instant, sleep_until, timeout};

use super::body::Body;
use super::limits::{HEAD_BYTES, Limits};

/// Answers the requests of a connection of HTTP/1.1, one after another.
pub async fn http1<S, A>(stream: S, limits: Limits, answer: impl Fn(Request<Incoming>) -> A)
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
    A: Future<Output = Result<Response<Body>, Infallible>> + 'static,
{
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.idle)
        .max_header_size(HEAD_BYTES)
        .max_buf_size(HEAD_BYTES);
    // What goes wrong with a client is the client's.
    let _ = http
        .serve_connection(TokioIo::new(stream), service_fn(answer))
        .await;
}

/// Answers those of a connection of HTTP/2, several at once, until nothing has been asked for too long.
pub async fn http2<S, A>(stream: S, limits: Limits, answer: impl Fn(Request<Incoming>) -> A)
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
    A: Future<Output = Result<Response<Body>, Infallible>> + 'static,
{
    let rest = Rc::new(Rest::begin());
    let service = service_fn(|request: Request<Incoming>| {
        let is_head = request.method() == Method::HEAD;
        let (answered, under_way) = (answer(request), UnderWay::begin(&rest));
        async move {
            let answered = answered.await;
            drop(under_way);
            answered.map(|response| if is_head { head_of(response) } else { response })
        }
    });
    let mut http = http2::Builder::new(OnThisThread);
    http.timer(TokioTimer::new())
        .max_header_list_size(HEAD_BYTES.try_into().unwrap_or(u32::MAX));
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    loop {
        tokio::select! {
            _ = connection.as_mut() => return,
            () = sleep_until(rest.ends_after(limits.idle)) => {
                if rest.ends_after(limits.idle) <= Instant::now() {
                    break;
                }
            }
        }
    }
    // The client learns that it is to make another one; it may never hear it.
    connection.as_mut().graceful_shutdown();
    let _ = timeout(limits.transfer, connection).await;
}

/// Requests of one connection are tasks of the server's thread.
#[derive(Clone, Copy)]
struct OnThisThread;

impl<F> Executor<F> for OnThisThread
where
    F: Future + 'static,
    F::Output: 'static,
{
    fn execute(&self, task: F) {
        spawn_local(task);
    }
}

/// What a connection does between requests.
struct Rest {
    under_way: Cell<usize>,
    since: Cell<Instant>,
}

impl Rest {
    fn begin() -> Self {
        Self {
            under_way: Cell::default(),
            since: Cell::new(Instant::now()),
        }
    }

    /// When the connection will have rested for so long, if nothing is asked until then.
    fn ends_after(&self, most: Duration) -> Instant {
        let since = if self.under_way.get() > 0 {
            Instant::now()
        } else {
            self.since.get()
        };
        since + most
    }
}

/// A request, until its answer begins or its client gives it up.
struct UnderWay(Rc<Rest>);

impl UnderWay {
    fn begin(rest: &Rc<Rest>) -> Self {
        rest.under_way.update(|requests| requests + 1);
        Self(Rc::clone(rest))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.update(|requests| requests - 1);
        self.0.since.set(Instant::now());
    }
}

/// The answer to HEAD, with the length of the body that is left out: over HTTP/1.1 hyper does so itself.
fn head_of(mut response: Response<Body>) -> Response<Body> {
    let length = match response.body() {
        Body::Whole(body) => body.size_hint().exact(),
        Body::Pieces(_) | Body::Passed(_) => None,
    };
    if let Some(length) = length {
        let headers = response.headers_mut();
        headers.entry(CONTENT_LENGTH).or_insert(length.into());
    }
    response.map(|_| Body::whole(""))
}
