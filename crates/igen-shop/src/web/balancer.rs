//! Requests dealt in turn to the applications, as by a reverse proxy.

use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    CONNECTION, CONTENT_LENGTH, COOKIE, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue, TE,
    TRANSFER_ENCODING, UPGRADE,
};
use hyper::http::uri::PathAndQuery;
use hyper::{Request, Response, StatusCode, Uri, Version};
use serde_json::Value;

use crate::serve::{Body, Fault, Upstream, json, plain};

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");

/// The applications, one request after the other to the next.
pub struct Balancer {
    nodes: Vec<Rc<Upstream>>,
    next: Cell<usize>,
}

impl Balancer {
    /// Applications at these sockets, which have to answer `within` a time.
    pub fn new(sockets: Vec<PathBuf>, within: Duration) -> Self {
        let upstreams = sockets.into_iter();
        Self {
            nodes: upstreams
                .map(|socket| Rc::new(Upstream::new(socket, within)))
                .collect(),
            next: Cell::new(0),
        }
    }

    /// The answer of the next application; where it cannot be reached, of the one after it.
    pub async fn pass_on(&self, request: Request<Bytes>) -> Response<Body> {
        let mut request = Box::new(outgoing(request));
        for _ in 0..self.nodes.len() {
            let turn = self.next.get();
            self.next.set(turn.wrapping_add(1));
            match self.nodes[turn % self.nodes.len()].send(*request).await {
                Ok(mut response) => {
                    remove_hop_by_hop(response.headers_mut());
                    return response.map(Body::Passed);
                }
                Err(Fault::NotReached(unsent)) => request = unsent,
                Err(Fault::Failed) => {
                    let text = "the application closed the connection before it answered";
                    return plain(StatusCode::BAD_GATEWAY, text);
                }
                Err(Fault::TooLate) => {
                    let text = "the application did not answer in time";
                    return plain(StatusCode::GATEWAY_TIMEOUT, text);
                }
            }
        }
        plain(StatusCode::BAD_GATEWAY, "cannot reach any application")
    }

    /// Returns the reason why an application is not ready, if any.
    pub async fn obstacle(&self) -> Option<String> {
        for (index, node) in self.nodes.iter().enumerate() {
            match node.ask("/-/ready", None).await {
                Ok((StatusCode::OK, _)) => {}
                Ok(_) => return Some("the data tier does not answer".to_owned()),
                Err(_) => return Some(format!("application {} does not answer", index + 1)),
            }
        }
        None
    }

    /// Returns the counts of each application; null for an application that does not answer.
    pub async fn counts(&self) -> Response<Body> {
        let mut counts = Vec::new();
        for node in &self.nodes {
            let answer = node.ask("/-/counts", None).await.ok();
            counts.push(answer.and_then(|(_, body)| serde_json::from_slice(&body).ok()));
        }
        let counts: Value = counts
            .into_iter()
            .map(|one| one.unwrap_or(Value::Null))
            .collect();
        json(counts.to_string())
    }

    /// Returns the counts of the data tier, from the first application that answers.
    pub async fn counts_of_data(&self) -> Response<Body> {
        for node in &self.nodes {
            if let Ok((StatusCode::OK, body)) = node.ask("/-/counts/data", None).await {
                return json(body);
            }
        }
        plain(StatusCode::BAD_GATEWAY, "cannot reach any application")
    }
}

/// The request as the application gets it.
fn outgoing(request: Request<Bytes>) -> Request<Full<Bytes>> {
    let mut request = request.map(Full::new);
    remove_hop_by_hop(request.headers_mut());
    // The body is there as a whole: its length is known, whatever the client has said of it.
    request.headers_mut().remove(CONTENT_LENGTH);
    *request.version_mut() = Version::HTTP_11;
    // HTTP/2 names the host there, and so does a client that takes this server for its proxy.
    let host = request
        .uri()
        .authority()
        .map(|host| HeaderValue::from_str(host.as_str()));
    if let Some(Ok(host)) = host {
        request.headers_mut().insert(HOST, host);
    }
    join_cookies(request.headers_mut());
    let path = request.uri().path_and_query().cloned();
    *request.uri_mut() = Uri::from(path.unwrap_or_else(|| PathAndQuery::from_static("/")));
    request
}

/// Makes one line of all cookies: HTTP/2 may have one for each (RFC 9113, 8.2.3).
fn join_cookies(headers: &mut HeaderMap) {
    let lines = headers.get_all(COOKIE).into_iter();
    let lines: Vec<&[u8]> = lines.map(HeaderValue::as_bytes).collect();
    if lines.len() > 1
        && let Ok(joined) = HeaderValue::from_bytes(&lines.join(&b"; "[..]))
    {
        headers.insert(COOKIE, joined);
    }
}

/// Removes what is between two neighbours only (RFC 9110, 7.6.1).
fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .into_iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    let usual = [
        CONNECTION,
        KEEP_ALIVE,
        PROXY_CONNECTION,
        TE,
        TRANSFER_ENCODING,
        UPGRADE,
        EXPECT,
    ];
    for name in usual.iter().chain(&named) {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_between_neighbours_is_not_passed_on() {
        let request = Request::get("http://shop.example/home?x=1")
            .version(Version::HTTP_10)
            .header("connection", "keep-alive, x-own")
            .header("x-own", "1")
            .header("te", "trailers")
            .header("content-length", "7")
            .header("cookie", "a=b")
            .header("cookie", "c=d")
            .body(Bytes::new())
            .unwrap();
        let outgoing = outgoing(request);
        assert_eq!(outgoing.uri(), "/home?x=1");
        assert_eq!(outgoing.version(), Version::HTTP_11);
        assert_eq!(outgoing.headers()["host"], "shop.example");
        assert_eq!(outgoing.headers()["cookie"], "a=b; c=d");
        assert_eq!(outgoing.headers().len(), 2);
    }
}
