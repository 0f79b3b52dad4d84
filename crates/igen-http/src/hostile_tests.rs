//! Servers that mean no good: each ends in a short reason, in time, and in little memory.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{Read, Result, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use igen_net::Resumption;
use igen_net::testing::{GUARD, by_drops, peak_kib, serve, without_end};

use crate::{Broken, Client, Protocol, Reading, Request, Site, TlsSessions};

/// Longest body.
const MOST_BYTES: u64 = 64 << 20;
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn client(port: u16, limit: Duration) -> Client {
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
    Client::new(&site, &sessions, limit).unwrap()
}

fn request(method: &str) -> Request {
    Request::new(method, "web.lab", "/", &[], b"").unwrap()
}

fn reading() -> Reading {
    Reading::new(Some("nowhere"), MOST_BYTES)
}

/// A server that reads a request and then does that.
fn server(talk: impl Fn(&mut TcpStream) -> Result<()> + Send + Sync + 'static) -> u16 {
    serve(move |stream| {
        loop {
            let mut asked = [0; 4096];
            if stream.read(&mut asked)? == 0 {
                return Ok(());
            }
            talk(stream)?;
        }
    })
}

/// Why a GET fails.
async fn failure(talk: impl Fn(&mut TcpStream) -> Result<()> + Send + Sync + 'static) -> String {
    let mut client = client(server(talk), Duration::from_secs(1));
    client.connect().await.unwrap();
    let (request, reading) = (request("GET"), reading());
    let asked = tokio::time::timeout(GUARD, client.ask(&request, &reading, 0));
    let broken = asked.await.expect("an end").unwrap_err();
    assert!(!client.is_connected() && !broken.unseen);
    broken.error.reason().to_string()
}

#[tokio::test]
async fn who_answers_drop_by_drop_or_not_at_all_is_left_in_time() {
    let said = [
        b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n".as_slice(),
        &[b'x'; 9999],
    ]
    .concat();
    assert_eq!(
        failure(move |stream| by_drops(stream, &said)).await,
        "no complete answer in time"
    );
    let silence = |stream: &mut TcpStream| stream.read(&mut [0]).map(|_| ());
    assert_eq!(failure(silence).await, "no complete answer in time");
}

#[tokio::test]
async fn what_never_ends_is_left_in_little_memory() {
    let before_kib = peak_kib();
    let header = b"X-Header: a value that is not needed\r\n";
    let endless = |stream: &mut TcpStream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n")?;
        without_end(stream, header, Duration::ZERO)
    };
    let reason = failure(endless).await;
    assert!(
        reason.contains("64 headers") || reason.contains("64 KiB"),
        "{reason}"
    );
    let reason = failure(|stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nX: ")?;
        without_end(stream, &[b'y'; 1000], Duration::ZERO)
    });
    assert_eq!(reason.await, "malformed answer: a head of more than 64 KiB");
    let reason = failure(|stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;")?;
        without_end(stream, &[b'y'; 1000], Duration::ZERO)
    });
    assert_eq!(
        reason.await,
        "malformed answer: a size line of more than 4 KiB for a chunk"
    );
    // A body of a gigabyte is refused by its length, or by what comes of it.
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n";
    assert_eq!(
        failure(|stream| stream.write_all(head)).await,
        "a body of more than max_bytes"
    );
    let reason = failure(|stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
        without_end(stream, &vec![b'y'; 1 << 20], Duration::ZERO)
    });
    assert_eq!(reason.await, "a body of more than max_bytes");
    // Other tests take some, too; who keeps a body takes twice as much.
    let grown_kib = peak_kib() - before_kib;
    assert!(grown_kib < MOST_BYTES / 1024 / 2, "{grown_kib} KiB more");
}

