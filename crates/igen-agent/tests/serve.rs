//! Servers as processes: they say where they listen, and end when they should.
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Longer than any of it takes.
const GUARD: Duration = Duration::from_mins(1);

fn serve(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_igen-agent"));
    command
        .arg("serve")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The address that a server says.
fn address(server: &mut Child) -> String {
    let mut line = String::new();
    let output = server.stdout.as_mut().unwrap();
    BufReader::new(output).read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    said["ready"]["address"].as_str().unwrap().to_owned()
}

fn shop(folder: &Path, nodes: &str) -> Child {
    let folder = folder.to_str().unwrap();
    let arguments = [
        "shop",
        "--listen=127.0.0.1:0",
        "--directory",
        folder,
        "--nodes",
        nodes,
    ];
    serve(&arguments).arg("--work=0ms").spawn().unwrap()
}

/// The first line of the answer.
fn status(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(GUARD)).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut said = Vec::new();
    stream.read_to_end(&mut said).unwrap();
    String::from_utf8_lossy(&said)
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// Processes that serve a tier of the shop in a folder.
fn pids(folder: &Path, tier: &str) -> Vec<u32> {
    let words = format!("\0serve\0{tier}\0");
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(line) = std::fs::read_to_string(entry.path().join("cmdline")) else {
            continue;
        };
        if line.contains(&words) && line.contains(folder.to_str().unwrap()) {
            found.extend(entry.file_name().to_str().unwrap().parse::<u32>());
        }
    }
    found
}

fn wait_for(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < GUARD);
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args([name, &pid.to_string()]).status();
    assert!(sent.unwrap().success());
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_shop_ends_with_its_parent_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = shop(folder.path(), "2");
    let address = address(&mut server);
    assert_eq!(status(&address, "/"), "HTTP/1.1 200 OK");
    assert_eq!(status(&address, "/-/ready"), "HTTP/1.1 200 OK");
    for (tier, count) in [("web", 1), ("app", 2), ("data", 1)] {
        assert_eq!(pids(folder.path(), tier).len(), count, "{tier}");
    }
    drop(server.stdin.take());
    assert!(server.wait().unwrap().success());
    for tier in ["web", "app", "data"] {
        assert!(pids(folder.path(), tier).is_empty(), "{tier}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn tiers_end_with_a_shop_that_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = shop(folder.path(), "1");
    address(&mut server);
    server.kill().unwrap();
    server.wait().unwrap();
    wait_for(|| {
        ["web", "app", "data"]
            .iter()
            .all(|tier| pids(folder.path(), tier).is_empty())
    });
}

#[test]
fn a_killed_application_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = shop(folder.path(), "1");
    let address = address(&mut server);
    let [first] = pids(folder.path(), "app")[..] else {
        panic!("one application")
    };
    signal(first, "-KILL");
    wait_for(|| {
        pids(folder.path(), "app")
            .first()
            .is_some_and(|pid| *pid != first)
    });
    wait_for(|| status(&address, "/") == "HTTP/1.1 200 OK");
    signal(server.id(), "-TERM");
    let ended = server.wait_with_output().unwrap();
    assert!(ended.status.success());
    assert!(
        error(&ended).contains("app ended (signal: 9"),
        "{}",
        error(&ended)
    );
}

#[test]
fn a_tier_is_asked_at_its_socket() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("data");
    let listen = format!("--listen={}", socket.display());
    let mut server = serve(&["data", &listen]).spawn().unwrap();
    assert_eq!(address(&mut server), socket.to_str().unwrap());
    let socket = format!("--socket={}", socket.display());
    let asked = serve(&["ask", &socket, "/-/ready"]).output().unwrap();
    assert_eq!(asked.stdout, b"200 ready\n");
    let missing = serve(&["ask", &socket, "/none"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(1));
    assert!(error(&missing).contains("404 there is no such thing"));
    signal(server.id(), "-TERM");
    assert!(server.wait().unwrap().success());
    let gone = serve(&["ask", &socket, "/-/ready"]).output().unwrap();
    assert!(
        error(&gone).contains("no server listens on this socket"),
        "{}",
        error(&gone)
    );
}

#[test]
fn what_is_wrong_is_told_in_a_sentence() {
    let listening = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = format!("--listen={}", listening.local_addr().unwrap());
    for (arguments, code, told) in [
        (vec!["data", &taken], 2, "cannot listen on 127.0.0.1:"),
        (vec!["data", "--listen=nowhere"], 2, "use HOST:PORT"),
        (
            vec!["app", "--listen=/tmp/x", "--data=/tmp/y", "--work=5"],
            2,
            "`5` has no unit",
        ),
        (
            vec!["app", "--listen=/tmp/x", "--data=/tmp/y", "--work=5d"],
            2,
            "longer than an hour",
        ),
        (
            vec![
                "web",
                &taken,
                "--app=/x",
                "--certificate=/none",
                "--key=/none",
            ],
            2,
            "/none: ",
        ),
        (
            vec!["web", &taken, "--app=/x", "--certificate=/none"],
            2,
            "--key",
        ),
        (vec!["shop", "--directory=/tmp", "--nodes=65"], 2, "65"),
    ] {
        let refused = serve(&arguments).output().unwrap();
        assert_eq!(refused.status.code(), Some(code), "{arguments:?}");
        assert!(
            error(&refused).contains(told),
            "{arguments:?}: {}",
            error(&refused)
        );
    }
}

#[test]
fn faults_are_served_but_not_advertised() {
    let help = serve(&["--help"]).output().unwrap();
    assert!(!String::from_utf8_lossy(&help.stdout).contains("faults"));
    let mut server = serve(&["faults"]).spawn().unwrap();
    let address = address(&mut server);
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(GUARD)).unwrap();
    stream.write_all(b"GET /not-http HTTP/1.1\r\n\r\n").unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("SSH-2.0"));
    drop(server.stdin.take());
    assert!(server.wait().unwrap().success());
}
