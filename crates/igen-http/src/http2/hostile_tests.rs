//! Servers of HTTP/2 that mean no good: each ends in a short reason, in time, and in little memory.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{Read, Result, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use igen_net::Resumption;
use igen_net::testing::{GUARD, by_drops, peak_kib, serve, without_end};
use proptest::prelude::*;

use crate::{Broken, Client, Protocol, Reading, Request, Site, TlsSessions};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;
/// The stream of the first request.
const FIRST: u32 = 1;
/// `:status: 200`, and 103, as HPACK has them.
const OK: &[u8] = b"\x88";
const EARLY: &[u8] = b"\x08\x03103";
/// The body of a GOAWAY: the last stream that was looked at, and `NO_ERROR`.
const NONE_WAS_LOOKED_AT: [u8; 8] = [0; 8];
/// The body of a `RST_STREAM`.
const REFUSED_STREAM: [u8; 4] = [0, 0, 0, 7];

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A server that greets, waits for a request, and then does that; it reads no more.
fn server(talk: impl Fn(&mut TcpStream) -> Result<()> + Send + Sync + 'static) -> u16 {
    serve(move |stream| {
        stream.write_all(&frame(SETTINGS, 0, 0, b""))?;
        let mut asked = Vec::new();
        // The request stands behind preface and settings, and ends with the stream.
        while !has_asked(&asked) {
            let mut bytes = [0; 4096];
            match stream.read(&mut bytes)? {
                0 => return Ok(()),
                read => asked.extend_from_slice(&bytes[..read]),
            }
        }
        talk(stream)?;
        // Closed only when the client leaves, so that nothing is lost.
        while stream.read(&mut [0; 4096])? > 0 {}
        Ok(())
    })
}

/// Returns true if the head of a request is among these frames.
fn has_asked(said: &[u8]) -> bool {
    payload(said, HEADERS).is_some()
}

