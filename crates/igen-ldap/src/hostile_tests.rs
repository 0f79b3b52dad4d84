//! Directories that answer without an end, drop by drop, or with texts of many megabytes: what they are asked
//! ends soon, in little memory, and with a short and clean error.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{Read, Result, Write};
use std::net::TcpStream;
use std::time::Duration;

use igen_net::testing::{
    DROP_EVERY, GUARD, by_drops, endless_text, is_short_and_clean, serve, without_end,
};

use crate::{Directory, Filter, Scope, SearchRequest, Timeouts};

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
    Directory::of(
        &target,
        "targets[0]",
        Timeouts::default(),
        igen_job::Credentials::Own,
    )
    .unwrap()
}

/// Why a search for one entry fails.
async fn search(talk: impl Fn(&mut TcpStream) -> Result<()> + Send + Sync + 'static) -> String {
    let directory = directory(talk);
    let search = SearchRequest {
        base: b"dc=lab",
        scope: Scope::Subtree,
        filter: Filter::Equality("uid", b"user.1"),
        attributes: &["1.1"],
        size_limit: 2,
    };
    let mut connection = directory.connect().await.unwrap();
    let found = tokio::time::timeout(GUARD, connection.find("lab", &search, |_| ()));
    let error = found.await.expect("an end").unwrap_err();
    // What it says of itself is left out; that ends, too.
    let facts = tokio::time::timeout(GUARD, directory.facts());
    let facts = format!("{:?}", facts.await.expect("an end"));
    assert!(facts.len() < 100_000, "{} bytes", facts.len());
    error.text.trim_start_matches("lab: ").to_owned()
}

#[tokio::test]
async fn a_directory_without_an_end_is_left() {
    let entry = answer(
        1,
        0x64,
        &[element(4, b"dc=lab"), element(0x30, b"")].concat(),
    );
    let reason = search(move |stream| without_end(stream, &entry, Duration::ZERO)).await;
    assert_eq!(reason, "more entries than requested");
    let between = answer(1, 0x79, b"");
    let reason = search(move |stream| without_end(stream, &between, Duration::ZERO)).await;
    assert_eq!(reason, "more than 100 notices instead of an answer");
    let referral = answer(1, 0x73, &element(4, b"ldap://elsewhere/"));
    let reason = search(move |stream| without_end(stream, &referral, DROP_EVERY)).await;
    assert_eq!(reason, "an answer that took more than a minute");
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
