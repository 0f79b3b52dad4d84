//! A scenario: what the users of a web application do, as it is written down.

mod expect;
mod request;
mod step;

use std::collections::BTreeMap;

use igen_job::{Seconds, ThinkTime};
use schemars::JsonSchema;
use serde::Deserialize;

pub use expect::Expect;
pub use request::{Extract, Request};
pub use step::Step;

use crate::http::HttpVersion;

/// What users do who are told nothing else: the pages of the built-in shop.
const SHOP: &str = include_str!("shop.toml");

/// What the users of a web application do.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What it is called in reports.
    #[serde(default)]
    pub name: String,
    /// What holds for all requests that say nothing else.
    #[serde(default)]
    pub defaults: Defaults,
    /// What is between a user and the server.
    #[serde(default)]
    pub browser: Browser,
    /// Tables of values, by name: `{people.name}` is the column `name` of the table `people`.
    #[serde(default)]
    pub data: BTreeMap<String, Data>,
    /// Where secrets are, by name: `env:IGEN_NAME` or `file:PATH`, read by the process that loads.
    #[serde(default)]
    pub secrets: BTreeMap<String, String>,
    /// Pages that a user goes to when it is created, before the load: not measured.
    #[serde(default)]
    pub once: Vec<Once>,
    /// What a user does, again and again.
    pub session: Session,
    /// The pages.
    pub page: Vec<Page>,
}

/// What holds for all requests that say nothing else.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Defaults {
    /// Headers beside `Host`, `User-Agent`, `Cookie` and `Content-Length`.
    pub headers: BTreeMap<String, String>,
    /// Compression that is offered: nothing, or `gzip`.
    pub compression: Vec<Compression>,
    /// Which answers are right.
    pub expect: Expect,
    /// Longest time from the begin of a request to the end of its answer; as long each for connecting and for TLS.
    /// 0.5 to 3600 seconds.
    pub timeout: Seconds,
    /// Most redirects in a row that are followed; 0: a redirect is an answer like any other.
    pub redirects: u8,
}

/// How answers may be compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// RFC 1952.
    Gzip,
}

/// What is between a user and the server.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Browser {
    /// Which version of HTTP is spoken: `http/1.1`; `h2`, agreed on under TLS and taken for granted without; or
    /// `auto`, what the server likes best of both under TLS.
    pub protocol: HttpVersion,
    /// Most connections of a user at once, 1 to 32. With HTTP/2 there is one, for up to 100 requests at once.
    pub connections: u8,
    /// Connections that stay while a user thinks, up to `connections`: a number, or `all`.
    pub keep: Keep,
    /// The user closes a connection that has rested for longer, at the next page: 1 ms to 1 day. As long as the
    /// server keeps it when absent.
    pub idle_close: Option<Seconds>,
    /// True if a user keeps resources, as long as the server says that it may.
    pub cache: bool,
}

/// Connections that stay while a user thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Keep {
    /// So many at most.
    Number(u8),
    /// All of them.
    Word(All),
}

/// The word for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum All {
    /// All of them.
    All,
}

impl Keep {
    /// How many of so many connections.
    pub fn of(self, connections: u8) -> usize {
        match self {
            Self::Number(number) => number.min(connections).into(),
            Self::Word(All::All) => connections.into(),
        }
    }
}

/// A table of values.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The CSV file that it comes from, for messages; its first line names the columns.
    pub file: String,
    /// What is in the file, up to 4 MiB: `igen` puts it here.
    #[serde(default)]
    pub text: Option<String>,
    /// Who takes which row.
    pub pick: Pick,
}

/// Who takes which row of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pick {
    /// Each user has one of its own.
    Unique,
    /// Each page draws one.
    Random,
    /// Each page draws one, the first ones most often: row k in proportion to 1/k.
    Zipf,
    /// Each page takes the next one, from the first again after the last.
    Next,
}

/// A page that a user goes to when it is created.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Once {
    /// Its name.
    pub page: String,
}

/// What a user does, again and again.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// Pages, in turn.
    pub steps: Vec<Step>,
    /// What a user does after a page that failed.
    #[serde(default)]
    pub on_failure: OnFailure,
}

/// What a user does after a page that failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// It begins anew, as a new user: without cookies, and with the pages of `once`.
    #[default]
    Restart,
    /// It goes on.
    #[serde(rename = "next page")]
    NextPage,
    /// It does nothing more, and the load goes on without it.
    #[serde(rename = "stop the user")]
    StopTheUser,
}

/// A page: one transaction.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// Its name, in steps and reports.
    pub name: String,
    /// What a user thinks before its next page, as the load's think time, whose place it takes; paced and open loads
    /// have a timetable instead.
    #[serde(default)]
    pub think: Option<ThinkTime>,
    /// Its requests, one after another unless they say what they come after.
    pub request: Vec<Request>,
    /// What it embeds, asked for when its requests are answered, several at once.
    #[serde(default)]
    pub resource: Vec<Resource>,
}

/// Something that a page embeds: a script, a picture.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resource {
    /// Its path.
    pub get: String,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            headers: BTreeMap::new(),
            compression: Vec::new(),
            expect: Expect::default(),
            timeout: Seconds(30.0),
            redirects: 5,
        }
    }
}

impl Default for Browser {
    fn default() -> Self {
        Self {
            protocol: HttpVersion::Http1,
            connections: 6,
            keep: Keep::Number(1),
            idle_close: None,
            cache: true,
        }
    }
}

impl Scenario {
    /// What users do in the built-in shop.
    pub fn shop() -> Result<Self, String> {
        toml::from_str(SHOP).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_scenario_can_be_read() {
        assert_eq!(Scenario::shop().map(|it| it.name), Ok("shop".to_owned()));
    }
}
