//! A request of a page: put together, sent, followed where it is redirected, judged.

use std::borrow::Cow;

use super::fetch::{Lane, Reason, header};
use super::judge;
use super::last_body::{self, Look};
use super::meter::REDIRECTS;
use super::place::{Astray, follow};
use super::program::{Program, Request};
use super::render::{Values, number};
use super::visit::Visit;

/// Begin of redirects that keep their method and body.
const KEEPS_METHOD: [u16; 2] = [307, 308];
/// Redirects.
const REDIRECT: [u16; 5] = [301, 302, 303, 307, 308];

impl Visit<'_, '_> {
    /// A request with its redirects, which are part of its time.
    pub(super) async fn request(&self, lane: &mut Lane, request: &Request) -> Result<(), Reason> {
        self.fill(lane, request)
            .map_err(|slot| unset(self.program, slot))?;
        let (mut began_ns, mut method, mut hops) = (None, request.method, 0);
        let done = loop {
            self.put_together(lane, request, method, hops)?;
            let fetched = lane
                .fetch(&request.reading, request.limit, self.meter)
                .await;
            began_ns = began_ns.or(fetched.began_ns);
            let answer = match fetched.answer {
                Ok(answer) => answer,
                Err(reason) => break Err(reason),
            };
            for cookie in header(lane.client.head(), "set-cookie") {
                let mut cookies = self.cookies.borrow_mut();
                cookies.take(cookie, &lane.path, self.now_ns);
            }
            let follows = REDIRECT.contains(&answer.status) && request.redirects > 0;
            if !follows || request.checks.status.contains(&answer.status) {
                break self.judge(lane, request, answer.status);
            }
            if hops == request.redirects {
                break Err(format!("more than {hops} redirects").into());
            }
            hops += 1;
            self.meter.count(REDIRECTS, 1);
            if !KEEPS_METHOD.contains(&answer.status) && method != "HEAD" {
                method = "GET";
            }
            let location = header(lane.client.head(), "location")
                .next()
                .unwrap_or_default();
            match follow(location, &lane.path, &self.server.origin) {
                Ok(path) => lane.path = path,
                Err(Astray::OtherHost) => break Err("a redirect to another host".into()),
                Err(Astray::Nowhere) => break Err("a redirect to nowhere".into()),
            }
        };
        if let Some(began_ns) = began_ns {
            self.meter.record(request.operation, began_ns, done.is_ok());
        }
        done
    }

    /// Puts path and body together; an error is the place of a variable that is not set.
    fn fill(&self, lane: &mut Lane, request: &Request) -> Result<(), usize> {
        let mut values = self.values.borrow_mut();
        lane.path.clear();
        lane.path
            .extend_from_slice(self.server.web.site.base().as_bytes());
        values.write(self.program, &request.path, &mut lane.path)?;
        lane.body.clear();
        match &request.body {
            Some(body) => values.write(self.program, body, &mut lane.body),
            None => Ok(()),
        }
    }

    /// Writes the request for the path that it has now.
    fn put_together(
        &self,
        lane: &mut Lane,
        request: &Request,
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
            .write(self.program, &request.headers, output)
            .map_err(|slot| unset(self.program, slot))?;
        self.cookies.borrow().write(&lane.path, self.now_ns, output);
        // What was redirected as a GET has lost its body.
        let keeps_body = hops == 0 || method == request.method;
        if keeps_body && (request.body.is_some() || matches!(method, "POST" | "PUT" | "PATCH")) {
            if let Some(content_type) = request.content_type {
                for piece in ["Content-Type: ", content_type, "\r\n"] {
                    output.extend_from_slice(piece.as_bytes());
                }
            }
            output.extend_from_slice(b"Content-Length: ");
            number(lane.body.len() as u64, output);
            output.extend_from_slice(b"\r\n\r\n");
            output.extend_from_slice(&lane.body);
        } else {
            output.extend_from_slice(b"\r\n");
        }
        Ok(())
    }

    /// Checks the answer that has come, and takes out of it what the scenario asks for.
    fn judge(&self, lane: &Lane, request: &Request, status: u16) -> Result<(), Reason> {
        let head = lane.client.head();
        let mut inflated = self.inflated.borrow_mut();
        let body = if request.reads_body && request.checks.takes(status) {
            judge::inflate(head, lane.client.body(), &mut inflated)?
        } else {
            b""
        };
        judge::check(request, status, head, body)?;
        if request.extracts.is_empty() {
            return Ok(());
        }
        last_body::look(request, body, |look| self.extract(request, head, look))
    }

    /// Takes out of an answer what the scenario asks for.
    fn extract(
        &self,
        request: &Request,
        head: &[u8],
        look: &mut Look<'_, '_>,
    ) -> Result<(), Reason> {
        let (cookies, mut values) = (self.cookies.borrow(), self.values.borrow_mut());
        let Values {
            random, variables, ..
        } = &mut **values;
        for (number, (slot, extract)) in request.extracts.iter().enumerate() {
            let value = judge::extract((number, extract), head, look, &cookies, random);
            let value = value.ok_or_else(|| {
                Cow::Owned(format!(
                    "no {} in the answer",
                    self.program.variables[*slot]
                ))
            })?;
            variables.set(*slot, &value);
        }
        Ok(())
    }
}

#[cold]
pub(super) fn unset(program: &Program, slot: usize) -> Reason {
    format!(
        "no value of {}, whose page has failed",
        program.variables[slot]
    )
    .into()
}
