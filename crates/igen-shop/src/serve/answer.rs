//! Answers, made of a status and a text.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, VARY,
};
use hyper::{Response, StatusCode};

use super::body::Body;

/// The content coding that the shop knows.
pub const GZIP: &str = "gzip";

/// An answer that nobody may keep, with this type of content.
pub fn answer(status: StatusCode, content_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A line of text.
pub fn plain(status: StatusCode, text: &str) -> Response<Body> {
    let line = format!("{} {text}\n", status.as_u16());
    answer(status, "text/plain; charset=utf-8", Body::whole(line))
}

/// What is JSON already.
pub fn json(body: impl Into<Bytes>) -> Response<Body> {
    answer(StatusCode::OK, "application/json", Body::whole(body))
}

/// Sends the client to another path of the shop.
pub fn redirect(to: &str, cookies: &[String]) -> Response<Body> {
    let mut response = plain(StatusCode::FOUND, to);
    set(&mut response, LOCATION, to);
    for cookie in cookies {
        set(&mut response, hyper::header::SET_COOKIE, cookie);
    }
    response
}

/// Adds a header; what cannot stand in one is left out, and no caller has such a value.
pub fn set(response: &mut Response<Body>, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().append(name, value);
    }
}

/// A text in as few bytes as the level of compression (0 to 9) makes of it.
pub fn compressed(text: &[u8], level: u32) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 3), Compression::new(level));
    // A vector takes whatever is written.
    let _ = encoder.write_all(text);
    encoder.finish().unwrap_or_default().into()
}

/// Says that the body is compressed, and that this was the client's choice.
pub fn say_gzip(response: &mut Response<Body>) {
    set(response, CONTENT_ENCODING, GZIP);
    set(response, VARY, "Accept-Encoding");
}
