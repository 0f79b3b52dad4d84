//! Static files: held in memory, compressed once, told apart by `ETag`.

use std::collections::HashMap;

use bytes::Bytes;
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH, VARY};
use hyper::{Method, Request, Response, StatusCode};
use sha2::{Digest, Sha256};

use super::content::{RESOURCES, Resource};
use crate::seed::{Seed, hexadecimal};
use crate::serve::{Body, accepts_gzip, compressed, plain, say_gzip, set};

/// Compressed once: as small as it gets.
const LEVEL: u32 = 9;

/// All files by path.
pub struct Files(HashMap<String, File>);

struct File {
    content_type: &'static str,
    cache_control: &'static str,
    etag: String,
    bytes: Bytes,
    gzip: Option<Bytes>,
}

impl Files {
    /// The files that follow from a seed.
    pub fn new(seed: Seed) -> Self {
        let files = RESOURCES.iter().map(|resource| {
            let path = format!("/static/{}", resource.name);
            (path, File::new(resource, seed))
        });
        Self(files.collect())
    }

    /// The answer where the request is for a file, or for one that could be there.
    pub fn answer(&self, request: &Request<Bytes>) -> Option<Response<Body>> {
        let path = request.uri().path();
        let Some(file) = self.0.get(path) else {
            let is_below = path.starts_with("/static/");
            return is_below.then(|| plain(StatusCode::NOT_FOUND, "there is no such file"));
        };
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            let mut refused = plain(StatusCode::METHOD_NOT_ALLOWED, "files can only be read");
            set(&mut refused, ALLOW, "GET, HEAD");
            return Some(refused);
        }
        Some(file.answer(request))
    }
}

impl File {
    fn new(resource: &Resource, seed: Seed) -> Self {
        let bytes = resource.content(seed);
        let digest = Sha256::digest(&bytes);
        let etag = hexadecimal(&digest[..8]);
        let media_type = resource.media_type();
        Self {
            content_type: media_type.content_type,
            cache_control: media_type.cache_control,
            etag,
            gzip: media_type.is_text.then(|| compressed(&bytes, LEVEL)),
            bytes: bytes.into(),
        }
    }

    fn answer(&self, request: &Request<Bytes>) -> Response<Body> {
        let gzip = self
            .gzip
            .as_ref()
            .filter(|_| accepts_gzip(request.headers()));
        // Both forms have names of their own: a strong ETag stands for the bytes that are sent.
        let form = if gzip.is_some() { "-gzip" } else { "" };
        let etag = format!("\"{}{form}\"", self.etag);
        let known = request.headers().get_all(IF_NONE_MATCH);
        let is_known = known
            .into_iter()
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(','))
            .map(|tag| tag.trim().trim_start_matches("W/"))
            .any(|tag| tag == "*" || tag == etag);
        let mut response = Response::new(Body::whole(Bytes::new()));
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(self.cache_control));
        set(&mut response, ETAG, &etag);
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            if self.gzip.is_some() {
                set(&mut response, VARY, "Accept-Encoding");
            }
            return response;
        }
        set(&mut response, CONTENT_TYPE, self.content_type);
        if let Some(gzip) = gzip {
            say_gzip(&mut response);
            *response.body_mut() = Body::whole(gzip.clone());
            return response;
        }
        if self.gzip.is_some() {
            set(&mut response, VARY, "Accept-Encoding");
        }
        *response.body_mut() = Body::whole(self.bytes.clone());
        response
    }
}
