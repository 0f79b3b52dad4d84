//! What goes wrong, with a clear reason and no hang.

use std::time::Duration;

use igen_engine::{Failure, FailureKind, Then};
use igen_ldap::{Filter, SearchRequest};

use crate::slapd::{SUFFIX, Slapd};
use crate::{by_uid, directory, load};

#[tokio::test(flavor = "local")]
async fn who_may_not_is_told_so() {
    let Some(server) = Slapd::start("", "access to * by anonymous auth") else {
        return;
    };
    let somebody = directory(&server.target_as("cn=somebody,dc=example,dc=com"));
    let error = somebody.administration().await.err().expect("wrong name");
    assert!(error.text.contains("invalid credentials (49)"), "{error}");
    assert!(error.hint.contains("LDAP_PASSWORD"), "{error}");
    assert!(!error.to_string().contains("hush"), "{error}");

    load(&directory(&server.target())).await;
    let anonymous = directory(&server.anonymous("127.0.0.1", ""));
    let mut connection = anonymous.connect().await.unwrap();
    let failure = connection.search(&by_uid("user.1"), |_| ()).await;
    assert_eq!(
        failure,
        Err(Failure::new(
            FailureKind::Other,
            "insufficient access rights (50)"
        ))
    );
    let dn = format!("uid=user.1,{SUFFIX}");
    let failure = connection.bind(dn.as_bytes(), b"password.2").await;
    assert_eq!(
        failure,
        Err(Failure::new(FailureKind::Other, "invalid credentials (49)"))
    );
    let failure = connection.bind(dn.as_bytes(), b"").await;
    assert_eq!(
        failure,
        Err(Failure::anew(FailureKind::Refused, "no password is set"))
    );
}

#[tokio::test(flavor = "local")]
async fn limits_of_the_server_and_other_servers_are_reasons() {
    let referral = "referral ldap://127.0.0.1:1/\nsizelimit 5";
    let Some(server) = Slapd::start(referral, "") else {
        return;
    };
    load(&directory(&server.target())).await;
    let anonymous = directory(&server.anonymous("127.0.0.1", ""));
    let mut connection = anonymous.connect().await.unwrap();
    let all = SearchRequest {
        filter: Filter::Present("uid"),
        ..by_uid("")
    };
    let failure = connection.search(&all, |_| ()).await;
    assert_eq!(
        failure,
        Err(Failure::new(FailureKind::Other, "size limit exceeded (4)"))
    );
    let elsewhere = SearchRequest {
        base: b"dc=elsewhere",
        ..by_uid("user.1")
    };
    let failure = connection.search(&elsewhere, |_| ()).await.unwrap_err();
    assert!(
        failure.reason.text.starts_with("referral") && failure.then == Then::GoOn,
        "{failure:?}"
    );
    let nowhere = SearchRequest {
        base: b"ou=nowhere,dc=example,dc=com",
        ..by_uid("user.1")
    };
    let failure = connection.search(&nowhere, |_| ()).await;
    assert_eq!(
        failure,
        Err(Failure::new(FailureKind::Other, "no such object (32)"))
    );
    // The connection goes on after all that.
    let found = connection.search(&by_uid("user.1"), |_| ()).await;
    assert_eq!(found.unwrap().entries, 1);
}

#[tokio::test(flavor = "local")]
async fn a_server_that_is_gone_is_lost_and_found_again() {
    let Some(server) = Slapd::start("", "") else {
        return;
    };
    let directory = directory(&server.target());
    let mut connection = load(&directory).await;
    server.kill();
    let failure = connection.search(&by_uid("user.1"), |_| ()).await;
    assert_eq!(
        failure,
        Err(Failure::anew(FailureKind::Lost, "connection lost"))
    );
    assert!(connection.is_broken());
    let refused = directory.connect().await.err();
    assert_eq!(
        refused,
        Some(Failure::anew(FailureKind::Refused, "connection refused"))
    );
    server.restart();
    let mut connection = directory.bound().await.unwrap();
    let found = connection.search(&by_uid("user.1"), |_| ()).await;
    assert_eq!(found.unwrap().entries, 1);
}

#[tokio::test(flavor = "local")]
async fn a_server_that_no_longer_answers_is_given_up() {
    let Some(server) = Slapd::start("", "") else {
        return;
    };
    let directory = directory(&server.target());
    let mut connection = load(&directory).await;
    server.freeze();
    let give_up = async {
        let no_answer = Failure::anew(FailureKind::Silent, "no answer from the server");
        let failure = connection.search(&by_uid("user.1"), |_| ()).await;
        assert_eq!(failure, Err(no_answer.clone()));
        assert_eq!(directory.bound().await.err(), Some(no_answer));
    };
    tokio::time::timeout(Duration::from_secs(10), give_up)
        .await
        .expect("no hang");
    server.thaw();
    directory.bound().await.unwrap();
}
