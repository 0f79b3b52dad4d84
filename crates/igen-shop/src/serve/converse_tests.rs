//! Clients of HTTP/2 who take their time, frame by frame on a paused clock.
#![allow(clippy::unwrap_used)]

use std::convert::Infallible;
use std::time::Duration;

use hyper::Response;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::task::spawn_local;
use tokio::time::{Instant, sleep};

use super::body::Body;
use super::converse::http2;
use super::limits::Limits;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// `GET`, `http` and `/`, as HPACK has them.
const GET: &[u8] = b"\x82\x86\x84";
const BODY_BYTES: usize = 180_000;
/// What the client lets a stream send before it has taken it, and takes in a second.
const WINDOW: u32 = 4096;

fn limits(idle_s: u64) -> Limits {
    Limits {
        idle: Duration::from_secs(idle_s),
        transfer: Duration::from_secs(3),
        ..Limits::default()
    }
}

/// A client whose server answers everything with the same body. It acknowledges nothing, as if it never heard it.
struct Raw(DuplexStream);

impl Raw {
    async fn connected(limits: Limits) -> Self {
        let (own, servers) = duplex(1 << 16);
        spawn_local(http2(servers, limits, |_| async {
            Ok::<_, Infallible>(Response::new(Body::whole(vec![0; BODY_BYTES])))
        }));
        let mut client = Self(own);
        let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        client.0.write_all(preface).await.unwrap();
        let window = [&[0, 4][..], &WINDOW.to_be_bytes()].concat();
        client.say(SETTINGS, 0, 0, &window).await;
        client
    }

    async fn say(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
        self.0.write_all(&[&head, payload].concat()).await.unwrap();
    }

    async fn ask(&mut self, stream: u32) {
        let flags = END_STREAM | END_HEADERS;
        self.say(HEADERS, flags, stream, GET).await;
    }

    /// Kind, flags and payload of the next frame; `None` at the end of the connection.
    async fn hear(&mut self) -> Option<(u8, u8, Vec<u8>)> {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).await.ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        self.0.read_exact(&mut payload).await.ok()?;
        Some((head[3], head[4], payload))
    }

    /// Hears frames up to one of this kind; whether there was one.
    async fn hears(&mut self, kind: u8) -> bool {
        while let Some((heard, ..)) = self.hear().await {
            if heard == kind {
                return true;
            }
        }
        false
    }

    /// Bytes of an answer that is taken bit by bit.
    async fn take(&mut self, stream: u32) -> usize {
        let mut taken = 0;
        while let Some((kind, flags, payload)) = self.hear().await {
            if kind != DATA {
                continue;
            }
            taken += payload.len();
            if flags & END_STREAM != 0 {
                break;
            }
            let more = u32::try_from(payload.len()).unwrap();
            sleep(Duration::from_secs(1) * more / WINDOW).await;
            for window_of in [0, stream] {
                self.say(WINDOW_UPDATE, 0, window_of, &more.to_be_bytes())
                    .await;
            }
        }
        taken
    }
}

#[tokio::test(flavor = "local", start_paused = true)]
async fn a_client_that_reads_slowly_gets_its_whole_answer() {
    let mut client = Raw::connected(limits(5)).await;
    client.ask(1).await;
    let began = Instant::now();
    assert_eq!(client.take(1).await, BODY_BYTES);
    assert!(began.elapsed() > Duration::from_secs(40));
    assert!(client.hears(GOAWAY).await, "it rests from then on");
    assert!(began.elapsed() > Duration::from_secs(45));
}

#[tokio::test(flavor = "local", start_paused = true)]
async fn what_is_asked_before_the_end_is_heard_of_is_answered_however_slowly_it_is_read() {
    let mut client = Raw::connected(limits(5)).await;
    assert!(client.hears(GOAWAY).await);
    client.ask(1).await;
    assert_eq!(client.take(1).await, BODY_BYTES);
    let ended = Instant::now();
    while client.hear().await.is_some() {}
    assert!(
        ended.elapsed() < Duration::from_secs(7),
        "it is not waited for"
    );
}

#[tokio::test(flavor = "local", start_paused = true)]
async fn a_client_that_takes_nothing_is_left_whatever_else_it_says() {
    let mut client = Raw::connected(limits(60)).await;
    client.ask(1).await;
    let began = Instant::now();
    let asks = [0, 0, 8, PING, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    // It grants no window after the first.
    while client.0.write_all(&asks).await.is_ok() && client.hears(PING).await {
        sleep(Duration::from_secs(1)).await;
    }
    let left = began.elapsed();
    assert!(left >= limits(60).transfer && left < Duration::from_secs(7));
}
