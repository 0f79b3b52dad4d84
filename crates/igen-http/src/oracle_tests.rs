//! Well-formed answers as hyper reads them: the same status, the same bytes.

#![allow(clippy::unwrap_used)]

use std::cell::RefCell;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt, Empty};
use hyper::body::{Body, Bytes, Frame};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use igen_net::Resumption;
use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use tokio::net::TcpListener;

use crate::{Client, Protocol, Reading, Request, Site, TlsSessions};

/// A body whose length the server does not know before it sends it.
struct OfUnknownLength(Option<Bytes>);

impl Body for OfUnknownLength {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// What hyper makes of these bytes: the status and the body.
async fn by_hyper(said: &[u8]) -> (u16, Bytes) {
    let (near, mut far) = duplex(said.len() + 1024);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(near))
        .await
        .unwrap();
    let speak = async {
        let _asked = far.read(&mut [0; 1024]).await.unwrap();
        far.write_all(said).await.unwrap();
        far.shutdown().await.unwrap();
    };
    let listen = async {
        let request = hyper::Request::get("/")
            .header("Host", "web.lab")
            .body(Empty::<Bytes>::new())
            .unwrap();
        let answer = sender.send_request(request).await.unwrap();
        let status = answer.status().as_u16();
        (
            status,
            answer.into_body().collect().await.unwrap().to_bytes(),
        )
    };
    tokio::join!(async { connection.await.ok() }, speak, listen).2
}

/// What this crate makes of them.
async fn by_us(said: &[u8], text: &str) -> (u16, u64, bool) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let speak = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _asked = stream.read(&mut [0; 1024]).await.unwrap();
        stream.write_all(said).await.unwrap();
        stream.shutdown().await.unwrap();
    };
    let listen = async {
        let mut client = client(port);
        client.connect().await.unwrap();
        let reading = Reading::new(Some(text), 1 << 20);
        let request = Request::new("GET", "web.lab", "/", &[], b"").unwrap();
        let answer = client.ask(&request, &reading, 0).await.unwrap();
        (answer.status, answer.body_bytes, answer.contains)
    };
    tokio::join!(speak, listen).1
}

fn client(port: u16) -> Client {
    let site = Arc::new(
        Site::of(
            &format!("http://127.0.0.1:{port}"),
            "",
            Protocol::Http1,
            igen_job::Credentials::Own,
        )
        .unwrap(),
    );
    let sessions = TlsSessions::of(&site, Resumption::Own).unwrap();
    Client::new(&site, &sessions, Duration::from_secs(20)).unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_same_bytes_are_the_same_answer(
        status in 200_u16..600,
        body in "[ab]{0,3000}",
        text in "[ab]{1,9}",
        framing in 0..3_u8,
        chunk in 1_usize..600,
    ) {
        let framed = match framing {
            0 => format!("Content-Length: {}\r\n\r\n{body}", body.len()),
            1 => {
                let chunks = body.as_bytes().chunks(chunk).map(|chunk| {
                    format!("{:x};x=y\r\n{}\r\n", chunk.len(), str::from_utf8(chunk).unwrap())
                });
                format!("Transfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n", chunks.collect::<String>())
            }
            _ => format!("\r\n{body}"),
        };
        prop_assume!(!matches!(status, 204 | 304));
        let said = format!("HTTP/1.1 {status} Fine\r\nServer: x\r\n{framed}");
        let (theirs, ours) = runtime().block_on(async {
            (by_hyper(said.as_bytes()).await, by_us(said.as_bytes(), &text).await)
        });
        prop_assert_eq!(&theirs.1, body.as_bytes());
        prop_assert_eq!(ours, (theirs.0, body.len() as u64, body.contains(&text)));
    }

    #[test]
    fn what_hyper_serves_is_read_on_one_connection(bodies in prop::collection::vec((0_usize..20_000, any::<bool>()), 1..8)) {
        runtime().block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let port = listener.local_addr().unwrap().port();
            let answers = RefCell::new(bodies.clone().into_iter());
            let service = service_fn(move |_| {
                let (bytes, chunked) = answers.borrow_mut().next().unwrap();
                let body = Bytes::from(vec![b'x'; bytes]);
                async move {
                    let answer = hyper::Response::builder();
                    // Without a length hyper sends chunks.
                    let answer = if chunked { answer } else { answer.header("Content-Length", bytes) };
                    Ok::<_, Infallible>(answer.body(OfUnknownLength(Some(body))).unwrap())
                }
            });
            let serve = async {
                let (stream, _) = listener.accept().await.unwrap();
                let served = hyper::server::conn::http1::Builder::new();
                served.serve_connection(TokioIo::new(stream), service).await.unwrap();
            };
            let ask = async {
                let mut client = client(port);
                client.connect().await.unwrap();
                let reading = Reading::new(None, 1 << 20);
                let request = Request::new("GET", "web.lab", "/", &[], b"").unwrap();
                for (bytes, _) in &bodies {
                    let answer = client.ask(&request, &reading, 0).await.unwrap();
                    assert_eq!((answer.status, answer.body_bytes), (200, *bytes as u64));
                    client.park();
                }
            };
            tokio::join!(serve, ask);
        });
    }
}
