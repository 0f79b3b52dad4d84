//! Requests that go out together, over how many connections, and for how long each is waited for.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use igen_engine::{Recorder, User, UserContext, Workload};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Barrier;

use super::tests::web;

/// Longer than anything here takes; only a defect waits that long.
const GUARD: Duration = Duration::from_mins(1);
const PAGE: &str = "
session = { steps = [{ page = 'p' }] }
browser = { connections = CONNECTIONS, keep = KEEP }
[[page]]
name = 'p'
request = [
  { name = 'a', get = '/a' },
  { name = 'b', get = '/b', after = 'a' },
  { name = 'c', get = '/c', after = 'a' },
  { name = 'd', get = '/d' },
]
";

/// What a server has seen.
#[derive(Default)]
struct Seen {
    connections: Cell<usize>,
    paths: RefCell<Vec<String>>,
}

impl Seen {
    fn sorted(&self, places: std::ops::Range<usize>) -> Vec<String> {
        let mut paths = self.paths.borrow()[places].to_vec();
        paths.sort();
        paths
    }
}

/// Answers requests for `/b` and `/c` only when both have come, where they are to `meet`, never those for `/never`,
/// and refuses those for `/busy`.
async fn answer(mut stream: TcpStream, seen: Rc<Seen>, meet: Option<Rc<Barrier>>) {
    let mut bytes = [0; 4096];
    while let Ok(length @ 1..) = stream.read(&mut bytes).await {
        let asked = String::from_utf8_lossy(&bytes[..length]).into_owned();
        let path = asked.split(' ').nth(1).unwrap_or_default().to_owned();
        seen.paths.borrow_mut().push(path.clone());
        match path.as_str() {
            "/b" | "/c" => {
                if let Some(meet) = &meet {
                    meet.wait().await;
                }
            }
            "/never" => return std::future::pending().await,
            _ => (),
        }
        let status = if path == "/busy" { 503 } else { 200 };
        let answer = format!("HTTP/1.1 {status} So\r\nContent-Length: 0\r\n\r\n");
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// What a server sees of so many pages, and why each failed.
async fn pages(scenario: &str, count: usize, meet: bool) -> (Rc<Seen>, Vec<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}", listener.local_addr().unwrap());
    let seen = Rc::<Seen>::default();
    let of_server = Rc::clone(&seen);
    tokio::task::spawn_local(async move {
        let barrier = meet.then(|| Rc::new(Barrier::new(2)));
        while let Ok((stream, _)) = listener.accept().await {
            of_server.connections.set(of_server.connections.get() + 1);
            tokio::task::spawn_local(answer(stream, Rc::clone(&of_server), barrier.clone()));
        }
    });
    let web = web(scenario, &target);
    let context = UserContext {
        id: 0,
        seed: 1,
        target: 0,
    };
    let mut user = web.user(context).await.unwrap();
    let operations = web.operations().len();
    let mut recorder = Recorder::detached(operations, super::meter::COUNTERS.len()).unwrap();
    let mut reasons = Vec::new();
    for _ in 0..count {
        let page = tokio::time::timeout(GUARD, user.transaction(&mut recorder));
        let done = page.await.expect("an end");
        reasons.push(done.map_or_else(|failure| failure.reason.to_string(), |()| String::new()));
    }
    (seen, reasons)
}

fn scenario(connections: u8, keep: &str) -> String {
    PAGE.replace("CONNECTIONS", &connections.to_string())
        .replace("KEEP", keep)
}

#[tokio::test(flavor = "local")]
async fn requests_after_the_same_one_go_out_together() {
    for (keep, connections) in [("1", 3), ("'all'", 2), ("0", 4)] {
        let (seen, reasons) = pages(&scenario(6, keep), 2, true).await;
        assert_eq!(reasons, ["", ""]);
        for page in [0, 4] {
            assert_eq!(seen.paths.borrow()[page], "/a");
            assert_eq!(seen.sorted(page + 1..page + 3), ["/b", "/c"]);
            assert_eq!(seen.paths.borrow()[page + 3], "/d");
        }
        assert_eq!(seen.connections.get(), connections, "keep {keep}");
    }
}

#[tokio::test(flavor = "local")]
async fn they_go_out_one_after_another_where_there_is_one_connection() {
    let (seen, reasons) = pages(&scenario(1, "1"), 1, false).await;
    assert_eq!(reasons, [""]);
    assert_eq!(*seen.paths.borrow(), ["/a", "/b", "/c", "/d"]);
    assert_eq!(seen.connections.get(), 1);
}

#[tokio::test(flavor = "local")]
async fn nothing_more_goes_out_when_one_has_failed() {
    let fails = scenario(1, "1").replace("'/b'", "'/busy'");
    let (seen, reasons) = pages(&fails, 1, false).await;
    assert_eq!(reasons, ["p: status 503"]);
    assert_eq!(*seen.paths.borrow(), ["/a", "/busy"]);
}

#[tokio::test(flavor = "local")]
async fn a_request_may_have_a_time_of_its_own() {
    let slow = scenario(6, "1").replace("get = '/d'", "get = '/never', timeout = '500ms'");
    let (seen, reasons) = pages(&slow, 1, true).await;
    assert_eq!(reasons, ["p: no complete answer in time"]);
    assert_eq!(
        seen.paths.borrow().last().map(String::as_str),
        Some("/never")
    );
}
