//! Each fault is what it is said to be.
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::OnceLock;
use std::sync::mpsc::channel;
use std::time::Duration;

use igen_shop::faults::{Options, serve};
use igen_shop::tls;
use tokio::sync::mpsc::unbounded_channel;

/// Longer than any of it takes.
const GUARD: Duration = Duration::from_mins(1);

/// The server of all tests; it ends with their process.
fn address() -> &'static str {
    static ADDRESS: OnceLock<String> = OnceLock::new();
    ADDRESS.get_or_init(|| {
        let (tell, told) = channel();
        std::thread::spawn(move || {
            let (_stop, stopped) = unbounded_channel();
            let options = Options {
                listen: "127.0.0.1:0".to_owned(),
                tls: None,
            };
            serve(
                &options,
                |address| tell.send(address.to_owned()).unwrap(),
                stopped,
            )
            .unwrap();
        });
        told.recv_timeout(GUARD).unwrap()
    })
}

fn asked(path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address()).unwrap();
    stream.set_read_timeout(Some(GUARD)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: faults\r\n\r\n").unwrap();
    stream
}

/// The first bytes of an answer, as many as are asked for or as there are before the end.
fn first_bytes(path: &str, count: u64) -> String {
    let mut said = Vec::new();
    // A reset is an end as well.
    let _ = asked(path).take(count).read_to_end(&mut said);
    String::from_utf8(said).unwrap()
}

/// All that is said to a client that asks nothing more.
fn said(path: &str) -> String {
    let mut stream = asked(path);
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    said
}

#[test]
fn answers_are_as_wrong_as_they_should_be() {
    for (path, begin, end) in [
        (
            "/ok",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n",
            "\r\n\r\nok",
        ),
        ("/none", "HTTP/1.1 404 ", "no such fault"),
        ("/slow-head?every_ms=0", "HTTP/1.1 200 OK\r\n", "\r\n\r\nok"),
        (
            "/short",
            "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n",
            "xxxxxxxxxx",
        ),
        (
            "/garbage",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n",
            "no number\r\nok\r\n",
        ),
        (
            "/cut",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n",
            "ff\r\nxxxxxxxxxx",
        ),
        (
            "/both-lengths",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n",
            "0\r\n\r\n",
        ),
        (
            "/two-lengths",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n",
            "ok!",
        ),
        ("/folded", "HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\n", "ok"),
        ("/nul", "HTTP/1.1 200 OK\r\nX-Nul: a\0b\r\n", "ok"),
        ("/not-http", "SSH-2.0-", "\r\n"),
        (
            "/until-close",
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
            "until the end",
        ),
        ("/no-content", "HTTP/1.1 204 ", "\r\n\r\nbody"),
        ("/not-modified", "HTTP/1.1 304 ", "\r\n\r\nbody"),
        (
            "/continue",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n",
            "ok",
        ),
        ("/early-hints", "HTTP/1.1 103 Early Hints\r\n", "ok"),
        (
            "/loop",
            "HTTP/1.1 302 Found\r\nLocation: /loop\r\n",
            "\r\n\r\n",
        ),
        (
            "/ping",
            "HTTP/1.1 302 Found\r\nLocation: /pong\r\n",
            "\r\n\r\n",
        ),
        (
            "/pong",
            "HTTP/1.1 302 Found\r\nLocation: /ping\r\n",
            "\r\n\r\n",
        ),
        (
            "/hops?left=2",
            "HTTP/1.1 302 Found\r\n",
            "Location: /hops?left=1\r\n\r\n",
        ),
        ("/hops?left=0", "HTTP/1.1 200 OK\r\n", "there"),
        (
            "/away",
            "HTTP/1.1 302 Found\r\nLocation: http://elsewhere.invalid/\r\n",
            "\r\n\r\n",
        ),
        (
            "/error-page",
            "HTTP/1.1 200 OK\r\nContent-Length: 29\r\n",
            "<h1>Something went wrong</h1>",
        ),
    ] {
        let said = said(path);
        assert!(
            said.starts_with(begin) && said.ends_with(end),
            "{path}: {said:?}"
        );
    }
    assert_eq!(said("/close"), "");
    assert!(said("/long-head").len() > 128 << 10);
    let (head, body) = (said("/slow?every_ms=0"), said("/long"));
    assert!(head.ends_with(&"x".repeat(1_000)));
    assert!(body.contains("Content-Length: 10\r\n") && body.ends_with(&"x".repeat(1_000)));
}

#[test]
fn what_has_no_end_goes_on() {
    for (path, repeated) in [
        ("/endless", "4\r\nmore\r\n"),
        ("/endless-head", "X-More: and more\r\n"),
        ("/endless-chunk-length", "0000"),
        ("/huge", "xxxx"),
    ] {
        let said = first_bytes(path, 1 << 20);
        assert_eq!(said.len(), 1 << 20, "{path}");
        assert!(said.contains(repeated), "{path}");
    }
    let length = format!("Content-Length: {}\r\n", 1 << 30);
    assert!(first_bytes("/huge", 100).contains(&length));
}

#[test]
fn a_reset_comes_after_so_many_bytes() {
    let mut said = Vec::new();
    let error = asked("/reset?after=7").read_to_end(&mut said).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert!(said.ends_with(b"\r\n\r\nxxxxxxx"));
}

#[test]
fn nothing_is_said_in_silence() {
    let mut stream = asked("/silent");
    stream
        .set_read_timeout(Some(Duration::from_millis(50)))
        .unwrap();
    let error = stream.read(&mut [0]).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        "{error}"
    );
}

#[test]
fn every_nth_request_fails_on_one_connection() {
    let mut stream = TcpStream::connect(address()).unwrap();
    stream.set_read_timeout(Some(GUARD)).unwrap();
    let request = "POST /nth?n=3&status=500 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
    stream.write_all(request.repeat(6).as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    let statuses: Vec<_> = said
        .split("HTTP/1.1 ")
        .skip(1)
        .map(|answer| &answer[..3])
        .collect();
    assert_eq!(statuses, ["200", "200", "500", "200", "200", "500"]);
}

#[test]
fn over_tls_it_misbehaves_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("localhost").display().to_string();
    if !igen_net::testing::certificate(&path, 0o600) {
        return; // openssl is not there
    }
    let (certificate, key) = (format!("{path}.pem"), format!("{path}.key"));
    let config = tls::config(certificate.as_ref(), key.as_ref(), tls::HTTP1_ONLY).unwrap();
    let (tell, told) = channel();
    let (_stop, stopped) = unbounded_channel();
    std::thread::spawn(move || {
        let options = Options {
            listen: "127.0.0.1:0".to_owned(),
            tls: Some(config),
        };
        serve(
            &options,
            |address| tell.send(address.to_owned()).unwrap(),
            stopped,
        )
        .unwrap();
    });
    let address = told.recv_timeout(GUARD).unwrap();
    let mut client = std::process::Command::new("openssl")
        .args([
            "s_client",
            "-quiet",
            "-CAfile",
            &certificate,
            "-connect",
            &address,
        ])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let request = b"GET /not-http HTTP/1.1\r\nHost: localhost\r\n\r\n";
    client.stdin.as_mut().unwrap().write_all(request).unwrap();
    let said = client.wait_with_output().unwrap();
    assert!(said.stdout.starts_with(b"SSH-2.0-"));
}
