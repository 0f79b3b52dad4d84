//! Parameters of `http`.

use std::collections::BTreeMap;

use igen_http::{Protocol, Request};
use igen_job::{Bytes, JobError, Seconds};
use igen_net::Resumption;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::names::{Names, names};
use crate::secret::{is_secret_header, variable_value};

/// Most paths: each is an operation with statistics of its own.
const MOST_PATHS: usize = 32;
/// The most that all weights come to together.
const MOST_WEIGHT: u32 = 1_000_000;
/// Longest body of a request.
const MOST_BODY_BYTES: usize = 16 << 20;
/// Shortest and longest limit of an answer: it is looked at twice a second.
const LIMITS_S: [f64; 2] = [0.5, 3_600.0];
/// What to ask for, and which answers are right.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Path of the request, below the path of the target.
    pub path: String,
    /// Up to 32 paths, one of which each transaction requests: `/a,/b`.
    ///
    /// A list of `{path, weight}`, or text with commas between paths of equal weight.
    #[serde(deserialize_with = "paths")]
    #[schemars(with = "Paths")]
    pub paths: Vec<WeightedPath>,
    /// Method of the request, in capital letters.
    pub method: String,
    /// Body of the request, up to 16MiB.
    #[schemars(extend("x-default" = "none"))]
    pub body: Option<String>,
    /// More headers, by name; a secret is `env:IGEN_NAME`.
    ///
    /// They are sent with `Host`, `User-Agent` and `Content-Length`. `headers.Authorization=env:IGEN_TOKEN` takes the
    /// value of the environment variable; secrets must be given in this way.
    pub headers: BTreeMap<String, String>,
    /// Correct answers; other answers are failures.
    pub expect: Expect,
    /// Longest time of a request, of connecting and of TLS, 0.5s to 1h.
    ///
    /// A request fails up to a second later, also if bytes still arrive.
    pub timeout_s: Seconds,
    /// TLS sessions that new connections resume: of the same user, or none.
    pub resumption: TlsResumption,
    /// Version of HTTP; auto: with TLS the server's choice.
    ///
    /// With TLS `h2` is negotiated, without TLS it is assumed. `auto` is HTTP/1.1 without TLS.
    pub protocol: HttpVersion,
    /// Public hosts that you may load: a list, or text with commas.
    ///
    /// Hosts of this machine and of private networks are always allowed.
    #[serde(deserialize_with = "names")]
    #[schemars(with = "Names")]
    pub i_may_load: Vec<String>,
}

/// One of several paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeightedPath {
    /// The path.
    pub path: String,
    /// How often it is asked for, to the other weights.
    #[serde(default = "one")]
    pub weight: u32,
}

/// Which answers are right.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// Statuses: a list, one status, or text with commas. Redirects are not followed.
    #[serde(deserialize_with = "statuses")]
    #[schemars(with = "Statuses")]
    #[schemars(extend("x-default" = "200 to 299"))]
    pub status: Vec<u16>,
    /// Text that the body must contain: an error page may have status 200.
    #[schemars(extend("x-default" = "none"))]
    pub contains: Option<String>,
    /// Longest body.
    pub max_bytes: Bytes,
}

/// Which TLS sessions a new connection resumes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TlsResumption {
    /// Those of the same user.
    #[default]
    Own,
    /// None: each handshake is a full one.
    Never,
}

/// Which version of HTTP is spoken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum HttpVersion {
    /// HTTP/1.1.
    #[default]
    #[serde(rename = "http/1.1")]
    Http1,
    /// HTTP/2.
    #[serde(rename = "h2")]
    Http2,
    /// Under TLS what the server likes best, HTTP/1.1 without.
    #[serde(rename = "auto")]
    Auto,
}

/// Paths.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Paths {
    /// `[{"path": "/a", "weight": 3}, {"path": "/b"}]`.
    List(Vec<WeightedPath>),
    /// `/a,/b`.
    Text(String),
}

/// Statuses.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Statuses {
    /// `[200, 404]`.
    List(Vec<u16>),
    /// `404`.
    One(u16),
    /// `200,404`.
    Text(String),
}

fn one() -> u32 {
    1
}

fn paths<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<WeightedPath>, D::Error> {
    Ok(match Paths::deserialize(source)? {
        Paths::List(list) => list,
        Paths::Text(text) => text
            .split(',')
            .filter(|path| !path.is_empty())
            .map(|path| WeightedPath {
                path: path.to_owned(),
                weight: one(),
            })
            .collect(),
    })
}

