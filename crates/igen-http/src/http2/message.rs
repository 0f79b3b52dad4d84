//! Requests and heads of answers, from the form of HTTP/1.1 and back into it.

use std::mem::MaybeUninit;

use bytes::Bytes;
use http::header::{CONNECTION, HOST, HeaderName, HeaderValue};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{Method, Response, Uri};
use httparse::{Header, ParserConfig, Status};

use crate::error::Error;

/// Most headers of a request.
const MOST_HEADERS: usize = 128;
const UNFIT: Error = Error::Protocol("the request cannot be sent over HTTP/2");

/// The same request as HTTP/2 has it: the host is no header, and connections are nobody's business.
pub(super) fn request(
    bytes: &[u8],
    scheme: &Scheme,
    server: &Authority,
) -> Result<(http::Request<()>, Bytes), Error> {
    let mut headers = [const { MaybeUninit::<Header<'_>>::uninit() }; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut []);
    let status =
        ParserConfig::default().parse_request_with_uninit_headers(&mut parsed, bytes, &mut headers);
    let (Ok(Status::Complete(head)), Some(method), Some(path)) =
        (status, parsed.method, parsed.path)
    else {
        return Err(UNFIT);
    };
    let mut request = http::Request::new(());
    *request.method_mut() = Method::from_bytes(method.as_bytes()).map_err(|_| UNFIT)?;
    request.headers_mut().reserve(parsed.headers.len());
    let mut authority = server.clone();
    for header in &*parsed.headers {
        let name = HeaderName::from_bytes(header.name.as_bytes()).map_err(|_| UNFIT)?;
        if name == HOST {
            if header.value != server.as_str().as_bytes() {
                authority = Authority::try_from(header.value).map_err(|_| UNFIT)?;
            }
        } else if name != CONNECTION {
            let value = HeaderValue::from_bytes(header.value).map_err(|_| UNFIT)?;
            request.headers_mut().append(name, value);
        }
    }
    let mut place = http::uri::Parts::default();
    place.scheme = Some(scheme.clone());
    place.authority = Some(authority);
    place.path_and_query = Some(PathAndQuery::try_from(path).map_err(|_| UNFIT)?);
    *request.uri_mut() = Uri::from_parts(place).map_err(|_| UNFIT)?;
    Ok((request, Bytes::copy_from_slice(&bytes[head..])))
}

/// Writes the head of an answer as lines, as HTTP/1.1 would have it.
pub(super) fn write_head<B>(answer: &Response<B>, head: &mut Vec<u8>) {
    head.clear();
    for piece in [b"HTTP/2 ", answer.status().as_str().as_bytes(), b"\r\n"] {
        head.extend_from_slice(piece);
    }
    for (name, value) in answer.headers() {
        for piece in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            head.extend_from_slice(piece);
        }
    }
    head.extend_from_slice(b"\r\n");
}
