//! Servers that answer without an end, drop by drop, or with texts of many megabytes: what they are asked in
//! PREPARE ends soon, in little memory, and with a short and clean error.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{Read, Result, Write};
use std::net::TcpStream;
use std::time::Duration;

use igen_engine::ProgressReporter;
use igen_job::JobError;
use igen_net::testing::{
    DROP_EVERY, GUARD, by_drops, endless_text, is_short_and_clean, is_without_end, serve,
    without_end,
};

use crate::content::{Content, Metadata};
use crate::database::Database;
use crate::settings::Settings;

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
    let database = Database::of(
        target,
        "targets[0]",
        &Settings::default(),
        igen_job::Credentials::Own,
    )
    .unwrap();
    let content = nothing();
    let look = tokio::time::timeout(GUARD, database.look(&content));
    let error = look.await.expect("an end").unwrap_err();
    // Nor does a load wait for ever, for which statements have no limit of time.
    let silent = ProgressReporter::silent();
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
    assert!(error.text.contains("more than a minute"), "{error}");
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
    assert!(error.text.contains("more than a minute"), "{error}");
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
