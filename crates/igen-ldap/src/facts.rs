//! What a directory says about itself: read back, not assumed.

use serde_json::Value;

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
const UNKNOWN: &str = "unknown: cn=config cannot be read";

impl Directory {
    /// Names below `target.ldap` and values; what cannot be read is left out, or said to be unknown.
    pub async fn facts(&self) -> Vec<(String, Value)> {
        let Ok(mut connection) = self.try_bound().await else {
            return Vec::new();
        };
        let way = connection.stream.facts();
        let mut facts: Vec<_> = way
            .into_iter()
            .map(|(name, value)| fact(name, value))
            .collect();
        facts.push(fact("bind", self.administrator().unwrap_or("anonymous")));
        facts.extend(version(&mut connection).await);
        facts.extend(configuration(&mut connection, self.suffix()).await);
        facts
    }
}

fn fact(name: &str, value: impl AsRef<str>) -> (String, Value) {
    (name.to_owned(), said(value.as_ref().as_bytes()).into())
}

/// Who made the server: of the root entry, or of `OpenLDAP`'s monitor.
async fn version(connection: &mut Connection) -> Vec<(String, Value)> {
    let mut facts = Vec::new();
    let root = search("", &["vendorName", "vendorVersion"]);
    let _ = connection
        .search(&root, |entry| {
            for (attribute, name) in [("vendorName", "vendor"), ("vendorVersion", "version")] {
                let text = entry.texts(attribute).concat();
                if !text.is_empty() {
                    facts.push(fact(name, text));
                }
            }
        })
        .await;
    if facts.is_empty() {
        let monitor = search("cn=Monitor", &["monitoredInfo"]);
        let _ = connection
            .search(&monitor, |entry| {
                // `OpenLDAP: slapd 2.5.13+dfsg-5 (Feb 8 2023 01:56:12)`
                let text = entry.texts("monitoredInfo").concat();
                if let Some((vendor, version)) = text.split_once(": ") {
                    let version = version.split(" (").next().unwrap_or(version);
                    facts.push(fact("vendor", vendor));
                    facts.push(fact("version", version.trim()));
                }
            })
            .await;
    }
    facts
}

/// Durability and logs, which decide what a modify costs, of the database that holds `suffix`.
async fn configuration(connection: &mut Connection, suffix: &str) -> Vec<(String, Value)> {
    let mut facts = Vec::new();
    let mut attributes = vec!["olcDbNoSync"];
    attributes.extend(DATABASE.iter().map(|(attribute, _)| *attribute));
    let database = SearchRequest {
        base: b"cn=config",
        scope: Scope::Subtree,
        filter: Filter::Equality("olcSuffix", suffix.as_bytes()),
        attributes: &attributes,
        size_limit: 0,
    };
    let found = connection
        .search(&database, |entry| {
            let no_sync = entry.texts("olcDbNoSync").concat() == "TRUE";
            facts.push(fact(
                "durability",
                if no_sync {
                    "dbnosync: modifies do not wait for the disk"
                } else {
                    "each modify waits for the disk"
                },
            ));
            for (attribute, name) in DATABASE {
                let texts = entry.texts(attribute);
                if !texts.is_empty() {
                    facts.push(fact(name, texts.join(", ")));
                }
            }
        })
        .await;
    if found.is_err() || facts.is_empty() {
        return vec![fact("durability", UNKNOWN), fact("access_log", UNKNOWN)];
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
                    facts.push(fact(name, format!("{prefix}{}", texts.join(" "))));
                }
            }
        })
        .await;
    facts
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
