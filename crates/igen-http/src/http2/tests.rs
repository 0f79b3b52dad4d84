//! Requests to a server that keeps the rules: several at once, within windows and limits.

#![allow(clippy::unwrap_used)]

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use h2::server::{Builder, SendResponse};
use h2::{Reason, RecvStream};
use http::{HeaderMap, Request as Asked, Response};
use igen_net::Resumption;
use tokio::net::TcpListener;
use tokio::sync::Barrier;

use crate::{Client, Protocol, Reading, Request, Site, TlsSessions};

const LIMIT: Duration = Duration::from_secs(20);
/// Longer than the window of a stream.
const LONG: usize = 300_000;

/// What a server has seen, and how it is to behave.
struct Server {
    connections: Cell<usize>,
    paths: RefCell<Vec<String>>,
    /// Bytes of all bodies.
    uploaded: Cell<usize>,
    /// Requests that answer only when all of them have come.
    together: Barrier,
    most_streams: u32,
}

impl Server {
    /// One that lets so many requests be under way, of which so many wait for each other; and its port.
    async fn start(most_streams: u32, together: usize) -> (Rc<Self>, u16) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Rc::new(Self {
            connections: Cell::default(),
            paths: RefCell::default(),
            uploaded: Cell::default(),
            together: Barrier::new(together),
            most_streams,
        });
        let own = Rc::clone(&server);
        tokio::task::spawn_local(async move {
            while let Ok((stream, _)) = listener.accept().await {
                own.connections.set(own.connections.get() + 1);
                let own = Rc::clone(&own);
                tokio::task::spawn_local(async move { own.serve(stream).await });
            }
        });
        (server, port)
    }

    async fn serve(self: Rc<Self>, stream: tokio::net::TcpStream) {
        let mut builder = Builder::new();
        builder.max_concurrent_streams(self.most_streams);
        let mut connection = builder.handshake::<_, Bytes>(stream).await.unwrap();
        while let Some(Ok((asked, answer))) = connection.accept().await {
            let path = asked.uri().path().to_owned();
            self.paths.borrow_mut().push(path.clone());
            if path == "/last" {
                connection.graceful_shutdown();
            }
            let own = Rc::clone(&self);
            tokio::task::spawn_local(async move { own.answer(asked, answer).await });
        }
    }

    async fn answer(&self, asked: Asked<RecvStream>, mut answer: SendResponse<Bytes>) {
        let text = format!("{asked:?}");
        let path = asked.uri().path().to_owned();
        let mut body = asked.into_body();
        while let Some(Ok(piece)) = body.data().await {
            self.uploaded.set(self.uploaded.get() + piece.len());
            body.flow_control().release_capacity(piece.len()).unwrap();
        }
        let told = match path.as_str() {
            "/long" => Bytes::from(vec![b'x'; LONG]),
            "/together" => {
                self.together.wait().await;
                Bytes::new()
            }
            "/refused" => return answer.send_reset(Reason::REFUSED_STREAM),
            "/reset" => return answer.send_reset(Reason::INTERNAL_ERROR),
            _ => Bytes::from(text),
        };
        let head = Response::builder().header("x-path", &path);
        let mut stream = answer.send_response(head.body(()).unwrap(), false).unwrap();
        stream.send_data(told, false).unwrap();
        let trailers = HeaderMap::from_iter([("x-end".parse().unwrap(), "1".parse().unwrap())]);
        stream.send_trailers(trailers).unwrap();
    }
}

fn client(port: u16) -> Client {
    let target = format!("http://127.0.0.1:{port}");
    let site =
        Arc::new(Site::of(&target, "", Protocol::Http2, igen_job::Credentials::Own).unwrap());
    let sessions = TlsSessions::of(&site, Resumption::Own).unwrap();
    Client::new(&site, &sessions, LIMIT).unwrap()
}