/// What is there of the first frame of that kind.
fn payload(said: &[u8], kind: u8) -> Option<Vec<u8>> {
    let mut rest = said.strip_prefix(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")?;
    while let Some((head, after)) = rest.split_at_checked(9) {
        let length = usize::from(head[1]) << 8 | usize::from(head[2]);
        if head[3] == kind {
            return Some(after[..length.min(after.len())].to_vec());
        }
        rest = after.get(length..).unwrap_or_default();
    }
    None
}

fn client(port: u16, limit: Duration) -> Client {
    let target = format!("http://127.0.0.1:{port}");
    let site =
        Arc::new(Site::of(&target, "", Protocol::Http2, igen_job::Credentials::Own).unwrap());
    let sessions = TlsSessions::of(&site, Resumption::Own).unwrap();
    Client::new(&site, &sessions, limit).unwrap()
}

/// What becomes of a GET.
async fn broken(port: u16) -> (Client, Broken) {
    let mut client = client(port, Duration::from_secs(1));
    client.connect().await.unwrap();
    let request = Request::new("GET", "web.lab", "/", &[], b"").unwrap();
    let reading = Reading::new(Some("nowhere"), 1 << 20);
    let asked = tokio::time::timeout(GUARD, client.ask(&request, &reading, 0)).await;
    let broken = asked.expect("an end").unwrap_err();
    (client, broken)
}

/// Why a GET fails.
async fn failure(talk: impl Fn(&mut TcpStream) -> Result<()> + Send + Sync + 'static) -> String {
    let (_, broken) = broken(server(talk)).await;
    assert!(!broken.unseen, "{:?}", broken.error);
    broken.error.reason().to_string()
}

/// The same of a server that says this and nothing more.
async fn reason(said: Vec<u8>) -> String {
    failure(move |stream| stream.write_all(&said)).await
}

#[tokio::test]
async fn who_answers_drop_by_drop_or_not_at_all_is_left_in_time() {
    let late = "no complete answer in time";
    let head = frame(HEADERS, END_HEADERS, FIRST, OK);
    let drops = [head, frame(DATA, END_STREAM, FIRST, &[b'x'; 9999])].concat();
    assert_eq!(failure(move |stream| by_drops(stream, &drops)).await, late);
    let (client, broken) = broken(server(|_| Ok(()))).await;
    assert_eq!(broken.error.reason().to_string(), late);
    assert!(
        !client.is_connected(),
        "who says nothing is not asked again"
    );
}

#[tokio::test]
async fn what_never_ends_is_left_in_little_memory() {
    let before_kib = peak_kib();
    // A header of 1,000 bytes that is not to be indexed, without an end of the head.
    let header = [b"\x00\x01x\x7f\xe9\x06".as_slice(), &[b'y'; 1000]].concat();
    let more = frame(CONTINUATION, 0, FIRST, &header);
    let endless_head = failure(move |stream| {
        stream.write_all(&frame(HEADERS, 0, FIRST, OK))?;
        without_end(stream, &more, Duration::ZERO)
    });
    let endless_head = endless_head.await;
    assert!(
        endless_head.starts_with("malformed answer: "),
        "{endless_head}"
    );
    let early = frame(HEADERS, END_HEADERS, FIRST, EARLY);
    let endless_interim = failure(move |stream| without_end(stream, &early, Duration::ZERO));
    assert_eq!(
        endless_interim.await,
        "malformed answer: more than 16 interim answers"
    );
    let endless_body = failure(|stream| {
        stream.write_all(&frame(HEADERS, END_HEADERS, FIRST, OK))?;
        // As fast as the client's windows let it.
        without_end(
            stream,
            &frame(DATA, 0, FIRST, &[b'x'; 1000]),
            Duration::from_micros(20),
        )
    });
    let endless_body = endless_body.await;
    assert!(
        endless_body == "a body of more than max_bytes"
            || endless_body == "malformed answer: FLOW_CONTROL_ERROR",
        "{endless_body}"
    );
    for nothing in [
        frame(PING, 0, 0, &[0; 8]),
        frame(SETTINGS, 0, 0, b""),
        frame(DATA, 0, FIRST, b""),
        frame(WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1]),
    ] {
        let reason = failure(move |stream| {
            stream.write_all(&frame(HEADERS, END_HEADERS, FIRST, OK))?;
            without_end(stream, &nothing, Duration::ZERO)
        });
        let reason = reason.await;
        assert!(
            reason == "no complete answer in time" || reason.starts_with("malformed answer: "),
            "{reason}"
        );
    }
    let grown_kib = peak_kib() - before_kib;
    assert!(grown_kib < 64 * 1024, "{grown_kib} KiB more");
}

#[tokio::test]
async fn what_is_against_the_rules_is_told_by_its_name() {
    let head = |more: &[u8]| frame(HEADERS, END_HEADERS, FIRST, &[OK, more].concat());
    for (said, expected) in [
        (
            b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
            "malformed answer: FRAME_SIZE_ERROR",
        ),
        (
            frame(DATA, 0, FIRST, b"x"),
            "malformed answer: PROTOCOL_ERROR",
        ),
        (
            frame(PUSH_PROMISE, END_HEADERS, FIRST, b"\0\0\0\x02\x82"),
            "malformed answer: PROTOCOL_ERROR",
        ),
        (
            frame(HEADERS, END_HEADERS, FIRST, b"\xff\xff\xff\xff\xff"),
            "malformed answer: PROTOCOL_ERROR",
        ),
        // A name with a capital letter, and no status.
        (head(b"\x00\x01X\x01y"), "malformed answer: PROTOCOL_ERROR"),
        (
            frame(HEADERS, END_HEADERS, FIRST, b"\x00\x01x\x01y"),
            "malformed answer: PROTOCOL_ERROR",
        ),
        (
            frame(WINDOW_UPDATE, 0, 0, &[0x7f, 0xff, 0xff, 0xff]),
            "malformed answer: FLOW_CONTROL_ERROR",
        ),
        (
            frame(SETTINGS, 0, 0, b"\0\x05\0\0\0\0"),
            "malformed answer: PROTOCOL_ERROR",
        ),
        // Another length than was told: `content-length: 5`.
        (
            [
                head(b"\x0f\x0d\x015"),
                frame(DATA, END_STREAM, FIRST, b"ab"),
            ]
            .concat(),
            "malformed answer: PROTOCOL_ERROR",
        ),
        (
            frame(HEADERS, END_HEADERS, FIRST, b"\x08\x03101"),
            "malformed answer: switch to a protocol that was not requested",
        ),
    ] {
        assert_eq!(reason(said.clone()).await, expected, "{said:?}");
    }
    let beyond = [head(b"")].into_iter();
    let beyond = beyond.chain((0..70).map(|_| frame(DATA, 0, FIRST, &[b'x'; 16_384])));
    // More than a window, at once.
    assert_eq!(
        reason(beyond.flatten().collect()).await,
        "malformed answer: FLOW_CONTROL_ERROR"
    );
}

