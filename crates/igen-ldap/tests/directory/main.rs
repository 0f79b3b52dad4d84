//! The LDAP client against a real slapd.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod faults;
mod operations;
mod slapd;
mod tls;

use igen_engine::ProgressReporter;
use igen_job::Seconds;
use igen_ldap::{Connection, Directory, Filter, NewEntry, Scope, SearchRequest, Timeouts};

use slapd::SUFFIX;

/// Persons of the tests' tree.
const PERSONS: u64 = 200;

fn directory(target: &str) -> Directory {
    let timeouts = Timeouts {
        operation_timeout_s: Some(Seconds(1.0)),
        connect_timeout_s: Some(Seconds(1.0)),
    };
    Directory::of(target, "targets[0]", timeouts, igen_job::Credentials::Own).unwrap()
}

fn entry(dn: &str, attributes: &[(&'static str, &str)]) -> NewEntry {
    let mut entry = NewEntry {
        dn: dn.to_owned(),
        attributes: Vec::new(),
    };
    for (name, value) in attributes {
        entry.attributes.push((name, vec![(*value).to_owned()]));
    }
    entry
}

fn person(number: u64) -> NewEntry {
    let uid = format!("user.{number}");
    entry(
        &format!("uid={uid},{SUFFIX}"),
        &[
            ("objectClass", "inetOrgPerson"),
            ("uid", &uid),
            ("cn", "Jörg"),
            ("sn", "Doe"),
            ("userPassword", &format!("password.{number}")),
        ],
    )
}

/// Loads the suffix and the persons.
async fn load(directory: &Directory) -> Connection {
    let mut connection = directory.administration().await.unwrap();
    let suffix = entry(
        SUFFIX,
        &[
            ("objectClass", "organization"),
            ("o", "example"),
            ("dc", "example"),
        ],
    );
    let mut suffix = suffix;
    suffix.attributes[0].1.push("dcObject".to_owned());
    assert!(
        directory
            .add_missing(&mut connection, &suffix)
            .await
            .unwrap()
    );
    assert!(
        !directory
            .add_missing(&mut connection, &suffix)
            .await
            .unwrap()
    );
    let make = |number, entry: &mut NewEntry| *entry = person(number);
    directory
        .add_all(&mut connection, PERSONS, make, &ProgressReporter::silent())
        .await
        .unwrap();
    connection
}

fn by_uid(uid: &str) -> SearchRequest<'_> {
    SearchRequest {
        base: SUFFIX.as_bytes(),
        scope: Scope::Subtree,
        filter: Filter::Equality("uid", uid.as_bytes()),
        attributes: &[],
        size_limit: 0,
    }
}