#[tokio::test]
async fn a_server_that_speaks_no_more_has_ended_what_has_no_length_and_cut_off_the_rest() {
    for said in [
        "HTTP/1.1 200 OK\r\nContent-",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n",
    ] {
        // It goes on listening.
        let half = move |stream: &mut TcpStream| {
            stream.write_all(said.as_bytes())?;
            stream.shutdown(Shutdown::Write)
        };
        assert_eq!(
            failure(half).await,
            "connection closed in the middle of the answer",
            "{said}"
        );
    }
    for (said, stays) in [(&b"HTTP/1.1 200 OK\r\n\r\nok"[..], false), (ANSWER, true)] {
        let port = server(move |stream| {
            stream.write_all(said)?;
            stream.shutdown(Shutdown::Write)
        });
        let (mut client, reading) = (client(port, GUARD), reading());
        client.connect().await.unwrap();
        let answer = client.ask(&request("GET"), &reading, 0).await.unwrap();
        assert_eq!((answer.status, answer.body_bytes), (200, 2));
        assert_eq!(client.is_connected(), stays);
        if stays {
            let broken = client
                .ask(&request("GET"), &reading, u64::MAX)
                .await
                .unwrap_err();
            assert!(broken.unseen && !client.is_connected(), "{broken:?}");
        }
    }
}

#[tokio::test]
async fn resets_and_wrong_lengths_are_told_apart() {
    let cut_off = "connection closed in the middle of the answer";
    let short = |stream: &mut TcpStream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab")?;
        stream.shutdown(Shutdown::Both)
    };
    assert_eq!(failure(short).await, cut_off);
    let long = |stream: &mut TcpStream| stream.write_all(&[ANSWER, b"more"].concat());
    assert_eq!(
        failure(long).await,
        "malformed answer: more bytes than Content-Length"
    );
    let both = |stream: &mut TcpStream| {
        stream.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nok",
        )
    };
    assert_eq!(
        failure(both).await,
        "malformed answer: two different lengths"
    );
    let garbage = |stream: &mut TcpStream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
    };
    assert_eq!(
        failure(garbage).await,
        "malformed answer: a chunk without size"
    );
}

#[tokio::test]
async fn a_reset_in_the_middle_of_an_answer_is_a_lost_connection() {
    let port = serve(|stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab")?;
        // Closed with the request unread, so that the system resets the connection.
        stream.peek(&mut [0]).map(|_| ())
    });
    let mut client = client(port, GUARD);
    client.connect().await.unwrap();
    let broken = client
        .ask(&request("GET"), &reading(), 0)
        .await
        .unwrap_err();
    let reason = broken.error.reason().text;
    assert!(
        reason == "connection lost" || reason.contains("middle"),
        "{reason}"
    );
}

#[tokio::test]
async fn a_kept_connection_that_the_server_has_closed_gives_no_answer_to_whoever_asks_next() {
    let answers = AtomicU32::new(0);
    let port = server(move |stream| {
        stream.write_all(ANSWER)?;
        if answers.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            stream.shutdown(Shutdown::Both)?;
        }
        Ok(())
    });
    let (mut client, reading) = (client(port, GUARD), reading());
    client.connect().await.unwrap();
    assert_eq!(
        client
            .ask(&request("GET"), &reading, 0)
            .await
            .unwrap()
            .status,
        200
    );
    assert!(client.is_connected(), "nobody has said that it ends");
    let Broken { error, unseen } = client
        .ask(&request("POST"), &reading, u64::MAX)
        .await
        .unwrap_err();
    assert!(unseen, "{error:?}");
    assert!(!client.is_connected());
    client.connect().await.unwrap();
    assert_eq!(
        client
            .ask(&request("GET"), &reading, 0)
            .await
            .unwrap()
            .status,
        200
    );
    let sent = (2 * request("GET").bytes().len() + request("POST").bytes().len()) as u64;
    assert_eq!(client.take_bytes(), (sent, 2 * ANSWER.len() as u64));
    assert_eq!(client.take_bytes(), (0, 0));
}

#[tokio::test]
async fn a_connection_that_either_side_ends_is_not_used_again() {
    let port = server(|stream| stream.write_all(ANSWER));
    let mut client = client(port, GUARD);
    client.connect().await.unwrap();
    let headers = [("Connection".to_owned(), "close".to_owned())];
    let last = Request::new("GET", "web.lab", "/", &headers, b"").unwrap();
    assert!(
        client.ask(&last, &reading(), 0).await.unwrap().status == 200 && !client.is_connected()
    );
}
