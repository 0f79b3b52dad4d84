//! A request of a page, and what is taken out of its answer.

use std::collections::BTreeMap;

use igen_job::Seconds;
use schemars::JsonSchema;
use serde::Deserialize;

use super::expect::Expect;

/// A request: exactly one of the methods, with the path.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Request {
    /// Its name in reports; `GET /path` when absent.
    pub name: Option<String>,
    /// Path of a GET, behind that of the target.
    pub get: Option<String>,
    /// Path of a HEAD.
    pub head: Option<String>,
    /// Path of a POST.
    pub post: Option<String>,
    /// Path of a PUT.
    pub put: Option<String>,
    /// Path of a PATCH.
    pub patch: Option<String>,
    /// Path of a DELETE.
    pub delete: Option<String>,
    /// Headers beside those of `defaults`, which they replace.
    pub headers: BTreeMap<String, String>,
    /// Fields of a form.
    pub form: Option<BTreeMap<String, String>>,
    /// A body of JSON, as text.
    pub json: Option<String>,
    /// A body of anything.
    pub body: Option<String>,
    /// Which answers are right.
    pub expect: Expect,
    /// Variables, and where in the answer they are.
    pub extract: BTreeMap<String, Extract>,
    /// Most redirects in a row that are followed.
    pub redirects: Option<u8>,
    /// The request above that it comes after; the one right above when absent. Those that come after the same one go
    /// out together.
    pub after: Option<String>,
    /// Longest time from its begin to the end of its answer; that of `defaults` when absent.
    pub timeout: Option<Seconds>,
}

/// Where in an answer a value is: exactly one place.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Extract {
    /// Name of a form field or of a `meta` element, whose value it is.
    pub input: Option<String>,
    /// Pointer into JSON (RFC 6901).
    pub json: Option<String>,
    /// Name of a header.
    pub header: Option<String>,
    /// Name of a cookie.
    pub cookie: Option<String>,
    /// Regular expression, whose first group it is, or all that matches where it has none.
    pub regex: Option<String>,
    /// Any one of several matches of `regex`, instead of the first one.
    pub random: bool,
}

impl Request {
    /// Its method, its path, and under which key the path stands; `None` unless there is exactly one.
    pub fn method(&self) -> Option<(&'static str, &str, &'static str)> {
        let methods = [
            ("GET", &self.get, "get"),
            ("HEAD", &self.head, "head"),
            ("POST", &self.post, "post"),
            ("PUT", &self.put, "put"),
            ("PATCH", &self.patch, "patch"),
            ("DELETE", &self.delete, "delete"),
        ];
        let mut set = methods
            .into_iter()
            .filter_map(|(method, path, key)| Some((method, path.as_deref()?, key)));
        let first = set.next()?;
        set.next().is_none().then_some(first)
    }
}
