//! The application tier: login, pages and charts. A page costs processor time on purpose; what it shows
//! comes from the data tier, or from the cache.
//!
//! | path | answer |
//! | --- | --- |
//! | `GET /` | a page for everybody |
//! | `GET /login`, `POST /login` | a form with `csrf_token`; to `/home` with the cookie `session` |
//! | `POST /logout` | to `/login`, and the cookie is gone |
//! | `GET /home` | ten products |
//! | `GET /search?q=oak&page=0` | twenty products, in chunks |
//! | `GET /product/7` | a product |
//! | `GET`, `POST /product/7/edit` | its note in a form with `csrf_token`; to `/product/7` |
//! | `GET /dashboard` | a page with 23 resources that asks for the four charts; compressed where accepted |
//! | `GET /api/chart/top-products?region=3` | a chart as JSON; compressed where accepted |
//!
//! Whoever is not signed in is sent to `/login`, or told 401 where JSON is asked for. Any name may sign in
//! with the password `shop`: there is nothing to protect.

mod cache;
mod html;
mod pages;
mod session;
mod work;

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use hyper::header::HeaderMap;
use hyper::{Method, Request, Response, StatusCode};
use igen_job::JobError;
use serde_json::{Value, json};

use crate::data::{CHARTS, REGIONS};
use crate::seed::Seed;
use crate::serve::{
    self, Body, Fault, Limits, Listen, Stop, Tier, Upstream, accepts_gzip, answer, compressed,
    field, is_digits, json as json_answer, plain, redirect, say_gzip,
};
use cache::Cache;
use session::Sessions;

/// The password of everybody.
pub const PASSWORD: &str = "shop";

/// Compressed for each answer: as quickly as it gets.
const LEVEL: u32 = 1;
const HTML: &str = "text/html; charset=utf-8";

/// Options of an application.
pub struct Options {
    /// Addresses at which it listens.
    pub listen: Vec<Listen>,
    /// Socket of the data tier.
    pub data: PathBuf,
    /// True if it remembers what the data tier has answered.
    pub cache: bool,
    /// Processor time of each page, beside what it costs to make it.
    pub work: Duration,
    /// Seed of signatures; the same in all tiers.
    pub seed: u64,
    /// Limits for its clients.
    pub limits: Limits,
}

/// Serves until it is told to stop; `ready` is told the address.
pub fn serve(options: &Options, ready: impl FnOnce(&str), stop: Stop) -> Result<(), JobError> {
    let make = || {
        Ok(App {
            data: Rc::new(Upstream::new(options.data.clone(), options.limits.behind)),
            cache: options.cache.then(RefCell::default),
            work: options.work,
            sessions: Sessions::new(Seed(options.seed)),
        })
    };
    serve::run(&options.listen, None, options.limits, make, ready, stop)
}

struct App {
    data: Rc<Upstream>,
    cache: Option<RefCell<Cache>>,
    work: Duration,
    sessions: Sessions,
}

type Answered = Result<Response<Body>, Response<Body>>;

impl Tier for App {
    const NAME: &'static str = "app";

    async fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        let path = request.uri().path().to_owned();
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        let answered = match (request.method(), segments.as_slice()) {
            (&Method::GET | &Method::HEAD, [""]) => Ok(self.page(StatusCode::OK, pages::start())),
            (&Method::GET | &Method::HEAD, ["login"]) => Ok(self.login_form()),
            (&Method::POST, ["login"]) => Ok(self.sign_in(&request)),
            (&Method::POST, ["logout"]) => Ok(redirect("/login", &[session::ended()])),
            (_, segments) => match self.sessions.of(request.headers()) {
                Some((user, session)) => self.signed_in(&request, segments, user, session).await,
                None if path.starts_with("/api/") => {
                    Ok(plain(StatusCode::UNAUTHORIZED, "nobody is signed in"))
                }
                None => Ok(redirect("/login", &[])),
            },
        };
        answered.unwrap_or_else(|fault| fault)
    }

    async fn obstacle(&self) -> Option<String> {
        match self.data.ask("/-/ready", None).await {
            Ok((StatusCode::OK, _)) => None,
            _ => Some("the data tier does not answer".to_owned()),
        }
    }

    fn counted(&self) -> Vec<(&'static str, Value)> {
        let counted = match &self.cache {
            None => Value::Null,
            Some(cache) => {
                let cache = cache.borrow();
                json!({"hits": cache.hits, "misses": cache.misses})
            }
        };
        vec![("cache", counted)]
    }

    async fn counts_of(&self, tier: &str) -> Option<Response<Body>> {
        if tier != "data" {
            return None;
        }
        Some(match self.data.ask("/-/counts", None).await {
            Ok((_, body)) => json_answer(body),
            Err(fault) => unavailable(&fault),
        })
    }
}