#[tokio::test]
async fn who_does_not_speak_it_is_told_by_the_greeting_alone() {
    for said in [b"".as_slice(), b"HTTP/1.1 400 Bad Request\r\n\r\n"] {
        let port = serve(move |stream| {
            let _preface = stream.read(&mut [0; 4096])?;
            stream.write_all(said)?;
            stream.shutdown(Shutdown::Write)?;
            while stream.read(&mut [0; 4096])? > 0 {}
            Ok(())
        });
        let mut client = client(port, GUARD);
        client.connect().await.unwrap();
        let error = client.greet().await.unwrap_err();
        assert_eq!(
            error.reason().to_string(),
            "the server does not support HTTP/2 on this port"
        );
        client.connect().await.unwrap();
        let other = client.settle().await.unwrap_err().reason().to_string();
        assert_ne!(other, "the server does not support HTTP/2 on this port");
    }
}

#[tokio::test]
async fn an_answer_that_was_announced_has_begun() {
    let cut_off = failure(|stream| {
        stream.write_all(&frame(HEADERS, END_HEADERS, FIRST, EARLY))?;
        stream.shutdown(Shutdown::Write)
    });
    assert_eq!(
        cut_off.await,
        "connection closed in the middle of the answer"
    );
    let early = frame(HEADERS, END_HEADERS, FIRST, EARLY);
    let refused = frame(RST_STREAM, 0, FIRST, &REFUSED_STREAM);
    assert_eq!(
        reason([early, refused].concat()).await,
        "the server ended the stream: REFUSED_STREAM"
    );
}

#[tokio::test]
async fn a_connection_that_ends_is_told_as_one_of_http_1() {
    let cut_off = failure(|stream| {
        stream.write_all(&frame(HEADERS, END_HEADERS, FIRST, OK))?;
        stream.shutdown(Shutdown::Write)
    });
    assert_eq!(
        cut_off.await,
        "connection closed in the middle of the answer"
    );
    let (client, gone) = broken(server(|stream| stream.shutdown(Shutdown::Write))).await;
    assert_eq!(
        gone.error.reason().to_string(),
        "connection closed without an answer"
    );
    assert!(!gone.unseen && !client.is_connected());
    let said = frame(GOAWAY, 0, 0, &NONE_WAS_LOOKED_AT);
    let (client, gone) = broken(server(move |stream| stream.write_all(&said))).await;
    assert_eq!(
        gone.error.reason().to_string(),
        "the server ended the connection: NO_ERROR"
    );
    assert!(gone.unseen && !client.is_connected());
    let calm = frame(GOAWAY, 0, 0, &[0, 0, 0, 0, 0, 0, 0, 11]);
    assert_eq!(
        reason(calm).await,
        "the server ended the connection: ENHANCE_YOUR_CALM"
    );
}

#[tokio::test]
async fn a_head_that_was_sent_in_part_may_have_been_seen() {
    let port = serve(|stream| {
        stream.write_all(&frame(SETTINGS, 0, 0, b""))?;
        let mut asked = Vec::new();
        while !has_asked(&asked) {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            asked.extend(byte);
        }
        // What is unread makes the end a reset.
        Ok(())
    });
    let mut client = client(port, GUARD);
    client.connect().await.unwrap();
    // More than the system takes of a client whose server does not read.
    let long = ("X-Long".to_owned(), "x".repeat(4 << 20));
    let request = Request::new("GET", "web.lab", "/", &[long], b"").unwrap();
    let asked = client.ask(&request, &Reading::new(None, 9), 0).await;
    let broken = asked.unwrap_err();
    let reason = broken.error.reason().to_string();
    assert!(reason.starts_with("connection "), "{reason}");
    assert!(!broken.unseen && !client.is_connected());
}