fn statuses<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<u16>, D::Error> {
    match Statuses::deserialize(source)? {
        Statuses::List(list) => Ok(list),
        Statuses::One(status) => Ok(vec![status]),
        Statuses::Text(text) => text
            .split(',')
            .map(|status| status.trim().parse().map_err(serde::de::Error::custom))
            .collect(),
    }
}

impl Default for Params {
    fn default() -> Self {
        Self {
            path: "/".to_owned(),
            paths: Vec::new(),
            method: "GET".to_owned(),
            body: None,
            headers: BTreeMap::new(),
            expect: Expect::default(),
            timeout_s: Seconds(30.0),
            resumption: TlsResumption::Own,
            protocol: HttpVersion::Http1,
            i_may_load: Vec::new(),
        }
    }
}

impl Default for Expect {
    fn default() -> Self {
        Self {
            status: Vec::new(),
            contains: None,
            max_bytes: Bytes(64 << 20),
        }
    }
}

impl Expect {
    /// Returns true if an answer with this status is right.
    #[inline]
    pub(super) fn takes(&self, status: u16) -> bool {
        if self.status.is_empty() {
            return (200..=299).contains(&status);
        }
        self.status.contains(&status)
    }

    /// For errors: `200 to 299`.
    pub(super) fn statuses(&self) -> String {
        if self.status.is_empty() {
            return "200 to 299".to_owned();
        }
        let texts: Vec<_> = self.status.iter().map(u16::to_string).collect();
        texts.join(", ")
    }
}

impl From<HttpVersion> for Protocol {
    fn from(version: HttpVersion) -> Self {
        match version {
            HttpVersion::Http1 => Self::Http1,
            HttpVersion::Http2 => Self::Http2,
            HttpVersion::Auto => Self::Auto,
        }
    }
}

impl From<TlsResumption> for Resumption {
    fn from(resumption: TlsResumption) -> Self {
        match resumption {
            TlsResumption::Own => Self::Own,
            TlsResumption::Never => Self::Never,
        }
    }
}

impl Params {
    /// What is asked for, each path once.
    pub(super) fn asked(&self) -> Vec<WeightedPath> {
        if !self.paths.is_empty() {
            return self.paths.clone();
        }
        vec![WeightedPath {
            path: self.path.clone(),
            weight: one(),
        }]
    }

    /// Checks what the types cannot say.
    pub(super) fn check(&self) -> Result<(), JobError> {
        let [least_s, most_s] = LIMITS_S;
        if !(least_s..=most_s).contains(&self.timeout_s.0) {
            return Err(JobError::at("params.timeout_s", "out of range")
                .hint(format!("use {least_s} to {most_s} seconds")));
        }
        if self.paths.len() > MOST_PATHS {
            let text = format!("too many paths: {}", self.paths.len());
            return Err(JobError::at("params.paths", text).hint(format!(
                "use at most {MOST_PATHS}: each has its own statistics"
            )));
        }
        for (index, each) in self.paths.iter().enumerate() {
            if self.paths[..index]
                .iter()
                .any(|other| other.path == each.path)
            {
                let text = format!("{} is listed twice", each.path);
                return Err(JobError::at("params.paths", text)
                    .hint("list it once, with the sum of both weights"));
            }
        }
        let weights = self.paths.iter().map(|each| each.weight);
        let weight = weights.fold(0, u32::saturating_add);
        if !self.paths.is_empty() && !(1..=MOST_WEIGHT).contains(&weight) {
            return Err(JobError::at("params.paths", "the weights are out of range")
                .hint(format!("use a sum of 1 to {MOST_WEIGHT}")));
        }
        if self
            .body
            .as_ref()
            .is_some_and(|body| body.len() > MOST_BODY_BYTES)
        {
            return Err(JobError::at(
                "params.body",
                "the body is larger than 16 MiB",
            ));
        }
        if let Some(status) = self
            .expect
            .status
            .iter()
            .find(|it| !(200..=599).contains(*it))
        {
            let text = format!("{status} is not a valid status of an answer");
            return Err(JobError::at("params.expect", text).hint("use 200 to 599"));
        }
        if self.expect.contains.as_ref().is_some_and(String::is_empty) {
            return Err(JobError::at(
                "params.expect",
                "contains: an empty text is in every body",
            ));
        }
        let compressed = self
            .headers
            .keys()
            .any(|name| name.eq_ignore_ascii_case("accept-encoding"));
        if compressed && self.expect.contains.is_some() {
            return Err(JobError::at(
                "params.expect",
                "`contains` does not search compressed bodies",
            )
            .hint("remove the header Accept-Encoding"));
        }
        Ok(())
    }

