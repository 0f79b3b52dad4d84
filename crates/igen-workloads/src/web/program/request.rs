//! A request of a page, as pieces that are put together for each user.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use igen_http::{Reading, USER_AGENT, check_header};
use igen_job::{JobError, Seconds};
use memchr::memmem::Finder;
use serde_json::Value;

use super::extract::Extract;
use super::long_body::Sought;
use super::pointer::Pointer;
use super::template::{Encoding, Names, Template, UNRESERVED};
use super::text::Text;
use crate::secret::{has_secret_shape, is_secret_header};
use crate::web::body::{KEPT_BEFORE_LOAD_BYTES, KEPT_BYTES};
use crate::web::scenario::{self, Compression, Expect, Scenario};

/// Longest body of an answer, unless the scenario says otherwise.
pub const MOST_BODY_BYTES: u64 = 64 << 20;
/// Longest body of a request.
const MOST_SENT_BYTES: usize = 16 << 20;
/// Shortest and longest limit of an answer: it is looked at twice a second.
const LIMITS_S: [f64; 2] = [0.5, 3_600.0];
/// Headers that follow from the request or the user.
const OURS: [&str; 3] = ["host", "cookie", "accept-encoding"];
/// Requests that were compiled so far.
static IDENTITIES: AtomicUsize = AtomicUsize::new(0);

/// A request.
#[derive(Debug)]
pub struct Request {
    /// Another number than any other request of this process has.
    pub identity: usize,
    /// `GET /home`, or what the scenario calls it.
    pub name: String,
    /// Its operation.
    pub operation: usize,
    pub method: &'static str,
    pub path: Template,
    /// Behind the line of the request and `Host`: those that stay, each with its line end.
    pub headers: Template,
    /// The header `Content-Type`, where there is a body that has one.
    pub content_type: Option<&'static str>,
    pub body: Option<Template>,
    pub checks: Checks,
    pub reading: Reading,
    /// The same before the load, where what a wrong answer says is told.
    pub reading_before_load: Reading,
    /// What is looked for in bodies that are longer than what is kept.
    pub sought: Arc<Sought>,
    /// True if something looks into the body.
    pub reads_body: bool,
    /// Variables by place, and where they are.
    pub extracts: Vec<(usize, Extract)>,
    /// Variables that it needs, and where in the scenario it does so.
    pub uses: Vec<(usize, String)>,
    pub redirects: u8,
    /// Longest time to an answer.
    pub limit: Duration,
}