fn request(method: &str, path: &str, body: &[u8]) -> Request {
    let headers = [
        ("X-Id".to_owned(), "7".to_owned()),
        ("Connection".to_owned(), "keep-alive".to_owned()),
    ];
    Request::new(method, "web.lab:81", path, &headers, body).unwrap()
}

#[tokio::test(flavor = "local")]
async fn a_request_arrives_as_it_was_asked_and_its_answer_is_read() {
    let (server, port) = Server::start(100, 1).await;
    let mut client = client(port);
    assert!(!client.is_connected());
    client.connect().await.unwrap();
    client.greet().await.unwrap();
    let reading = Reading::new(Some("\"x-id\": \"7\""), 1 << 20).keeping(1 << 20);
    let asked = request("POST", "/a?b=c", &vec![b'y'; LONG]);
    let answer = client.ask(&asked, &reading, 0).await.unwrap();
    assert!(answer.status == 200 && answer.contains && answer.keeps);
    let text = String::from_utf8(client.body().to_vec()).unwrap();
    assert_eq!(answer.body_bytes, text.len() as u64);
    assert!(
        text.contains("POST") && text.contains("http://web.lab:81/a?b=c"),
        "{text}"
    );
    assert!(
        !text.contains("connection") && !text.contains("\"host\""),
        "{text}"
    );
    assert_eq!(server.uploaded.get(), LONG);
    assert_eq!(
        String::from_utf8_lossy(client.head()),
        "HTTP/2 200\r\nx-path: /a\r\n\r\n"
    );
    let (sent, received) = client.take_bytes();
    assert!(
        sent > LONG as u64 && received > answer.body_bytes,
        "{sent}, {received}"
    );
    let facts = client.facts();
    assert!(
        facts.contains(&(&igen_job::facts::TARGET_PROTOCOL, "HTTP/2".to_owned())),
        "{facts:?}"
    );
    assert!(
        facts.contains(&(&igen_job::facts::TARGET_CLIENT_IO, "epoll".to_owned())),
        "{facts:?}"
    );
}

#[tokio::test(flavor = "local")]
async fn a_body_longer_than_the_windows_comes_whole_and_no_longer_than_asked_for() {
    let (server, port) = Server::start(100, 1).await;
    let mut client = client(port);
    client.connect().await.unwrap();
    // Beyond the window of the connection, too.
    for _ in 0..8 {
        let reading = Reading::new(Some("xxx"), LONG as u64);
        let answer = client
            .ask(&request("GET", "/long", b""), &reading, 0)
            .await
            .unwrap();
        assert_eq!((answer.body_bytes, answer.contains), (LONG as u64, true));
    }
    let short = Reading::new(None, LONG as u64 - 1);
    let broken = client
        .ask(&request("GET", "/long", b""), &short, 0)
        .await
        .unwrap_err();
    assert_eq!(
        broken.error.reason().to_string(),
        "a body of more than max_bytes"
    );
    assert!(
        client.is_connected(),
        "one stream has ended, not the connection"
    );
    let whole = Reading::new(None, LONG as u64);
    client
        .ask(&request("GET", "/long", b""), &whole, 0)
        .await
        .unwrap();
    assert_eq!(server.connections.get(), 1);
}

#[tokio::test(flavor = "local")]
async fn siblings_ask_at_once_over_one_connection() {
    let (server, port) = Server::start(100, 3).await;
    let mut first = client(port);
    let mut others = [first.sibling().unwrap(), first.sibling().unwrap()];
    first.connect().await.unwrap();
    let (together, reading) = (request("GET", "/together", b""), Reading::new(None, 9));
    let [second, third] = &mut others;
    assert!(third.is_connected());
    let all = tokio::join!(
        first.ask(&together, &reading, 0),
        second.ask(&together, &reading, 0),
        third.ask(&together, &reading, 0)
    );
    for answer in [all.0, all.1, all.2] {
        assert_eq!(answer.unwrap().status, 200);
    }
    assert_eq!(server.connections.get(), 1);
    assert_eq!(first.streams(), Some(100));
    second.close();
    assert!(!first.is_connected());
}