impl App {
    fn login_form(&self) -> Response<Body> {
        let (visit, cookie) = self.sessions.visit();
        let mut response = self.page(
            StatusCode::OK,
            pages::login(&self.sessions.token("login", &visit), ""),
        );
        serve::set(&mut response, hyper::header::SET_COOKIE, &cookie);
        response
    }

    fn sign_in(&self, request: &Request<Bytes>) -> Response<Body> {
        let form = String::from_utf8_lossy(request.body());
        let Some(visit) = session::visit_of(request.headers()) else {
            return plain(
                StatusCode::FORBIDDEN,
                "the session cookie of the form is missing",
            );
        };
        let token = self.sessions.token("login", visit);
        if field(&form, "csrf_token").as_deref() != Some(&token) {
            return wrong_token();
        }
        let user = field(&form, "user").unwrap_or_default();
        if field(&form, "password").as_deref() != Some(PASSWORD) || !session::is_name(&user) {
            let form = pages::login(&token, "Name or password is wrong.");
            return self.page(StatusCode::UNAUTHORIZED, form);
        }
        redirect(
            "/home",
            &[self.sessions.begin(&user), session::visit_ended()],
        )
    }

    /// Answers somebody who is signed in.
    async fn signed_in(
        &self,
        request: &Request<Bytes>,
        segments: &[&str],
        user: &str,
        session: &str,
    ) -> Answered {
        let query = request.uri().query().unwrap_or_default();
        match (request.method(), segments) {
            (&Method::GET | &Method::HEAD, ["home"]) => self.home(user).await,
            (&Method::GET | &Method::HEAD, ["search"]) => self.search(query, user).await,
            (&Method::GET | &Method::HEAD, ["product", id]) if is_digits(id) => {
                self.product(id, user).await
            }
            (&Method::GET | &Method::HEAD, ["product", id, "edit"]) if is_digits(id) => {
                self.edit_form(id, user, session).await
            }
            (&Method::POST, ["product", id, "edit"]) if is_digits(id) => {
                self.edit(id, request.body(), session).await
            }
            (&Method::GET | &Method::HEAD, ["dashboard"]) => {
                Ok(self.dashboard(query, user, request.headers()))
            }
            (&Method::GET | &Method::HEAD, ["api", "chart", name]) => {
                self.chart(name, query, request.headers()).await
            }
            _ => Ok(plain(StatusCode::NOT_FOUND, "there is no such page")),
        }
    }

    async fn home(&self, user: &str) -> Answered {
        // Some people are recommended the same.
        let group = user
            .bytes()
            .fold(7_u32, |sum, byte| (sum * 31 + u32::from(byte)) % 20);
        let found = self
            .remembered(&format!("/products?from={}", group * 100))
            .await?;
        Ok(self.page(StatusCode::OK, pages::home(user, &found)))
    }

    async fn search(&self, query: &str, user: &str) -> Answered {
        let words = field(query, "q").unwrap_or_default();
        let page: u32 = field(query, "page")
            .unwrap_or_default()
            .parse()
            .unwrap_or(0);
        if words.len() > 64 || page > 1_000 {
            return Ok(plain(
                StatusCode::BAD_REQUEST,
                "at most 64 letters, and 1,000 pages",
            ));
        }
        let asked =
            percent_encoding::utf8_percent_encode(&words, percent_encoding::NON_ALPHANUMERIC);
        let found = self
            .remembered(&format!("/search?q={asked}&page={page}"))
            .await?;
        work::burn(self.work);
        let pieces = pages::search(user, &words, &found)
            .into_iter()
            .map(Bytes::from);
        Ok(answer(StatusCode::OK, HTML, Body::Pieces(pieces.collect())))
    }

    async fn product(&self, id: &str, user: &str) -> Answered {
        let found = self.remembered(&format!("/product/{id}")).await?;
        Ok(self.page(StatusCode::OK, pages::product(user, &found)))
    }

