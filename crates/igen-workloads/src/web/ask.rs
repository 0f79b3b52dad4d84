//! What a page asks for, a request or a resource: put together, sent, and followed where it is redirected.

use super::excerpt::excerpt;
use super::fetch::{Lane, header};
use super::meter::REDIRECTS;
use super::place::follow;
use super::program::{Program, Request, Template};
use super::render::number;
use super::visit::Visit;
use igen_engine::{FailureKind, Reason};

/// Redirects.
const REDIRECT: [u16; 5] = [301, 302, 303, 307, 308];
/// Those that hold for good.
const PERMANENT: [u16; 2] = [301, 308];

/// A resource that is asked for.
pub(super) struct Resource<'a> {
    /// Its place in the program.
    pub place: usize,
    pub operation: usize,
    /// The `ETag` of what the user has of it, so that it asks only for what has changed.
    pub etag: Option<&'a [u8]>,
}

/// What a page asks for; small, since each user who waits for an answer has one.
#[derive(Clone, Copy)]
pub(super) enum Asked<'a> {
    Request(&'a Request),
    Resource(&'a Resource<'a>),
}

impl Asked<'_> {
    fn path<'a>(&'a self, program: &'a Program) -> &'a Template {
        match self {
            Self::Request(request) => &request.path,
            Self::Resource(resource) => &program.resources[resource.place],
        }
    }

    fn headers<'a>(&'a self, program: &'a Program) -> &'a Template {
        match self {
            Self::Request(request) => &request.headers,
            Self::Resource(_) => &program.resource_headers,
        }
    }

    fn method(&self) -> &'static str {
        match self {
            Self::Request(request) => request.method,
            Self::Resource(_) => "GET",
        }
    }

    /// Returns true if an answer with this status is the last one; else it says where to ask.
    fn ends_with(&self, status: u16, most: u8) -> bool {
        let is_meant = match self {
            Self::Request(request) => request.checks.status.contains(&status),
            Self::Resource(_) => false,
        };
        most == 0 || is_meant || !REDIRECT.contains(&status)
    }
}

impl Visit<'_, '_> {
    /// Asks, with the redirects that this leads to, which are part of its time; and judges the answer.
    pub(super) async fn ask(&self, lane: &mut Lane, asked: Asked<'_>) -> Result<(), Reason> {
        self.fill(lane, &asked)?;
        let (mut began_ns, mut method, mut hops) = (None, asked.method(), 0);
        let mut is_permanent = true;
        let done = loop {
            self.put_together(lane, &asked, method, hops)?;
            let (reading, limit, most) = match &asked {
                Asked::Request(request) if self.meter.is_before_load() => (
                    &request.reading_before_load,
                    request.limit,
                    request.redirects,
                ),
                Asked::Request(request) => (&request.reading, request.limit, request.redirects),
                Asked::Resource(_) => {
                    let program = self.program;
                    (&program.resource_reading, program.limit, program.redirects)
                }
            };
            let fetched = lane.fetch(reading, limit, self.meter).await;
            began_ns = began_ns.or(fetched.began_ns);
            let status = match fetched.answer {
                Ok(answer) => answer.status,
                Err(reason) => break Err(reason),
            };
            for cookie in header(lane.client.head(), "set-cookie") {
                let mut cookies = self.cookies.borrow_mut();
                cookies.take(cookie, &lane.path, self.now_ns);
            }
            if asked.ends_with(status, most) {
                break self.judge(lane, &asked, status, is_permanent);
            }
            let location = header(lane.client.head(), "location").next();
            let origin = &self.server.origin;
            let behind = match follow(location.unwrap_or_default(), &lane.path, origin) {
                Ok(behind) => behind,
                Err(astray) => break Err(astray.reason(origin)),
            };
            if hops == most {
                break Err(goes_round(most, &lane.path, &behind));
            }
            hops += 1;
            self.meter.count(REDIRECTS, 1);
            is_permanent &= PERMANENT.contains(&status);
            method = method_behind(method, status);
            lane.path = behind;
        };
        if let Some(began_ns) = began_ns {
            let operation = match &asked {
                Asked::Request(request) => request.operation,
                Asked::Resource(resource) => resource.operation,
            };
            self.meter.record(operation, began_ns, done.is_ok());
        }
        done
    }

