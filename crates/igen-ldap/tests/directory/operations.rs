//! What operations do, and how many of them there were.

use std::time::Duration;

use igen_ldap::{Connection, Filter, Scope, SearchRequest};
use serde_json::Value;

use crate::slapd::{ADMINISTRATOR, SUFFIX, Slapd};
use crate::{PERSONS, by_uid, directory, load};

#[tokio::test(flavor = "local")]
async fn entries_are_loaded_found_changed_and_removed() {
    let Some(server) = Slapd::start("", "") else {
        return;
    };
    let directory = directory(&server.target());
    let mut connection = load(&directory).await;
    connection.join_ring().unwrap();
    let mut names = Vec::new();
    let found = connection
        .search(&by_uid("user.17"), |entry| names = entry.texts("cn"))
        .await
        .unwrap();
    assert_eq!((found.entries, names), (1, vec!["Jörg".to_owned()]));
    assert!(found.bytes > 100, "{found:?}");
    let all = SearchRequest {
        filter: Filter::Present("uid"),
        ..by_uid("")
    };
    assert_eq!(
        connection.search(&all, |_| ()).await.unwrap().entries,
        PERSONS
    );

    let dn = format!("uid=user.17,{SUFFIX}");
    connection
        .modify(dn.as_bytes(), "cn", &[b"new"])
        .await
        .unwrap();
    let mut name = Vec::new();
    connection
        .search(&by_uid("user.17"), |entry| name = entry.texts("cn"))
        .await
        .unwrap();
    assert_eq!(name, ["new"]);

    let mut persons = directory.connect().await.unwrap();
    persons.bind(dn.as_bytes(), b"password.17").await.unwrap();

    directory.remove(&mut connection, SUFFIX).await.unwrap();
    assert_eq!(
        connection.find("lab", &all, |_| ()).await.unwrap().entries,
        0
    );
    // What is not there is removed already.
    directory.remove(&mut connection, SUFFIX).await.unwrap();
}

#[tokio::test(flavor = "local")]
async fn the_server_counts_what_was_sent() {
    let Some(server) = Slapd::start("", "") else {
        return;
    };
    let directory = directory(&server.target());
    let before = directory.operations().await;
    let mut connection = load(&directory).await;
    for _ in 0..10 {
        connection.search(&by_uid("user.1"), |_| ()).await.unwrap();
    }
    let wrong = connection.modify(b"uid=nobody", "cn", &[b"x"]).await;
    wrong.expect_err("no such entry");
    // Counted when it is gone.
    drop(connection);
    let since = directory.operations().await.since(&before);
    assert_eq!(since.counted, Ok(since.sent.clone()));
    // The suffix twice; the look binds and searches, too.
    assert_eq!(since.sent["add"], PERSONS + 2);
    assert_eq!((since.sent["search"], since.sent["modify"]), (10 + 1, 1));
    assert_eq!(since.sent["bind"], 1 + 1);

    let others = super::directory(&server.target());
    drop(others.administration().await.unwrap());
    let since = directory.operations().await.since(&before);
    assert_eq!(
        since.counted.unwrap()["bind"],
        since.sent["bind"] + 1,
        "somebody else's bind is not ours"
    );
}

#[tokio::test(flavor = "local")]
async fn every_connection_says_goodbye() {
    let Some(server) = Slapd::start("", "") else {
        return;
    };
    let directory = directory(&server.target());
    let mut connection = directory.bound().await.unwrap();
    let before = goodbyes(&mut connection).await;
    drop(directory.bound().await.unwrap());
    let mut other = directory.bound().await.unwrap();
    other.join_ring().unwrap();
    other
        .search(&by_uid("user.1"), |_| ())
        .await
        .expect_err("nothing is loaded");
    drop(other);
    for _look in 0..500 {
        if goodbyes(&mut connection).await == before + 2 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{before} and {}", goodbyes(&mut connection).await);
}

/// Unbinds that the server has seen.
async fn goodbyes(connection: &mut Connection) -> u64 {
    let search = SearchRequest {
        base: b"cn=Unbind,cn=Operations,cn=Monitor",
        scope: Scope::Base,
        filter: Filter::Present("monitorOpCompleted"),
        attributes: &["monitorOpCompleted"],
        size_limit: 0,
    };
    let mut number = String::new();
    connection
        .search(&search, |entry| {
            number = entry.texts("monitorOpCompleted").concat();
        })
        .await
        .unwrap();
    number.parse().unwrap()
}

#[tokio::test(flavor = "local")]
async fn a_directory_says_what_decides_its_figures() {
    let Some(server) = Slapd::start("threads 4", "") else {
        return;
    };
    let fact = async |target: &str, name: &str| {
        let facts = directory(target).facts().await;
        let name = format!("target.ldap.{name}");
        let found = facts.into_iter().find(|known| known.name == name);
        found.map(|fact| fact.value)
    };
    let target = server.target();
    for (name, expected) in [
        ("waits_for_disk", Value::from(false)),
        ("access_log", "loglevel 0".into()),
        ("threads", "4".into()),
        ("vendor", "OpenLDAP".into()),
        ("transport", "TCP".into()),
        ("bind", ADMINISTRATOR.into()),
    ] {
        assert_eq!(fact(&target, name).await, Some(expected), "{name}");
    }
    let socket = format!("?socket={}", server.socket());
    let anonymous = server.anonymous("localhost", &socket);
    let transport = fact(&anonymous, "transport").await;
    assert_eq!(transport, Some("Unix socket".into()));
    let bind = fact(&anonymous, "bind").await;
    assert_eq!(bind, Some("anonymous".into()));
    assert_eq!(fact(&anonymous, "waits_for_disk").await, None);
}

#[tokio::test(flavor = "local")]
async fn a_unix_socket_serves_whom_it_knows_without_a_password() {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    let known = format!(
        "authz-regexp \"gidNumber={}\\\\+uidNumber={},cn=peercred,cn=external,cn=auth\" \"cn=known,{SUFFIX}\"",
        group.as_raw(),
        user.as_raw()
    );
    let Some(server) = Slapd::start(&known, "") else {
        return;
    };
    let place = server.socket().replace('/', "%2F");
    let bound = async |user: &str| {
        directory(&format!("ldapi://{user}@{place}/{SUFFIX}"))
            .bound()
            .await
            .is_ok()
    };
    assert!(bound(&format!("cn=known,{SUFFIX}")).await);
    assert!(!bound(ADMINISTRATOR).await, "the process is somebody else");
    let anybody = directory(&format!("ldapi://{place}/{SUFFIX}"));
    anybody.connect().await.unwrap();
}
