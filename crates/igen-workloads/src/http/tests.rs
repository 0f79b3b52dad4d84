#![allow(clippy::unwrap_used, clippy::expect_used)]

use igen_engine::{Recorder, Setup, Then, User, UserContext, Workload};
use igen_net::CONNECTING;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::Http;
use super::params::Params;
use super::test_server::{MOST_STREAMS, Server};
use super::user::{COUNTERS, REFUSED_REQUESTS, REPEATED_REQUESTS, REQUESTS, STALE_CONNECTIONS};

fn setup(targets: &[&str], users: u32) -> Setup {
    Setup {
        targets: targets.iter().map(|target| (*target).to_owned()).collect(),
        users,
        own_users: users,
        agent_users: users,
        stream: true,
        rest_s: 0.0,
        seed: 1,
        force: false,
        i_own_this_data: false,
        credentials: igen_job::Credentials::Own,
    }
}

fn params(json: &str) -> Params {
    serde_json::from_str(json).expect(json)
}

fn refused(json: &str, targets: &[&str], users: u32) -> igen_job::JobError {
    Http::new(params(json), setup(targets, users))
        .err()
        .expect(json)
}

#[test]
fn only_who_has_agreed_is_loaded() {
    let public = "http://192.0.2.1/";
    let error = refused("{}", &["http://127.0.0.1", public], 2);
    assert_eq!(error.path, "targets[1]");
    assert!(error.hint.contains("i_may_load=192.0.2.1"), "{error}");
    assert!(
        Http::new(
            params(r#"{"i_may_load": "192.0.2.1"}"#),
            setup(&[public], 1)
        )
        .is_ok()
    );
    let forced = Setup {
        force: true,
        ..setup(&[public], 1)
    };
    assert!(Http::new(Params::default(), forced).is_ok());
}

#[test]
fn operations_are_the_paths_and_what_a_connection_takes() {
    let json = r#"{"paths": "/a,/b?c=d", "method": "POST"}"#;
    let http = Http::new(params(json), setup(&["http://127.0.0.1"], 1)).unwrap();
    assert_eq!(http.operations(), ["POST /a", "POST /b?c=d", "connect"]);
    let http = Http::new(Params::default(), setup(&["https://127.0.0.1"], 1)).unwrap();
    assert_eq!(http.operations(), ["GET /", "connect", "tls"]);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let here = &["http://127.0.0.1"];
    assert!(
        refused(r#"{"method": "get"}"#, here, 1)
            .text
            .contains("capital")
    );
    assert!(refused(r#"{"path": "a"}"#, here, 1).text.contains("slash"));
    let error = refused("{}", here, 100_000);
    assert_eq!(error.path, "load");
}

/// Answers each request of one connection with these, then closes it, and so on.
async fn serve(listener: TcpListener, connections: &[&[&str]]) {
    for answers in connections {
        let (mut stream, _) = listener.accept().await.unwrap();
        for answer in *answers {
            if stream.read(&mut [0; 1024]).await.unwrap() == 0 {
                break;
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    }
}

/// The reasons for which transactions fail, one after another; empty where they succeed. Before each of them the
/// user rests for `rest_ms`. Also the counters of requests: all, on stale connections, sent again.
async fn transactions(
    json: &str,
    rest_ms: u64,
    connections: &[&[&str]],
    count: usize,
) -> (Vec<String>, [u64; 3]) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}", listener.local_addr().unwrap());
    let http = Http::new(params(json), setup(&[&target], 1)).unwrap();
    let load = async {
        let context = UserContext {
            id: 0,
            seed: 1,
            target: 0,
        };
        let mut user = http.user(context).await.unwrap();
        // Connections of transactions wait for nobody's: what the client makes wait is no server's time.
        let _all_turns = CONNECTING.acquire_many(64).await.unwrap();
        let mut recorder = Recorder::detached(3, COUNTERS.len()).unwrap();
        let mut reasons = Vec::new();
        for _ in 0..count {
            recorder.began_at(rest_ms * 1_000_000);
            let done = user.transaction(&mut recorder).await;
            reasons
                .push(done.map_or_else(|failure| failure.reason.to_string(), |()| String::new()));
        }
        let counted = [REQUESTS, STALE_CONNECTIONS, REPEATED_REQUESTS]
            .map(|counter| recorder.counted(counter));
        (reasons, counted)
    };
    tokio::join!(serve(listener, connections), load).1
}

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nWelcome";
const LAST: &str = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nWelcome";
const BUSY: &str = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n";

#[tokio::test(flavor = "local")]
async fn a_transaction_fails_with_its_path_and_its_reason() {
    let json = r#"{"expect": {"contains": "Welcome"}}"#;
    let error_page = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nSorry";
    let answers: &[&[&str]] = &[&[OK, BUSY, error_page, "Hello\r\n"], &[OK]];
    let (reasons, _) = transactions(json, 0, answers, 5).await;
    assert_eq!(
        reasons,
        [
            "",
            "GET /: status 503",
            "GET /: a body without the expected text",
            "GET /: malformed answer: not HTTP/1.1",
            "",
        ]
    );
}

#[tokio::test(flavor = "local")]
async fn a_stale_connection_is_made_anew_for_what_may_be_repeated() {
    // Closed after an answer, without a word.
    let answers: &[&[&str]] = &[&[OK], &[OK, LAST], &[OK]];
    let (reasons, counted) = transactions("{}", 100, answers, 4).await;
    assert_eq!(reasons, ["", "", "", ""]);
    assert_eq!(counted, [5, 1, 1]);
    let (reasons, counted) = transactions(r#"{"method": "POST"}"#, 100, &[&[OK], &[OK]], 3).await;
    assert_eq!((reasons[0].as_str(), reasons[2].as_str()), ("", ""));
    assert!(
        reasons[1].starts_with("POST /: connection"),
        "{}",
        reasons[1]
    );
    assert_eq!(counted, [3, 1, 0]);
}

const KEPT: &str = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nKeep-Alive: max=9, timeout=5\r\n\r\n";

#[tokio::test(flavor = "local")]
async fn a_request_that_is_dropped_fails_unless_its_connection_has_rested() {
    for (rest_ms, first, is_stale) in [
        (99, OK, false),
        (100, OK, true),
        (1_000, KEPT, false),
        (5_000, KEPT, true),
    ] {
        let connections: &[&[&str]] = &[&[first], &[OK]];
        let made = &connections[..=usize::from(is_stale)];
        let (reasons, counted) = transactions("{}", rest_ms, made, 2).await;
        assert_eq!(reasons[0], "");
        assert_eq!(reasons[1].is_empty(), is_stale, "{rest_ms} ms: {reasons:?}");
        let [_, stale, repeated] = counted;
        assert_eq!([stale, repeated], [u64::from(is_stale); 2]);
    }
}

#[tokio::test(flavor = "local")]
async fn what_is_wrong_is_told_before_any_load() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = format!("http://{}", listener.local_addr().unwrap());
    let verify = async |json: &str, answer: &str| {
        let http = Http::new(params(json), setup(&[&target], 1)).unwrap();
        let serve = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _asked = stream.read(&mut [0; 1024]).await;
            let _ = stream.write_all(answer.as_bytes()).await;
        };
        tokio::join!(serve, http.verify(false)).1
    };
    assert_eq!(verify("{}", OK).await, Ok(()));
    for (json, answer, text, hint) in [
        ("{}", BUSY, "GET /: status 503", "200 to 299"),
        (
            "{}",
            "HTTP/1.1 301 Moved\r\nContent-Length: 0\r\n\r\n",
            "status 301",
            "not followed",
        ),
        (
            "{}",
            "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n",
            "status 401",
            "env:IGEN_TOKEN",
        ),
        (
            "{}",
            "HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n",
            "status 400",
            "https://",
        ),
        (
            r#"{"expect": {"contains": "shop"}}"#,
            OK,
            "without the expected text",
            "expect.contains",
        ),
        (
            "{}",
            "\x15\x03\x01\x00\x02\x02\x46",
            "expects TLS",
            "https://",
        ),
    ] {
        let error = verify(json, answer).await.unwrap_err();
        assert_eq!(error.path, "targets[0]");
        assert!(
            error.text.contains(text) && error.hint.contains(hint),
            "{error}"
        );
    }
    drop(listener);
    let http = Http::new(Params::default(), setup(&[&target], 1)).unwrap();
    let error = http.verify(false).await.unwrap_err();
    assert!(error.text.contains("connection refused"), "{error}");
}

const FIRST_USER: UserContext = UserContext {
    id: 0,
    seed: 1,
    target: 0,
};

#[tokio::test(flavor = "local")]
async fn what_is_refused_is_asked_once_more_on_the_same_connection() {
    let (server, target) = Server::start().await;
    for (method, refuses, reason, requests) in [
        ("GET", 1, "", 2),
        (
            "GET",
            2,
            "GET /: the server ended the stream: REFUSED_STREAM",
            2,
        ),
        (
            "POST",
            1,
            "POST /: the server ended the stream: REFUSED_STREAM",
            1,
        ),
    ] {
        let json = format!(r#"{{"protocol": "h2", "method": "{method}"}}"#);
        let http = Http::new(params(&json), setup(&[&target], 1)).unwrap();
        let mut user = http.user(FIRST_USER).await.unwrap();
        let mut recorder = Recorder::detached(3, COUNTERS.len()).unwrap();
        server.refuses.set(refuses);
        let (connections, before) = (server.connections.get(), server.requests.get());
        let done = user.transaction(&mut recorder).await;
        let told = done.map_or_else(|failure| failure.reason.to_string(), |()| String::new());
        assert_eq!(told, reason);
        assert_eq!(server.requests.get() - before, requests);
        assert_eq!(server.connections.get(), connections, "it goes on");
        let counted = [REQUESTS, REFUSED_REQUESTS, STALE_CONNECTIONS]
            .map(|counter| recorder.counted(counter));
        assert_eq!(counted, [requests as u64, refuses as u64, 0]);
    }
}

#[tokio::test(flavor = "local")]
async fn what_a_server_of_http_2_has_seen_is_a_failure_and_not_asked_again() {
    let (server, target) = Server::start().await;
    let http = Http::new(params(r#"{"protocol": "h2"}"#), setup(&[&target], 1)).unwrap();
    let mut user = http.user(FIRST_USER).await.unwrap();
    let mut recorder = Recorder::detached(3, COUNTERS.len()).unwrap();
    user.transaction(&mut recorder).await.unwrap();
    server.leaves.set(true);
    let failure = user.transaction(&mut recorder).await.unwrap_err();
    assert!(
        failure.reason.to_string().starts_with("GET /: connection "),
        "{failure:?}"
    );
    assert_eq!(failure.then, Then::GoOn);
    user.transaction(&mut recorder).await.unwrap();
    let counted = [REQUESTS, STALE_CONNECTIONS].map(|counter| recorder.counted(counter));
    assert_eq!(counted, [3, 0]);
    assert_eq!((server.requests.get(), server.connections.get()), (3, 2));
}

#[tokio::test(flavor = "local")]
async fn a_user_of_http_2_knows_the_servers_settings_before_its_first_request() {
    let (_, target) = Server::start().await;
    let http = Http::new(params(r#"{"protocol": "h2"}"#), setup(&[&target], 1)).unwrap();
    let mut user = http.user(FIRST_USER).await.unwrap();
    assert_eq!(user.client.streams(), Some(MOST_STREAMS as usize));
    assert_eq!(user.client.take_bytes(), (0, 0));
}