    fn judge(
        &self,
        lane: &mut Lane,
        asked: &Asked<'_>,
        status: u16,
        is_permanent: bool,
    ) -> Result<(), Reason> {
        let judged = match asked {
            Asked::Request(request) => self.judge_request(lane, request, status),
            Asked::Resource(resource) => self.keep(lane, resource, status, is_permanent),
        };
        if judged.is_err() {
            let client = &lane.client;
            let secrets = &self.program.secrets;
            self.meter
                .is_wrong(|| excerpt(client.head(), client.body(), secrets));
        }
        judged
    }

    /// Puts path and body together.
    fn fill(&self, lane: &mut Lane, asked: &Asked<'_>) -> Result<(), Reason> {
        let mut values = self.values.borrow_mut();
        let fault = |slot| unset(self.program, slot);
        let base = self.server.web.site.base().as_bytes();
        lane.path.clear();
        lane.path.extend_from_slice(base);
        let path = asked.path(self.program);
        values
            .write(self.program, path, &mut lane.path)
            .map_err(fault)?;
        lane.body.clear();
        if let Asked::Request(request) = asked
            && let Some(body) = &request.body
        {
            values
                .write(self.program, body, &mut lane.body)
                .map_err(fault)?;
        }
        Ok(())
    }

    /// Writes the request for the path that it has now.
    fn put_together(
        &self,
        lane: &mut Lane,
        asked: &Asked<'_>,
        method: &'static str,
        hops: u8,
    ) -> Result<(), Reason> {
        let output = lane.request.rewrite(method);
        for piece in [
            method.as_bytes(),
            b" ",
            &lane.path,
            b" HTTP/1.1\r\nHost: ",
            self.server.authority.as_bytes(),
            b"\r\n",
        ] {
            output.extend_from_slice(piece);
        }
        self.values
            .borrow_mut()
            .write(self.program, asked.headers(self.program), output)
            .map_err(|slot| unset(self.program, slot))?;
        self.cookies.borrow().write(&lane.path, self.now_ns, output);
        match asked {
            // What was redirected as a GET has lost its body.
            Asked::Request(request) if hops == 0 || method == request.method => {
                body_of(request, &lane.body, output);
            }
            Asked::Resource(Resource {
                etag: Some(etag), ..
            }) => {
                for piece in [b"If-None-Match: ", *etag, b"\r\n\r\n"] {
                    output.extend_from_slice(piece);
                }
            }
            Asked::Request(_) | Asked::Resource(_) => output.extend_from_slice(b"\r\n"),
        }
        Ok(())
    }
}

/// Writes the end of the head and the body, where the request has one.
fn body_of(request: &Request, body: &[u8], output: &mut Vec<u8>) {
    if request.body.is_none() && !matches!(request.method, "POST" | "PUT" | "PATCH") {
        output.extend_from_slice(b"\r\n");
        return;
    }
    if let Some(content_type) = request.content_type {
        for piece in ["Content-Type: ", content_type, "\r\n"] {
            output.extend_from_slice(piece.as_bytes());
        }
    }
    output.extend_from_slice(b"Content-Length: ");
    number(body.len() as u64, output);
    output.extend_from_slice(b"\r\n\r\n");
    output.extend_from_slice(body);
}

/// The method of the request that follows a redirect, as browsers have it (Fetch, section 4.4).
fn method_behind(method: &'static str, status: u16) -> &'static str {
    match (status, method) {
        (303, "HEAD") => method,
        (303, _) | (301 | 302, "POST") => "GET",
        _ => method,
    }
}

/// Paths without what is asked for there, which may be as many as there are users.
#[cold]
fn goes_round(most: u8, last: &[u8], behind: &[u8]) -> Reason {
    let [last, behind] = [last, behind].map(|path| {
        let path = path.split(|byte| *byte == b'?').next();
        String::from_utf8_lossy(path.unwrap_or_default())
    });
    Reason::wrong(format!(
        "more than {most} redirects, the last from {last} to {behind}"
    ))
}

#[cold]
pub(super) fn unset(program: &Program, slot: usize) -> Reason {
    Reason::new(
        FailureKind::Other,
        format!(
            "{} has no value because its page failed",
            program.variables[slot]
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_changes_where_browsers_change_it() {
        for (method, to_get) in [
            ("POST", &[301, 302, 303][..]),
            ("PUT", &[303]),
            ("DELETE", &[303]),
            ("HEAD", &[]),
        ] {
            for status in REDIRECT {
                let becomes = if to_get.contains(&status) {
                    "GET"
                } else {
                    method
                };
                assert_eq!(method_behind(method, status), becomes, "{method} {status}");
            }
        }
    }
}