#[tokio::test]
async fn what_was_looked_at_or_may_have_been_is_not_asked_again() {
    const LOOKED_AT: [u8; 8] = [0, 0, 0, 1, 0, 0, 0, 0];
    let said = frame(GOAWAY, 0, 0, &LOOKED_AT);
    let reason = failure(move |stream| {
        stream.write_all(&said)?;
        stream.shutdown(Shutdown::Write)
    });
    assert_eq!(reason.await, "connection closed without an answer");
}

#[tokio::test]
async fn what_was_never_sent_cannot_have_been_seen() {
    let (end, ended) = channel();
    let ended = Mutex::new(ended);
    let port = serve(move |stream| {
        // It lets no request be under way.
        stream.write_all(&frame(SETTINGS, 0, 0, b"\0\x03\0\0\0\0"))?;
        let mut said = Vec::new();
        let ping = loop {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            said.extend(byte);
            if let Some(ping) = payload(&said, PING).filter(|ping| ping.len() == 8) {
                break ping;
            }
        };
        stream.write_all(&frame(PING, ACK, 0, &ping))?;
        let _ = ended.lock().unwrap().recv();
        stream.shutdown(Shutdown::Write)?;
        while stream.read(&mut [0; 4096])? > 0 {}
        Ok(())
    });
    let mut client = client(port, GUARD);
    client.connect().await.unwrap();
    client.settle().await.unwrap();
    let request = Request::new("GET", "web.lab", "/", &[], b"").unwrap();
    let reading = Reading::new(None, 9);
    let (asked, ()) = tokio::join!(client.ask(&request, &reading, 0), async {
        end.send(()).unwrap();
    });
    let broken = asked.unwrap_err();
    assert_eq!(
        broken.error.reason().to_string(),
        "connection closed without an answer"
    );
    assert!(broken.unseen && !client.is_connected());
}

#[tokio::test]
async fn bytes_are_counted_as_they_go_over_the_wire() {
    let said = [
        frame(HEADERS, END_HEADERS, FIRST, OK),
        frame(DATA, END_STREAM, FIRST, b"ok"),
    ]
    .concat();
    let received = (said.len() + frame(SETTINGS, 0, 0, b"").len()) as u64;
    let port = server(move |stream| stream.write_all(&said));
    let mut client = client(port, GUARD);
    client.connect().await.unwrap();
    let request = Request::new("GET", "web.lab", "/", &[], b"").unwrap();
    let answer = client
        .ask(&request, &Reading::new(Some("ok"), 9), 0)
        .await
        .unwrap();
    assert!(answer.contains && answer.body_bytes == 2);
    let (sent, told) = client.take_bytes();
    assert_eq!(told, received);
    assert!(sent > 24 + 9 + 9, "preface, settings and head: {sent}");
    assert_eq!(client.take_bytes(), (0, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn garbage_in_frames_is_an_error_or_an_answer(
        frames in prop::collection::vec((0_u8..12, any::<u8>(), 0_u32..4, prop::collection::vec(any::<u8>(), 0..40)), 1..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut said: Vec<u8> = frames.iter().flat_map(|(kind, flags, stream, payload)| frame(*kind, *flags, *stream, payload)).collect();
        said.truncate(cut.index(said.len()) + 1);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let port = server(move |stream| {
                stream.write_all(&said)?;
                stream.shutdown(Shutdown::Write)
            });
            let mut client = client(port, GUARD);
            client.connect().await.unwrap();
            let request = Request::new("GET", "web.lab", "/", &[], b"").unwrap();
            let reading = Reading::new(None, 9);
            let asked = client.ask(&request, &reading, 0);
            let _ = tokio::time::timeout(GUARD, asked).await.expect("an end");
        });
    }
}
