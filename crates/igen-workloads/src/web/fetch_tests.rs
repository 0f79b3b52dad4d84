//! Connections of a user that rest, are refused something, or do not come about.

#![allow(clippy::unwrap_used)]
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use igen_engine::Recorder;
use igen_http::{Client, Protocol, Reading, Request, Site, TlsSessions};
use igen_net::Resumption;
use tokio::net::TcpListener;

use super::fetch::{Lane, header};
use super::meter::{CONNECTIONS, COUNTERS, Meter, REFUSED_REQUESTS, STALE_CONNECTIONS, Tally};
use crate::http::test_server::Server;

/// A lane without connection, whose limits are so long.
fn lane(target: &str, protocol: Protocol, limit: Duration) -> Lane {
    let site = Arc::new(Site::of(target, "", protocol).unwrap());
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
            assert_eq!(fetched.answer.unwrap_err(), "tls: no whole answer in time");
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
    lane.wake(100, 5);
    lane.rest(100);
    lane.wake(105, 5);
    assert!(lane.client.is_connected());
    // A page that has not used it changes nothing.
    lane.rest(105);
    lane.wake(106, 5);
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
