//! Connections of a user that rest, are refused something, or do not come about.

#![allow(clippy::unwrap_used)]
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use igen_engine::Recorder;
use igen_http::{Client, Protocol, Reading, Request, Site, TlsSessions};
use igen_net::Resumption;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::fetch::{Lane, header};
use super::meter::{
    CONNECTIONS, COUNTERS, Meter, REFUSED_REQUESTS, REPEATED_REQUESTS, STALE_CONNECTIONS, Tally,
};
use crate::http::test_server::Server;

/// A lane without connection, whose limits are so long.
fn lane(target: &str, protocol: Protocol, limit: Duration) -> Lane {
    let site = Arc::new(Site::of(target, "", protocol, igen_job::Credentials::Own).unwrap());
    let sessions = TlsSessions::of(&site, Resumption::Own).unwrap();
    let mut lane = Lane::new(Client::new(&site, &sessions, limit).unwrap());
    lane.request = Request::new("GET", "web.lab", "/", &[], b"").unwrap();
    lane
}

#[tokio::test(flavor = "local")]
async fn what_is_refused_is_asked_once_more_on_the_same_connection() {
    let (server, target) = Server::start().await;
    let limit = Duration::from_mins(1);
    let (reading, tally) = (Reading::new(None, 9), Tally::default());
    let mut lane = lane(&target, Protocol::Http2, limit);
    for (refuses, succeeds) in [(1, true), (2, false), (1, true)] {
        let mut recorder = Recorder::detached(1, COUNTERS.len()).unwrap();
        let meter = Meter::new(&mut recorder, &tally, 0);
        server.refuses.set(refuses);
        let fetched = lane.fetch(&reading, limit, &meter).await;
        assert_eq!(fetched.answer.is_ok(), succeeds);
        let counted =
            [REFUSED_REQUESTS, STALE_CONNECTIONS].map(|counter| recorder.counted(counter));
        assert_eq!(counted, [refuses as u64, 0]);
    }
    assert_eq!((server.connections.get(), tally.requests.get()), (1, 6));
}

/// Hears frames of HTTP/2 until so many requests have come.
async fn hear_requests(stream: &mut TcpStream, requests: usize) {
    const HEADERS: u8 = 1;
    stream.read_exact(&mut [0; 24]).await.unwrap();
    let mut heard = 0;
    while heard < requests {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await.unwrap();
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        stream.read_exact(&mut payload).await.unwrap();
        heard += usize::from(head[3] == HEADERS);
    }
}

#[tokio::test(flavor = "local")]
async fn what_a_new_connection_of_http_2_has_not_looked_at_is_asked_once_more() {
    // SETTINGS; GOAWAY after stream 1, without an error; the head of stream 1, which ends it, with status 200.
    const GREETING: &[u8] = b"\0\0\0\x04\0\0\0\0\0";
    const LEAVES: &[u8] = b"\0\0\x08\x07\0\0\0\0\0\0\0\0\x01\0\0\0\0";
    const OK: &[u8] = b"\0\0\x01\x01\x05\0\0\0\x01\x88";
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}", listener.local_addr().unwrap());
    tokio::task::spawn_local(async move {
        let mut streams = Vec::new();
        for (requests, answer) in [(2, [LEAVES, OK].concat()), (1, OK.to_vec())] {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(GREETING).await.unwrap();
            hear_requests(&mut stream, requests).await;
            stream.write_all(&answer).await.unwrap();
            streams.push(stream);
        }
        std::future::pending::<()>().await;
    });
    let limit = Duration::from_mins(1);
    let mut first = lane(&target, Protocol::Http2, limit);
    let mut second = first.sibling().unwrap();
    second.request = Request::new("GET", "web.lab", "/", &[], b"").unwrap();
    let (reading, tally) = (Reading::new(None, 9), Tally::default());
    let mut recorder = Recorder::detached(2, COUNTERS.len()).unwrap();
    let meter = Meter::new(&mut recorder, &tally, 0);
    let (one, other) = tokio::join!(
        first.fetch(&reading, limit, &meter),
        second.fetch(&reading, limit, &meter),
    );
    for fetched in [one, other] {
        assert_eq!(fetched.answer.map(|answer| answer.status), Ok(200));
    }
    let counted =
        [CONNECTIONS, STALE_CONNECTIONS, REFUSED_REQUESTS].map(|counter| recorder.counted(counter));
    assert_eq!((counted, tally.requests.get()), ([2, 1, 0], 3));
}

