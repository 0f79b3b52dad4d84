//! Servers that answer without an end, drop by drop, or with texts of many megabytes: what they are asked in
//! PREPARE ends soon, in little memory, and with a short and clean error.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{Read, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use igen_engine::Progress;
use igen_job::JobError;

use crate::database::Database;
use crate::ldap::{Directory, Filter, Scope, Search, Timeouts};
use crate::settings::Settings;
use crate::table::{Content, Metadata};

/// Longer than any of it takes: bounds are of two seconds in tests.
const GUARD: Duration = Duration::from_mins(1);
const DROP_EVERY: Duration = Duration::from_millis(20);

/// What a server does with a connection, until it cannot any more.
type Talk = Arc<dyn Fn(&mut TcpStream) -> Result<()> + Send + Sync>;

/// Answers each connection so; the port.
fn serve(talk: impl Fn(&mut TcpStream) -> Result<()> + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let talk: Talk = Arc::new(talk);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let talk = Arc::clone(&talk);
            std::thread::spawn(move || {
                let mut stream = stream;
                // It ends when the client leaves.
                let _ = talk(&mut stream);
            });
        }
    });
    port
}

/// Says the same again and again, and every time waits for so long.
fn without_end(stream: &mut TcpStream, said: &[u8], pause: Duration) -> Result<()> {
    loop {
        stream.write_all(said)?;
        if !pause.is_zero() {
            std::thread::sleep(pause);
        }
    }
}

/// Says it byte by byte.
fn by_drops(stream: &mut TcpStream, said: &[u8]) -> Result<()> {
    for byte in said {
        stream.write_all(&[*byte])?;
        std::thread::sleep(DROP_EVERY);
    }
    Ok(())
}

/// A text of 10 MB, with what terminals obey.
fn endless_text() -> Vec<u8> {
    b"\x1b[2Jno ".repeat(10_000_000 / 7)
}

fn is_short_and_clean(error: &JobError) {
    let text = error.to_string();
    assert!(text.len() < 20_000, "{} bytes", text.len());
    assert!(!text.contains('\x1b'), "{text:.200}");
}

/// The bound of bytes; or that of time, where the machine is slow.
fn is_without_end(error: &JobError) {
    let bounds = ["more than 16 MiB", "within a minute"];
    assert!(
        bounds.iter().any(|bound| error.text.contains(bound)),
        "{error}"
    );
}

fn nothing() -> Content<'static> {
    Content {
        workload: "test",
        metadata: Metadata::default(),
        tables: Vec::new(),
        indexes: &[],
        bytes: 0,
    }
}

/// What a job hears of the server of `target` when it looks what is there.
async fn heard(target: &str) -> JobError {
    let database = Database::of(target, "targets[0]", &Settings::default()).unwrap();
    let content = nothing();
    let look = tokio::time::timeout(GUARD, database.look(&content));
    let error = look.await.expect("an end").unwrap_err();
    // Nor does a load wait for ever, for which statements have no limit of time.
    let silent = Progress::silent();
    let load = tokio::time::timeout(GUARD, database.load(&content, false, &silent));
    load.await.expect("an end").unwrap_err();
    error
}

/// A message of `PostgreSQL`.
fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap();
    [&[kind], &length.to_be_bytes()[..], body].concat()
}

/// What a job hears of a `PostgreSQL` that does so when it is asked for the first time.
async fn postgresql(
    talk: impl Fn(&mut TcpStream) -> Result<()> + Send + Sync + 'static,
) -> JobError {
    let port = serve(move |stream| {
        let mut asked = [0; 4096];
        let _bytes = stream.read(&mut asked)?;
        stream.write_all(&[message(b'R', &[0; 4]), message(b'Z', b"I")].concat())?;
        let _bytes = stream.read(&mut asked)?;
        talk(stream)
    });
    heard(&format!("postgresql://igen@127.0.0.1:{port}/shop")).await
}

#[tokio::test]
async fn a_postgresql_without_an_end_is_left() {
    let row = message(b'D', b"\0\x01\0\0\0\x04text");
    let notice = message(b'N', b"SNOTICE\0\0");
    let rows = message(b'D', &[b"\0\x01\0\0\x40\0", &[b'x'; 0x4000][..]].concat());
    let error = postgresql(move |stream| without_end(stream, &notice, Duration::ZERO)).await;
    assert!(error.text.contains("more than 100 notices"), "{error}");
    let error = postgresql(move |stream| without_end(stream, &rows, Duration::ZERO)).await;
    is_without_end(&error);
    let error = postgresql(move |stream| without_end(stream, &row, DROP_EVERY)).await;
    assert!(error.text.contains("within a minute"), "{error}");
    let error = postgresql(move |stream| by_drops(stream, &message(b'N', &[b'x'; 9999]))).await;
    assert!(error.text.contains("no answer from the server"), "{error}");
    let ends = message(b'C', b"SELECT 1\0");
    let error = postgresql(move |stream| without_end(stream, &ends, Duration::ZERO)).await;
    assert!(error.text.contains("more than 100 notices"), "{error}");
}

#[tokio::test]
async fn what_a_postgresql_says_is_short_and_clean() {
    let body = [b"SERROR\0C42000\0M", &endless_text()[..], b"\0\0"].concat();
    let error = message(b'E', &body);
    let error = postgresql(move |stream| {
        stream.write_all(&error)?;
        stream.write_all(&message(b'Z', b"I"))
    });
    let error = error.await;
    is_short_and_clean(&error);
    assert!(error.text.contains("[2Jno"), "{error:.200}");
}

/// A packet of MySQL.
fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
    let [a, b, c, _] = u32::try_from(payload.len()).unwrap().to_le_bytes();
    [&[a, b, c, sequence], payload].concat()
}