    /// The headers as they are sent, with what the environment holds.
    pub(super) fn headers(&self) -> Result<Vec<(String, String)>, JobError> {
        let value = |(name, value): (&String, &String)| {
            let fault = |text: String| JobError::at(format!("params.headers.{name}"), text);
            let Some(variable) = value.strip_prefix("env:") else {
                if is_secret_header(name, value) {
                    return Err(fault(
                        "a job must not contain a secret: jobs are stored and shown".to_owned(),
                    )
                    .hint(format!(
                        "put it into an environment variable: headers.{name}=env:IGEN_SECRET"
                    )));
                }
                return Ok((name.clone(), value.clone()));
            };
            let path = format!("params.headers.{name}");
            Ok((name.clone(), variable_value(variable, &path)?))
        };
        self.headers.iter().map(value).collect()
    }

    /// The request for `path` to the server of that name.
    pub(super) fn request(
        &self,
        authority: &str,
        path: &str,
        headers: &[(String, String)],
    ) -> Result<Request, JobError> {
        let body = self.body.as_deref().unwrap_or_default();
        Request::new(&self.method, authority, path, headers, body.as_bytes())
            .map_err(|text| JobError::at("params", text))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn read(json: &str) -> Params {
        serde_json::from_str(json).expect(json)
    }

    #[test]
    fn lists_may_be_texts() {
        let texts = read(
            r#"{"paths": "/a,/b", "expect": {"status": "200, 404"}, "i_may_load": "web.lab"}"#,
        );
        let lists = read(
            r#"{"paths": [{"path": "/a"}, {"path": "/b", "weight": 1}],
                "expect": {"status": [200, 404]}, "i_may_load": ["web.lab"]}"#,
        );
        assert_eq!(texts.paths, lists.paths);
        assert_eq!(texts.expect.status, lists.expect.status);
        assert_eq!(texts.i_may_load, lists.i_may_load);
        let one = read(r#"{"expect": {"status": 301}}"#).expect;
        assert!(one.takes(301) && !one.takes(200));
        assert!(Expect::default().takes(204) && !Expect::default().takes(304));
    }

    #[test]
    fn nonsense_is_refused() {
        for (json, path) in [
            (r#"{"timeout_s": 0.1}"#, "params.timeout_s"),
            (r#"{"paths": "/a,/a"}"#, "params.paths"),
            (
                r#"{"paths": [{"path": "/a", "weight": 0}]}"#,
                "params.paths",
            ),
            (r#"{"expect": {"status": 100}}"#, "params.expect"),
            (r#"{"expect": {"contains": ""}}"#, "params.expect"),
            (
                r#"{"expect": {"contains": "x"}, "headers": {"accept-encoding": "gzip"}}"#,
                "params.expect",
            ),
        ] {
            assert_eq!(read(json).check().expect_err(json).path, path);
        }
        let many: Vec<_> = (0..33).map(|path| format!("/{path}")).collect();
        let many = read(&format!(r#"{{"paths": "{}"}}"#, many.join(",")));
        assert_eq!(many.check().expect_err("33").path, "params.paths");
        assert_eq!(read("{}").check(), Ok(()));
    }

    #[test]
    fn secrets_come_from_the_environment() {
        for (name, value) in [
            ("authorization", "Bearer hush"),
            ("X-Auth-Token", "hush"),
            ("X-Secret", "hush"),
            ("X-Note", "ghp_hush012345678901"),
        ] {
            let json = format!(r#"{{"headers": {{"{name}": "{value}"}}}}"#);
            let error = read(&json).headers().unwrap_err();
            assert_eq!(error.path, format!("params.headers.{name}"));
            assert!(!error.to_string().contains("hush") && error.hint.contains("env:"));
        }
        let error = read(r#"{"headers": {"Cookie": "env:IGEN_NO_SUCH_NAME"}}"#).headers();
        assert!(error.unwrap_err().text.contains("IGEN_NO_SUCH_NAME"));
        let error = read(r#"{"headers": {"X-Home": "env:PATH"}}"#).headers();
        assert!(error.unwrap_err().text.contains("IGEN_"));
        let headers = read(r#"{"headers": {"X-Id": "1"}}"#).headers();
        assert_eq!(headers, Ok(vec![("X-Id".to_owned(), "1".to_owned())]));
    }
}
