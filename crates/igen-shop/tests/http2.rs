//! HTTP/2: the pages and files of HTTP/1.1, several at once on one connection.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use std::process::{Command, Stdio};
use std::time::Duration;

use bytes::Bytes;
use common::{Client, Shop, Wish};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::{Connection, SendRequest, handshake};
use hyper::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, ETAG, SET_COOKIE};
use hyper::http::request::Builder;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use igen_shop::Limits;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Longer than any of it takes.
const GUARD: Duration = Duration::from_mins(1);

type Sender = SendRequest<Full<Bytes>>;
type Driver = Connection<TokioIo<TcpStream>, Full<Bytes>, TokioExecutor>;

/// A connection that speaks HTTP/2 without having asked, and what drives it.
async fn connected(address: &str) -> (Sender, Driver) {
    let stream = TokioIo::new(TcpStream::connect(address).await.unwrap());
    handshake(TokioExecutor::new(), stream).await.unwrap()
}

/// The whole answer.
async fn asked(sender: &Sender, request: Builder, body: &'static str) -> Response<Bytes> {
    let request = request.body(Full::from(body)).unwrap();
    let answering = sender.clone().send_request(request);
    let (head, body) = timeout(GUARD, answering)
        .await
        .unwrap()
        .unwrap()
        .into_parts();
    Response::from_parts(head, body.collect().await.unwrap().to_bytes())
}

fn get(path: &str) -> Builder {
    Request::get(format!("http://shop.example{path}"))
}

#[tokio::test]
async fn pages_and_files_are_the_same_and_several_are_answered_at_once() {
    let shop = Shop::start(Wish::default());
    let (sender, driver) = connected(&shop.web.address).await;
    tokio::spawn(driver);
    let paths = ["/", "/static/shop.css", "/static/logo.png", "/nowhere"];
    let [a, b, c, d] = paths.map(|path| asked(&sender, get(path), ""));
    let answers = tokio::join!(a, b, c, d);
    let answers = [answers.0, answers.1, answers.2, answers.3];
    let address = shop.web.address.clone();
    let expected = tokio::task::spawn_blocking(move || {
        let mut client = Client::new(&address);
        paths.map(|path| client.get(path))
    });
    for (answer, expected) in answers.iter().zip(expected.await.unwrap()) {
        assert_eq!(answer.status(), expected.status);
        assert_eq!(answer.body(), &expected.body);
        for name in [CONTENT_TYPE, CONTENT_LENGTH, ETAG, CACHE_CONTROL] {
            assert_eq!(answer.headers().get(&name), expected.headers.get(&name));
        }
        assert!(!answer.headers().contains_key("transfer-encoding"));
    }
    for (path, whole) in paths.iter().zip(&answers) {
        let head = Request::head(format!("http://shop.example{path}"));
        let head = asked(&sender, head, "").await;
        assert_eq!(head.status(), whole.status());
        let lengths = [&head, whole].map(|answer| answer.headers().get(CONTENT_LENGTH));
        assert_eq!(lengths[0], lengths[1], "{path}");
        assert!(head.body().is_empty());
    }
}

#[tokio::test]
async fn one_signs_in_and_every_request_is_counted_by_every_tier() {
    let shop = Shop::start(Wish::default());
    let (sender, driver) = connected(&shop.web.address).await;
    tokio::spawn(driver);
    let form = asked(&sender, get("/login"), "").await;
    let visit = form.headers()[SET_COOKIE].to_str().unwrap();
    let (visit, _) = visit.split_once(';').unwrap();
    // As browsers do: a line for each cookie.
    let post = Request::post("http://shop.example/login")
        .header(COOKIE, "color=blue")
        .header(COOKIE, visit);
    let refused = asked(&sender, post, "user=ann&password=shop&csrf_token=x").await;
    assert_eq!(refused.status(), 403);
    assert!(!refused.body().starts_with(b"403 the cookie"));
    assert_eq!(asked(&sender, get("/home"), "").await.status(), 302);
    let row = |method: &str, path: &str, status: u16| json!({"method": method, "path": path, "status": status, "count": 1});
    let rows = [
        row("GET", "/home", 302),
        row("GET", "/login", 200),
        row("POST", "/login", 403),
    ];
    for (tier, place) in [("web", "/-/counts"), ("app", "/-/counts/app")] {
        let told = asked(&sender, get(place), "").await;
        let told: serde_json::Value = serde_json::from_slice(told.body()).unwrap();
        let told = told.get(0).unwrap_or(&told);
        assert_eq!(told["requests"], json!(rows), "{tier}");
    }
}

#[tokio::test]
async fn a_connection_on_which_nothing_is_asked_is_closed() {
    let shop = Shop::start(Wish {
        limits: Limits {
            idle: Duration::from_secs(2),
            ..Limits::default()
        },
        ..Wish::default()
    });
    let (sender, driver) = connected(&shop.web.address).await;
    let driver = tokio::spawn(driver);
    assert_eq!(asked(&sender, get("/"), "").await.status(), 200);
    // It is told, and does not break.
    timeout(GUARD, driver).await.unwrap().unwrap().unwrap();
    assert!(sender.is_closed());
}

#[test]
fn under_tls_both_sides_agree_on_a_version() {
    let folder = tempfile::tempdir().unwrap();
    let Some((shop, _, _)) = Shop::start_over_tls(folder.path()) else {
        return; // openssl is not there
    };
    for (offered, agreed) in [
        ("http/1.1,h2", "ALPN protocol: h2"),
        ("http/1.1", "ALPN protocol: http/1.1"),
    ] {
        let said = Command::new("openssl")
            .args(["s_client", "-alpn", offered, "-connect", &shop.web.address])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(said.contains(agreed), "{said}");
    }
}