/// Checks of an answer.
#[derive(Debug)]
pub struct Checks {
    /// Statuses; 200 to 299 when empty.
    pub status: Box<[u16]>,
    pub contains: Box<[Text]>,
    /// Names and what their values contain.
    pub header: Box<[(String, Finder<'static>)]>,
    pub json: Box<[(Pointer, Value)]>,
}

impl Checks {
    /// Returns true if an answer with this status is right.
    pub fn takes(&self, status: u16) -> bool {
        if self.status.is_empty() {
            (200..=299).contains(&status)
        } else {
            self.status.contains(&status)
        }
    }
}

impl Request {
    /// Reads the scenario at `path`.
    pub fn new(
        request: &scenario::Request,
        scenario: &Scenario,
        names: &Names,
        path: &str,
    ) -> Result<Self, JobError> {
        let (method, url, key) = request.method().ok_or_else(|| {
            JobError::at(path, "exactly one method is needed")
                .hint("use one method, such as get = \"/home\" or post = \"/login\"")
        })?;
        let at = |field: &str| format!("{path}.{field}");
        check_path(url, &at(key))?;
        let mut uses = Vec::new();
        let mut used = |template: Template, path: &str| {
            uses.extend(template.variables().map(|slot| (slot, path.to_owned())));
            template
        };
        let url_template = used(names.template(url, Encoding::Percent, &at(key))?, &at(key));
        let headers_template = used(
            headers(&request.headers, scenario, names, &at("headers"))?,
            &at("headers"),
        );
        let (body, content_type) = match (&request.form, &request.json, &request.body) {
            (None, None, None) => (None, None),
            (Some(form), None, None) => (
                Some(used(form_body(form, names, &at("form"))?, &at("form"))),
                Some("application/x-www-form-urlencoded"),
            ),
            (None, Some(json), None) => (
                Some(used(
                    names.template(json, Encoding::Json, &at("json"))?,
                    &at("json"),
                )),
                Some("application/json"),
            ),
            (None, None, Some(body)) => (
                Some(used(
                    names.template(body, Encoding::Raw, &at("body"))?,
                    &at("body"),
                )),
                None,
            ),
            _ => {
                return Err(JobError::at(path, "a request can have only one body")
                    .hint("use one of form, json, body"));
            }
        };
        if body
            .as_ref()
            .is_some_and(|body| body.texts().map(<[u8]>::len).sum::<usize>() > MOST_SENT_BYTES)
        {
            return Err(JobError::at(path, "the body is larger than 16 MiB"));
        }
        let expect = request.expect.over(&scenario.defaults.expect);
        let checks = checks(&expect, &at("expect"))?;
        let extracts = extracts(request, names, path)?;
        let reads_body = !checks.contains.is_empty()
            || !checks.json.is_empty()
            || extracts.iter().any(|(_, extract)| extract.reads_body());
        let limit = request.timeout.unwrap_or(scenario.defaults.timeout);
        check_limit(limit, &at("timeout"))?;
        let max_bytes = expect.max_bytes.map_or(MOST_BODY_BYTES, |bytes| bytes.0);
        let sought = Arc::new(Sought::new(
            &checks.contains,
            &checks.json,
            &extracts,
            max_bytes,
        ));
        let kept_bytes = if reads_body { KEPT_BYTES } else { 0 };
        Ok(Self {
            identity: IDENTITIES.fetch_add(1, Ordering::Relaxed),
            name: request
                .name
                .clone()
                .unwrap_or_else(|| format!("{method} {url}")),
            operation: 0,
            method,
            path: url_template,
            headers: headers_template,
            content_type: content_type.filter(|_| !has(&request.headers, "content-type")),
            body,
            checks,
            reading: reading(&sought, kept_bytes, max_bytes),
            reading_before_load: reading(
                &sought,
                kept_bytes.max(KEPT_BEFORE_LOAD_BYTES),
                max_bytes,
            ),
            sought,
            reads_body,
            extracts,
            uses,
            redirects: request.redirects.unwrap_or(scenario.defaults.redirects),
            limit: Duration::from_secs_f64(limit.0),
        })
    }

    /// Returns the variables that it sets.
    pub fn sets(&self) -> impl Iterator<Item = usize> {
        self.extracts.iter().map(|(slot, _)| *slot)
    }

    /// Returns the tables that it takes values from.
    pub fn tables(&self) -> Vec<usize> {
        let body = self.body.iter().flat_map(Template::tables);
        self.path
            .tables()
            .chain(self.headers.tables())
            .chain(body)
            .collect()
    }
}

/// The variables that are set from the answer, by place, and where they are.
fn extracts(
    request: &scenario::Request,
    names: &Names,
    path: &str,
) -> Result<Vec<(usize, Extract)>, JobError> {
    let is_name = |name: &str| {
        let mut bytes = name.bytes();
        name.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    };
    let mut extracts = Vec::new();
    for (name, extract) in &request.extract {
        let path = format!("{path}.extract.{name}");
        if !is_name(name) {
            return Err(
                JobError::at(path, format!("`{name}` is not a valid name for a variable"))
                    .hint("use letters, digits, - and _, and start with a letter"),
            );
        }
        let mut known = names.variables.iter();
        let slot = known.position(|known| known == name).unwrap_or_default();
        extracts.push((slot, Extract::new(extract, &path)?));
    }
    Ok(extracts)
}

/// Keeps so much of a body, and looks into all of it where something is sought there.
fn reading(sought: &Arc<Sought>, kept_bytes: usize, max_bytes: u64) -> Reading {
    let reading = Reading::new(None, max_bytes).keeping(kept_bytes);
    if kept_bytes < KEPT_BYTES {
        return reading;
    }
    let long = Arc::clone(sought);
    reading.looking_at(long)
}

/// Checks the longest time to an answer, which is told at `path`.
pub fn check_limit(limit: Seconds, path: &str) -> Result<(), JobError> {
    let [least_s, most_s] = LIMITS_S;
    if !(least_s..=most_s).contains(&limit.0) {
        return Err(
            JobError::at(path, "out of range").hint(format!("use {least_s} to {most_s} seconds"))
        );
    }
    Ok(())
}

/// Checks that a path is one on the target itself.
pub fn check_path(url: &str, path: &str) -> Result<(), JobError> {
    if let Some((_, rest)) = url.split_once("://").filter(|_| !url.starts_with('/')) {
        let host = rest.split('/').next().unwrap_or_default();
        let text = if host.contains('{') {
            format!("`{url}` has a variable in its host, so the loaded host would be unknown")
        } else {
            format!("`{url}` contains a host, but all requests go to the target")
        };
        return Err(JobError::at(path, text)
            .hint("use a path that starts with a slash: the host comes from the target"));
    }
    let is_path = |byte: u8| byte.is_ascii_graphic() && byte != b'#';
    if !url.starts_with('/') || url.starts_with("//") || !url.bytes().all(is_path) {
        return Err(JobError::at(path, format!("`{url}` is not a valid path"))
            .hint("start with one slash, and percent-encode spaces and non-ASCII characters"));
    }
    Ok(())
}

/// Returns the constant headers of a request: headers of `defaults` and its own.
pub fn headers(
    own: &BTreeMap<String, String>,
    scenario: &Scenario,
    names: &Names,
    path: &str,
) -> Result<Template, JobError> {
    let mut template = Template::default();
    let defaults = scenario
        .defaults
        .headers
        .iter()
        .filter(|(name, _)| !has(own, name));
    for (name, value) in defaults.chain(own) {
        let path = format!("{path}.{name}");
        if OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
            return Err(JobError::at(
                path,
                format!("the header {name} cannot be set: iGen sets it for each user"),
            )
            .hint("cookies come from answers; use defaults.compression for compression"));
        }
        check_header(name, value).map_err(|text| JobError::at(&path, text))?;
        if has_secret_shape(value) || (is_secret_header(name, "") && !value.contains('{')) {
            return Err(JobError::at(
                path,
                "a job must not contain a secret: jobs are stored in files",
            )
            .hint(
                "add it to [secrets], such as token = \"env:IGEN_TOKEN\", and use {secret.token}",
            ));
        }
        template.append(Template::text(format!("{name}: ")));
        template.append(names.template(value, Encoding::Header, &path)?);
        template.append(Template::text("\r\n"));
    }
    if !has(own, "user-agent") && !has(&scenario.defaults.headers, "user-agent") {
        template.append(Template::text(format!("User-Agent: {USER_AGENT}\r\n")));
    }
    if scenario.defaults.compression.contains(&Compression::Gzip) {
        template.append(Template::text("Accept-Encoding: gzip\r\n"));
    }
    Ok(template)
}

fn has(headers: &BTreeMap<String, String>, wanted: &str) -> bool {
    headers.keys().any(|name| name.eq_ignore_ascii_case(wanted))
}

fn form_body(
    form: &BTreeMap<String, String>,
    names: &Names,
    path: &str,
) -> Result<Template, JobError> {
    let mut template = Template::default();
    for (index, (name, value)) in form.iter().enumerate() {
        let separator = if index > 0 { "&" } else { "" };
        let encoded = percent_encoding::utf8_percent_encode(name, UNRESERVED);
        template.append(Template::text(format!("{separator}{encoded}=")));
        let value = names.template(value, Encoding::Percent, &format!("{path}.{name}"))?;
        template.append(value.percent_encoded());
    }
    Ok(template)
}

fn checks(expect: &Expect, path: &str) -> Result<Checks, JobError> {
    let status = expect.status.as_ref().map_or(&[][..], |it| it.all());
    if let Some(status) = status.iter().find(|it| !(200..=599).contains(*it)) {
        return Err(JobError::at(
            format!("{path}.status"),
            format!("{status} is not a valid status of an answer"),
        )
        .hint("use 200 to 599"));
    }
    let contains = expect.contains.as_ref().map_or(&[][..], |it| it.all());
    if contains.iter().any(String::is_empty) {
        return Err(JobError::at(
            format!("{path}.contains"),
            "an empty text is in every body",
        ));
    }
    let json = expect.json.iter().map(|(pointer, value)| {
        let read = Pointer::new(pointer).map_err(|text| JobError::at(format!("{path}.json"), text));
        read.map(|pointer| (pointer, value.clone()))
    });
    Ok(Checks {
        status: status.into(),
        contains: contains.iter().map(|text| Text::new(text)).collect(),
        header: expect
            .header
            .iter()
            .map(|(name, text)| (name.clone(), Finder::new(text).into_owned()))
            .collect(),
        json: json.collect::<Result<_, _>>()?,
    })
}
