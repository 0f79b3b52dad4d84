//! The requests of one connection, in the version of HTTP that its client speaks.

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;

use hyper::body::{Body as _, Incoming};
use hyper::header::CONTENT_LENGTH;
use hyper::rt::Executor;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::spawn_local;
use tokio::time::{Instant, sleep_until};

use super::body::Body;
use super::limits::{HEAD_BYTES, Limits};
use super::rest::{Asked, Rest};

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

/// Answers those of a connection of HTTP/2, several at once, until nothing has been asked, or nothing taken of the answers,
/// for too long.
pub async fn http2<S, A>(stream: S, limits: Limits, answer: impl Fn(Request<Incoming>) -> A)
where
    S: AsyncRead + AsyncWrite + Unpin + 'static,
    A: Future<Output = Result<Response<Body>, Infallible>> + 'static,
{
    let rest = Rest::begin();
    let service = service_fn(|request: Request<Incoming>| {
        let is_head = request.method() == Method::HEAD;
        let (answered, asked) = (answer(request), Asked::begin(&rest));
        async move {
            let response = answered.await?;
            let response = if is_head { head_of(response) } else { response };
            Ok::<_, Infallible>(asked.answered(response))
        }
    });
    let mut http = http2::Builder::new(OnThisThread);
    http.timer(TokioTimer::new())
        .max_header_list_size(HEAD_BYTES.try_into().unwrap_or(u32::MAX));
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    if has_ended(connection.as_mut(), &rest, &limits).await || rest.sends() {
        return;
    }
    // The client learns that it is to make another one; it may never hear it. What it has asked before it hears it
    // is answered.
    connection.as_mut().graceful_shutdown();
    rest.interrupt();
    let limits = Limits {
        idle: limits.transfer,
        ..limits
    };
    has_ended(connection, &rest, &limits).await;
}

/// Returns true if a connection has ended by itself. Otherwise it has rested for too long.
async fn has_ended(connection: impl Future, rest: &Rest, limits: &Limits) -> bool {
    let mut connection = pin!(connection);
    // A rest may become a shorter one, which nobody tells.
    let look = limits.idle.min(limits.transfer);
    loop {
        let next = rest.ends(limits).min(Instant::now() + look);
        tokio::select! {
            _ = connection.as_mut() => return true,
            () = sleep_until(next) => {
                if rest.ends(limits) <= Instant::now() {
                    return false;
                }
            }
        }
    }
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
