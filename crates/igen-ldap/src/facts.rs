//! What a directory says about itself: read back, not assumed.

use igen_job::{Fact, facts};
use igen_net::said;

use crate::connection::Connection;
use crate::directory::Directory;
use crate::request::{Filter, Scope, SearchRequest};

/// Settings of `OpenLDAP`'s database in `cn=config`, and the names of their facts.
const DATABASE: &[(&str, &str)] = &[
    ("olcDbIndex", "index"),
    ("olcDbMaxSize", "maxsize_bytes"),
    ("olcDbCheckpoint", "checkpoint"),
];
/// Those of the server.
const SERVER: &[(&str, &str)] = &[
    ("olcLogLevel", "access_log"),
    ("olcThreads", "threads"),
    ("olcSizeLimit", "size_limit"),
];
/// The kind of target in the names of facts.
const KIND: &str = "ldap";

impl Directory {
    /// What it says about itself; what cannot be read is left out.
    pub async fn facts(&self) -> Vec<Fact> {
        let Ok(mut connection) = self.try_bound().await else {
            return Vec::new();
        };
        let way = connection.stream.facts();
        let mut found: Vec<_> = way
            .into_iter()
            .map(|(fact, value)| fact.of(KIND, value))
            .collect();
        let bind = self.administrator().unwrap_or("anonymous");
        found.push(facts::LDAP_BIND.is(shown(bind)));
        found.extend(version(&mut connection).await);
        found.extend(configuration(&mut connection, self.suffix()).await);
        found
    }
}

/// The text of a server, for people.
fn shown(text: &str) -> String {
    said(text.as_bytes())
}

/// Who made the server: of the root entry, or of `OpenLDAP`'s monitor.
async fn version(connection: &mut Connection) -> Vec<Fact> {
    let mut found = Vec::new();
    let root = search("", &["vendorName", "vendorVersion"]);
    let _ = connection
        .search(&root, |entry| {
            let text = |attribute| {
                let text = entry.texts(attribute).concat();
                (!text.is_empty()).then(|| shown(&text))
            };
            let vendor = text("vendorName").map(|text| facts::LDAP_VENDOR.is(text));
            let version = text("vendorVersion").map(|text| facts::TARGET_VERSION.of(KIND, text));
            found.extend(vendor.into_iter().chain(version));
        })
        .await;
    if found.is_empty() {
        let monitor = search("cn=Monitor", &["monitoredInfo"]);
        let _ = connection
            .search(&monitor, |entry| {
                // `OpenLDAP: slapd 2.5.13+dfsg-5 (Feb 8 2023 01:56:12)`
                let text = entry.texts("monitoredInfo").concat();
                if let Some((vendor, version)) = text.split_once(": ") {
                    let version = version.split(" (").next().unwrap_or(version);
                    found.push(facts::LDAP_VENDOR.is(shown(vendor)));
                    found.push(facts::TARGET_VERSION.of(KIND, shown(version.trim())));
                }
            })
            .await;
    }
    found
}

/// Durability and logs, which decide what a modify costs, of the database that holds `suffix`.
async fn configuration(connection: &mut Connection, suffix: &str) -> Vec<Fact> {
    let mut found = Vec::new();
    let mut attributes = vec!["olcDbNoSync"];
    attributes.extend(DATABASE.iter().map(|(attribute, _)| *attribute));
    let database = SearchRequest {
        base: b"cn=config",
        scope: Scope::Subtree,
        filter: Filter::Equality("olcSuffix", suffix.as_bytes()),
        attributes: &attributes,
        size_limit: 0,
    };
    let answered = connection
        .search(&database, |entry| {
            let no_sync = entry.texts("olcDbNoSync").concat() == "TRUE";
            found.push(facts::LDAP_WAITS_FOR_DISK.is(!no_sync));
            for (attribute, name) in DATABASE {
                let texts = entry.texts(attribute);
                if !texts.is_empty() {
                    found.push(facts::LDAP_SETTING.of(name, shown(&texts.join(", "))));
                }
            }
        })
        .await;
    if answered.is_err() || found.is_empty() {
        return Vec::new();
    }
    let attributes: Vec<&str> = SERVER.iter().map(|(attribute, _)| *attribute).collect();
    let server = search("cn=config", &attributes);
    let _ = connection
        .search(&server, |entry| {
            for (attribute, name) in SERVER {
                let texts = entry.texts(attribute);
                if !texts.is_empty() {
                    let prefix = if *name == "access_log" {
                        "loglevel "
                    } else {
                        ""
                    };
                    let text = shown(&format!("{prefix}{}", texts.join(" ")));
                    found.push(facts::LDAP_SETTING.of(name, text));
                }
            }
        })
        .await;
    found
}

fn search<'a>(base: &'a str, attributes: &'a [&'a str]) -> SearchRequest<'a, &'a str> {
    SearchRequest {
        base: base.as_bytes(),
        scope: Scope::Base,
        filter: Filter::Present("objectClass"),
        attributes,
        size_limit: 0,
    }
}