#[tokio::test(flavor = "local")]
async fn whoever_comes_first_makes_the_connection_for_all() {
    let (server, port) = Server::start(100, 1).await;
    let mut first = client(port);
    let mut second = first.sibling().unwrap();
    let connect = async |client: &mut Client| {
        let _turn = client.turn().await.unwrap();
        if !client.is_connected() {
            client.connect().await.unwrap();
        }
    };
    tokio::join!(connect(&mut first), connect(&mut second));
    assert!(first.is_connected() && second.is_connected());
    let reading = Reading::new(None, 1 << 20);
    second
        .ask(&request("GET", "/", b""), &reading, 0)
        .await
        .unwrap();
    assert_eq!(server.connections.get(), 1);
}

#[tokio::test(flavor = "local")]
async fn one_attempt_answers_for_all_who_wait() {
    let (_, port) = Server::start(100, 1).await;
    let first = client(port);
    let second = first.sibling().unwrap();
    let turn = first.turn().await.unwrap();
    let fails = async {
        first.attempt_failed(igen_job::Reason::wrong("no route"));
        drop(turn);
    };
    let (waited, ()) = tokio::join!(second.turn(), fails);
    assert_eq!(waited.unwrap_err().text, "no route");
    assert!(
        second.turn().await.unwrap().is_some(),
        "who comes later tries"
    );
}

#[tokio::test(flavor = "local")]
async fn a_server_may_allow_few_at_once() {
    let (server, port) = Server::start(1, 1).await;
    let mut first = client(port);
    let mut second = first.sibling().unwrap();
    first.connect().await.unwrap();
    first.greet().await.unwrap();
    assert_eq!(first.streams(), Some(1));
    let (long, reading) = (request("GET", "/long", b""), Reading::new(None, 1 << 20));
    let both = tokio::join!(
        first.ask(&long, &reading, 0),
        second.ask(&long, &reading, 0)
    );
    assert_eq!(both.0.unwrap().body_bytes, LONG as u64);
    assert_eq!(both.1.unwrap().body_bytes, LONG as u64);
    assert_eq!(server.paths.borrow().len(), 2);
}

#[tokio::test(flavor = "local")]
async fn a_server_that_takes_no_more_requests_answers_those_that_it_has() {
    let (server, port) = Server::start(100, 1).await;
    let mut client = client(port);
    let reading = Reading::new(None, 1 << 20);
    for connections in 1..3 {
        client.connect().await.unwrap();
        let answer = client.ask(&request("GET", "/last", b""), &reading, 0).await;
        assert_eq!(answer.unwrap().status, 200);
        // It has said so before or after its answer: whoever asks next will know.
        while client.is_connected() {
            tokio::task::yield_now().await;
        }
        assert_eq!(server.connections.get(), connections);
    }
}

#[tokio::test(flavor = "local")]
async fn a_stream_that_the_server_ends_is_told_and_the_connection_stays() {
    let (server, port) = Server::start(100, 1).await;
    let mut client = client(port);
    client.connect().await.unwrap();
    let reading = Reading::new(None, 1 << 20);
    for (path, reason, unseen) in [
        (
            "/reset",
            "the server ended the stream: INTERNAL_ERROR",
            false,
        ),
        (
            "/refused",
            "the server ended the stream: REFUSED_STREAM",
            true,
        ),
    ] {
        let broken = client
            .ask(&request("GET", path, b""), &reading, 0)
            .await
            .unwrap_err();
        assert_eq!(broken.error.reason().to_string(), reason);
        assert_eq!(broken.unseen, unseen, "{path}");
        assert_eq!(broken.is_refused(), unseen, "{path}");
        assert!(client.is_connected());
    }
    assert_eq!(server.connections.get(), 1);
}
