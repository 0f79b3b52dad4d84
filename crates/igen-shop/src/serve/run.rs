//! A server's life: listens, answers until it is told to stop.

use std::convert::Infallible;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};
use hyper::{Request, Response, StatusCode};
use igen_job::JobError;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustls::ServerConfig;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::address::{Connection, Listen, Listener};
use super::answer::{json as json_answer, plain};
use super::body::Body;
use super::converse;
use super::counts::Counts;
use super::limits::Limits;
use super::patient::Patient;
use super::preface::Opened;
use crate::tls::HTTP2;

/// Ends a server when something comes, or nobody is left who could send something.
pub type Stop = UnboundedReceiver<()>;

/// Longest body of a request.
const BODY_BYTES: usize = 64 << 10;
/// Time before the next look where no client can be let in, such as when all files are open.
const AGAIN: Duration = Duration::from_millis(10);

/// Behaviour that differs between tiers.
pub trait Tier: 'static {
    /// Its name.
    const NAME: &'static str;

    /// Answers a request.
    async fn answer(&self, request: Request<Bytes>) -> Response<Body>;

    /// Why it cannot work yet, if so: the tier behind does not answer.
    async fn obstacle(&self) -> Option<String>;

    /// What it counts besides requests.
    fn counted(&self) -> Vec<(&'static str, Value)>;

    /// The counts of a tier behind it; `None` where it has none of that name.
    async fn counts_of(&self, tier: &str) -> Option<Response<Body>>;
}

struct Server<T> {
    tier: T,
    limits: Limits,
    counts: Counts,
}

/// Serves until it is told to stop. `make` is called when all addresses are bound, then `ready` with the
/// first of them. TLS is for connections over TCP.
pub fn run<T: Tier>(
    listen: &[Listen],
    tls: Option<&Arc<ServerConfig>>,
    limits: Limits,
    make: impl FnOnce() -> Result<T, JobError>,
    ready: impl FnOnce(&str),
    mut stop: Stop,
) -> Result<(), JobError> {
    open_many_files();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| JobError::new(format!("cannot serve: {error}")))?;
    LocalSet::new().block_on(&runtime, async {
        let mut listeners = Vec::new();
        for place in listen {
            listeners.push(Listener::bind(place).await?);
        }
        let address = listeners
            .first()
            .map_or_else(String::new, Listener::address);
        let server = Rc::new(Server {
            tier: make()?,
            limits,
            counts: Counts::default(),
        });
        for listener in listeners {
            let tls = tls.cloned().map(TlsAcceptor::from);
            spawn_local(accept(listener, tls, Rc::clone(&server)));
        }
        ready(&address);
        stop.recv().await;
        Ok(())
    })
}

/// As many connections as the system allows this process: the usual limit of 1,024 files is for programs
/// that call select(2).
fn open_many_files() {
    let limit = getrlimit(Resource::Nofile);
    // Where it is refused there are fewer connections.
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limit.maximum,
            maximum: limit.maximum,
        },
    );
}

async fn accept<T: Tier>(listener: Listener, tls: Option<TlsAcceptor>, server: Rc<Server<T>>) {
    loop {
        let Ok(connection) = listener.accept().await else {
            tokio::time::sleep(AGAIN).await;
            continue;
        };
        let is_tcp = matches!(connection, Connection::Tcp(_));
        let stream = Patient::new(connection, server.limits.transfer);
        let tls = tls.clone().filter(|_| is_tcp);
        let server = Rc::clone(&server);
        spawn_local(async move {
            match tls {
                None => open(stream, server).await,
                Some(tls) => encrypt(stream, &tls, server).await,
            }
        });
    }
}

/// A client without TLS says by its first bytes which version of HTTP it speaks.
async fn open<T: Tier>(stream: Patient<Connection>, server: Rc<Server<T>>) {
    let limits = server.limits;
    let answers = |request| answer(Rc::clone(&server), request);
    match timeout(limits.idle, Opened::new(stream)).await {
        Ok(Ok((stream, true))) => converse::http2(stream, limits, answers).await,
        Ok(Ok((stream, false))) => converse::http1(stream, limits, answers).await,
        // What goes wrong with a client is the client's.
        Ok(Err(_)) | Err(_) => {}
    }
}

/// Under TLS both sides agree on it (ALPN).
async fn encrypt<T: Tier>(stream: Patient<Connection>, tls: &TlsAcceptor, server: Rc<Server<T>>) {
    let limits = server.limits;
    let answers = |request| answer(Rc::clone(&server), request);
    // A client that does not trust the certificate says so itself.
    if let Ok(Ok(stream)) = timeout(limits.idle, tls.accept(stream)).await {
        if stream.get_ref().1.alpn_protocol() == Some(HTTP2) {
            converse::http2(stream, limits, answers).await;
        } else {
            converse::http1(stream, limits, answers).await;
        }
    }
}

async fn answer<T: Tier>(
    server: Rc<Server<T>>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    if let Some(about) = request.uri().path().strip_prefix("/-/") {
        return Ok(server.about(about).await);
    }
    let pending = server
        .counts
        .request(request.method(), request.uri().path());
    let response = match whole(request, server.limits.transfer).await {
        Ok(request) => server.tier.answer(request).await,
        Err(status) => plain(status, "the body of the request was rejected"),
    };
    pending.answered(response.status());
    Ok(response)
}

/// The request with its body, unless that is too long or takes too long.
async fn whole(request: Request<Incoming>, within: Duration) -> Result<Request<Bytes>, StatusCode> {
    let (head, body) = request.into_parts();
    if body.is_end_stream() {
        return Ok(Request::from_parts(head, Bytes::new()));
    }
    match timeout(within, Limited::new(body, BODY_BYTES).collect()).await {
        Ok(Ok(collected)) => Ok(Request::from_parts(head, collected.to_bytes())),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Ok(Err(_)) => Err(StatusCode::BAD_REQUEST),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}

impl<T: Tier> Server<T> {
    /// What it says about itself; such requests are not counted.
    async fn about(&self, what: &str) -> Response<Body> {
        match what {
            "ready" => match self.tier.obstacle().await {
                None => plain(StatusCode::OK, "ready"),
                Some(why) => plain(StatusCode::SERVICE_UNAVAILABLE, &why),
            },
            "counts" => json_answer(self.counts().to_string()),
            _ => {
                let of = match what.strip_prefix("counts/") {
                    Some(tier) => self.tier.counts_of(tier).await,
                    None => None,
                };
                of.unwrap_or_else(|| plain(StatusCode::NOT_FOUND, "there is no such page"))
            }
        }
    }

    fn counts(&self) -> Value {
        let mut counts = json!({"tier": T::NAME, "requests": self.counts.to_json()});
        for (name, value) in self.tier.counted() {
            counts[name] = value;
        }
        counts
    }
}