#[tokio::test(flavor = "local")]
async fn a_server_that_stalls_is_waited_for_once_for_all_lanes() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Rc::<Cell<usize>>::default();
    let seen = Rc::clone(&connections);
    tokio::task::spawn_local(async move {
        let mut silent = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            seen.set(seen.get() + 1);
            silent.push(stream);
        }
    });
    let limit = Duration::from_millis(500);
    let target = format!("https://127.0.0.1:{port}?sslmode=require");
    let mut first = lane(&target, Protocol::Http2, limit);
    let (mut second, mut third) = (first.sibling().unwrap(), first.sibling().unwrap());
    let (reading, tally) = (Reading::new(None, 9), Tally::default());
    let mut recorder = Recorder::detached(2, COUNTERS.len()).unwrap();
    for attempts in 1..3 {
        let meter = Meter::new(&mut recorder, &tally, 0);
        let all = tokio::join!(
            first.fetch(&reading, limit, &meter),
            second.fetch(&reading, limit, &meter),
            third.fetch(&reading, limit, &meter),
        );
        for fetched in [all.0, all.1, all.2] {
            assert_eq!(
                fetched.answer.unwrap_err().to_string(),
                "tls: no complete answer in time"
            );
        }
        assert_eq!(connections.get(), attempts);
        assert_eq!(recorder.counted(CONNECTIONS), attempts as u64);
    }
}

#[tokio::test(flavor = "local")]
async fn a_connection_that_has_rested_for_too_long_is_closed() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}", listener.local_addr().unwrap());
    let mut lane = lane(&target, Protocol::Http1, Duration::from_secs(9));
    lane.client.connect().await.unwrap();
    let minute = Duration::from_mins(1);
    lane.rests_since = Instant::now().checked_sub(minute).unwrap();
    lane.wake(120_000_000_000);
    assert!(lane.client.is_connected());
    lane.wake(60_000_000_000);
    assert!(!lane.client.is_connected());
}

#[test]
fn headers_are_found_by_name() {
    let head = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nset-cookie:b=2 \r\nSet-Cookie2: c\r\n\r\n";
    assert_eq!(
        header(head, "Set-Cookie").collect::<Vec<_>>(),
        [&b"a=1"[..], b"b=2"]
    );
    assert_eq!(header(head, "HTTP/1.1 200 OK").count(), 0);
}

#[tokio::test(flavor = "local")]
async fn a_request_that_is_dropped_fails_unless_its_connection_has_rested() {
    const OK: &[u8] = b"HTTP/1.1 204 No\r\n\r\n";
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}", listener.local_addr().unwrap());
    // One answer a connection; the next request on it is dropped.
    tokio::task::spawn_local(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _asked = stream.read(&mut [0; 1024]).await;
            stream.write_all(OK).await.unwrap();
            let _asked = stream.read(&mut [0; 1024]).await;
        }
    });
    let limit = Duration::from_mins(1);
    let (reading, tally) = (Reading::new(None, 9), Tally::default());
    for (rest, succeeds) in [(0, false), (1, true)] {
        let mut lane = lane(&target, Protocol::Http1, limit);
        let mut recorder = Recorder::detached(2, COUNTERS.len()).unwrap();
        let meter = Meter::new(&mut recorder, &tally, 0);
        assert!(lane.fetch(&reading, limit, &meter).await.answer.is_ok());
        let since = lane.rests_since.checked_sub(Duration::from_secs(rest));
        lane.rests_since = since.unwrap();
        let fetched = lane.fetch(&reading, limit, &meter).await;
        assert_eq!(fetched.answer.is_ok(), succeeds);
        let counted =
            [STALE_CONNECTIONS, REPEATED_REQUESTS].map(|counter| recorder.counted(counter));
        assert_eq!(counted, [u64::from(succeeds); 2]);
    }
}