    async fn edit_form(&self, id: &str, user: &str, session: &str) -> Answered {
        let found = parsed(&self.asked(&format!("/product/{id}/note"), None).await?);
        let token = self.sessions.token("edit", &format!("{session}/{id}"));
        Ok(self.page(StatusCode::OK, pages::edit(user, id, &found, &token)))
    }

    /// Writes through to the data. Notes are in no cache, so that no other node shows an old one.
    async fn edit(&self, id: &str, form: &Bytes, session: &str) -> Answered {
        let form = String::from_utf8_lossy(form);
        let token = self.sessions.token("edit", &format!("{session}/{id}"));
        if field(&form, "csrf_token").as_deref() != Some(&token) {
            return Ok(wrong_token());
        }
        let note = field(&form, "note").unwrap_or_default();
        self.asked(&format!("/product/{id}/note"), Some(note.into()))
            .await?;
        Ok(redirect(&format!("/product/{id}"), &[]))
    }

    fn dashboard(&self, query: &str, user: &str, headers: &HeaderMap) -> Response<Body> {
        let page = pages::dashboard(user, region(query));
        work::burn(self.work);
        as_accepted(HTML, page.into(), headers)
    }

    async fn chart(&self, name: &str, query: &str, headers: &HeaderMap) -> Answered {
        if !CHARTS.iter().any(|(known, _)| *known == name) {
            return Ok(plain(StatusCode::NOT_FOUND, "there is no such chart"));
        }
        let of = region(query).map_or_else(String::new, |region| format!("?region={region}"));
        let found = self.kept(&format!("/chart/{name}{of}")).await?;
        Ok(as_accepted("application/json", found, headers))
    }

    /// A page with the processor time that it is to cost.
    fn page(&self, status: StatusCode, html: String) -> Response<Body> {
        work::burn(self.work);
        answer(status, HTML, Body::whole(html))
    }

    async fn remembered(&self, path: &str) -> Result<Value, Response<Body>> {
        self.kept(path).await.map(|found| parsed(&found))
    }

    /// What the cache or else the data tier knows.
    async fn kept(&self, path: &str) -> Result<Bytes, Response<Body>> {
        let Some(cache) = &self.cache else {
            return self.asked(path, None).await;
        };
        if let Some(found) = cache.borrow_mut().get(path) {
            return Ok(found);
        }
        let found = self.asked(path, None).await?;
        cache.borrow_mut().put(path, found.clone());
        Ok(found)
    }

    /// What the data tier says; its refusals are passed on.
    async fn asked(&self, path: &str, body: Option<Bytes>) -> Result<Bytes, Response<Body>> {
        match self.data.ask(path, body).await {
            Ok((StatusCode::OK, found)) => Ok(found),
            Ok((status, said)) => Err(answer(
                status,
                "text/plain; charset=utf-8",
                Body::whole(said),
            )),
            Err(fault) => Err(unavailable(&fault)),
        }
    }
}

/// The region that a query asks for.
fn region(query: &str) -> Option<u32> {
    let region = field(query, "region")?.parse().ok()?;
    (region < REGIONS).then_some(region)
}

fn parsed(found: &Bytes) -> Value {
    serde_json::from_slice(found).unwrap_or_default()
}

/// The text, compressed where the client accepts that.
fn as_accepted(content_type: &'static str, text: Bytes, headers: &HeaderMap) -> Response<Body> {
    if !accepts_gzip(headers) {
        let mut response = answer(StatusCode::OK, content_type, Body::whole(text));
        serve::set(&mut response, hyper::header::VARY, "Accept-Encoding");
        return response;
    }
    let mut response = answer(
        StatusCode::OK,
        content_type,
        Body::whole(compressed(&text, LEVEL)),
    );
    say_gzip(&mut response);
    response
}

fn wrong_token() -> Response<Body> {
    plain(
        StatusCode::FORBIDDEN,
        "csrf_token is missing or belongs to another form",
    )
}

fn unavailable(fault: &Fault) -> Response<Body> {
    match fault {
        Fault::TooLate => plain(
            StatusCode::GATEWAY_TIMEOUT,
            "the data tier did not answer in time",
        ),
        Fault::NotReached(_) | Fault::Failed => {
            plain(StatusCode::BAD_GATEWAY, "the data tier does not answer")
        }
    }
}