const GREETING: &[u8] = b"\x0A10.11.19-MariaDB\0\x07\0\0\0abcdefgh\0\xFE\xF7\x2D\x02\0\xFF\x81\x15\
    \0\0\0\0\0\0\x1D\0\0\0ijklmnopqrst\0mysql_native_password\0";

/// The same of a `MariaDB`.
async fn mysql(talk: impl Fn(&mut TcpStream) -> Result<()> + Send + Sync + 'static) -> JobError {
    let port = serve(move |stream| {
        let mut asked = [0; 4096];
        stream.write_all(&packet(0, GREETING))?;
        let _bytes = stream.read(&mut asked)?;
        stream.write_all(&packet(2, &[0, 0, 0, 2, 0, 0, 0]))?;
        let _bytes = stream.read(&mut asked)?;
        talk(stream)
    });
    heard(&format!("mysql://igen@127.0.0.1:{port}/shop")).await
}

#[tokio::test]
async fn a_mariadb_without_an_end_is_left() {
    // One column, whose definition follows; then rows of one text.
    let head = [packet(1, &[1]), packet(2, &[0; 20])].concat();
    let rows = packet(3, &[b"\xFC\0\x40", &[b'x'; 0x4000][..]].concat());
    let begin = head.clone();
    let error = mysql(move |stream| {
        stream.write_all(&begin)?;
        without_end(stream, &rows, Duration::ZERO)
    });
    is_without_end(&error.await);
    let error = mysql(move |stream| {
        stream.write_all(&head)?;
        without_end(stream, &packet(3, b"\x04text"), DROP_EVERY)
    });
    let error = error.await;
    assert!(error.text.contains("within a minute"), "{error}");
    let columns = packet(1, b"\xFE\0\0\0\0\0\x01\0\0");
    let error = mysql(move |stream| stream.write_all(&columns)).await;
    assert!(error.text.contains("malformed"), "{error}");
    let error = mysql(|stream| by_drops(stream, &packet(1, &[7; 9999]))).await;
    assert!(error.text.contains("no answer from the server"), "{error}");
}

#[tokio::test]
async fn what_a_mariadb_says_is_short_and_clean() {
    let payload = [b"\xFF\x48\x04#42000", &endless_text()[..]].concat();
    let error = packet(1, &payload);
    let error = mysql(move |stream| stream.write_all(&error)).await;
    is_short_and_clean(&error);
    assert!(error.text.contains("[2Jno"), "{error:.200}");
}

/// An element of BER.
fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap();
    [&[tag, 0x84], &length.to_be_bytes()[..], content].concat()
}

/// A message of a directory: the answer of that number.
fn answer(id: u8, tag: u8, content: &[u8]) -> Vec<u8> {
    element(0x30, &[&[2, 1, id], &element(tag, content)[..]].concat())
}

fn directory(talk: impl Fn(&mut TcpStream) -> Result<()> + Send + Sync + 'static) -> Directory {
    let port = serve(move |stream| {
        let mut asked = [0; 4096];
        let _bytes = stream.read(&mut asked)?;
        talk(stream)
    });
    let target = format!("ldap://127.0.0.1:{port}/dc=lab");
    Directory::of(&target, "targets[0]", Timeouts::default()).unwrap()
}

/// Why a search for one entry fails.
async fn search(talk: impl Fn(&mut TcpStream) -> Result<()> + Send + Sync + 'static) -> String {
    let directory = directory(talk);
    let search = Search {
        base: b"dc=lab",
        scope: Scope::Subtree,
        filter: Filter::Equality("uid", b"user.1"),
        attributes: &["1.1"],
        size_limit: 2,
    };
    let mut connection = directory.connect().await.unwrap();
    let found = tokio::time::timeout(GUARD, connection.find(&search, |_| ()));
    let failure = found.await.expect("an end").unwrap_err();
    // What it says of itself is left out; that ends, too.
    let facts = tokio::time::timeout(GUARD, directory.facts());
    let facts = format!("{:?}", facts.await.expect("an end"));
    assert!(facts.len() < 100_000, "{} bytes", facts.len());
    failure.reason.into_owned()
}

#[tokio::test]
async fn a_directory_without_an_end_is_left() {
    let entry = answer(
        1,
        0x64,
        &[element(4, b"dc=lab"), element(0x30, b"")].concat(),
    );
    let reason = search(move |stream| without_end(stream, &entry, Duration::ZERO)).await;
    assert_eq!(reason, "more entries than were asked for");
    let between = answer(1, 0x79, b"");
    let reason = search(move |stream| without_end(stream, &between, Duration::ZERO)).await;
    assert_eq!(reason, "more than 100 notices instead of an answer");
    let referral = answer(1, 0x73, &element(4, b"ldap://elsewhere/"));
    let reason = search(move |stream| without_end(stream, &referral, DROP_EVERY)).await;
    assert_eq!(reason, "an answer that does not end within a minute");
    let reason = search(|stream| by_drops(stream, &answer(1, 0x64, &[7; 9999]))).await;
    assert_eq!(reason, "no answer from the server");
}

#[tokio::test]
async fn what_a_directory_says_is_short_and_clean() {
    let outcome = [
        element(10, &[1]),
        element(4, b""),
        element(4, &endless_text()),
    ]
    .concat();
    let directory = directory(move |stream| stream.write_all(&answer(1, 0x6b, &outcome)));
    let mut connection = directory.connect().await.unwrap();
    let removed = directory
        .replace(&mut connection, "dc=lab", "description", &[])
        .await;
    let error = removed.unwrap_err();
    is_short_and_clean(&error);
    assert!(error.text.contains("[2Jno"), "{error:.200}");
}
