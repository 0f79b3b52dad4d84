//! Bodies of answers: how much of them is kept, how they are compressed, how their values are written.

use igen_engine::Reason;
use std::borrow::Cow;
use std::io::Read;

use flate2::read::MultiGzDecoder;
use serde_json::Value;

use super::fetch::header;

/// So much of a body is kept where something looks into it; what is longer is looked at as it passes by.
pub const KEPT_BYTES: usize = 1 << 20;
/// So much is kept of answers before the load, where nothing else looks into them: more than is told of a wrong one,
/// so that no secret is cut where that ends.
pub const KEPT_BEFORE_LOAD_BYTES: usize = 4 * 1024;
/// A compressed body that is none.
pub const NO_GZIP: &str = "a body that is not gzip";
/// One that nobody can read.
pub const OTHER_CODING: &str = "a compression that was not requested";

/// Returns a value of JSON in the form of variables.
pub fn text_of(value: Value) -> Vec<u8> {
    match value {
        Value::String(text) => text.into_bytes(),
        other => other.to_string().into_bytes(),
    }
}

/// Compression of a body.
pub enum Coding {
    None,
    Gzip,
    Other,
}

/// Returns the compression of the body after this head.
pub fn coding(head: &[u8]) -> Coding {
    match header(head, "content-encoding").next() {
        None => Coding::None,
        Some(coding) if coding.eq_ignore_ascii_case(b"identity") => Coding::None,
        Some(coding) if coding.eq_ignore_ascii_case(b"gzip") => Coding::Gzip,
        Some(_) => Coding::Other,
    }
}

/// A body that something looks into, without its compression; `None` where it is longer then than what is kept.
/// `inflated` is memory to use.
pub fn inflate<'a>(
    head: &[u8],
    body: &'a [u8],
    inflated: &'a mut Vec<u8>,
) -> Result<Option<&'a [u8]>, Reason> {
    match coding(head) {
        Coding::None => Ok(Some(body)),
        Coding::Gzip => {
            inflated.clear();
            let most = KEPT_BYTES as u64 + 1;
            match MultiGzDecoder::new(body).take(most).read_to_end(inflated) {
                Ok(read) => Ok(Some(&**inflated).filter(|_| read <= KEPT_BYTES)),
                Err(_) => Err(Reason::wrong(NO_GZIP)),
            }
        }
        Coding::Other => Err(Reason::wrong(OTHER_CODING)),
    }
}

/// Returns a text of HTML without escapes.
pub fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    const MEANT: [(&[u8], u8); 7] = [
        (b"&amp;", b'&'),
        (b"&lt;", b'<'),
        (b"&gt;", b'>'),
        (b"&quot;", b'"'),
        (b"&#34;", b'"'),
        (b"&#39;", b'\''),
        (b"&#x27;", b'\''),
    ];
    if !text.contains(&b'&') {
        return text.into();
    }
    let (mut meant, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some((first, after)) = rest.split_first() {
        if let Some((escape, letter)) = MEANT.iter().find(|(escape, _)| rest.starts_with(escape)) {
            meant.push(*letter);
            rest = &rest[escape.len()..];
        } else {
            meant.push(*first);
            rest = after;
        }
    }
    meant.into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const GZIP: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";

    #[test]
    fn compressed_bodies_are_inflated_within_bounds() {
        let mut memory = Vec::new();
        for (length, expected) in [
            (KEPT_BYTES, Some(KEPT_BYTES)),
            (KEPT_BYTES + 1, None),
            (3 * KEPT_BYTES, None),
        ] {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&vec![b'a'; length]).unwrap();
            let body = encoder.finish().unwrap();
            let inflated = inflate(GZIP, &body, &mut memory).unwrap();
            assert_eq!(inflated.map(<[u8]>::len), expected);
            assert!(memory.len() <= KEPT_BYTES + 1);
        }
        assert!(inflate(GZIP, b"text", &mut memory).is_err());
        assert_eq!(
            inflate(b"HTTP/1.1 200 OK\r\n\r\n", b"text", &mut memory),
            Ok(Some(b"text".as_slice()))
        );
        assert!(
            inflate(
                b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n",
                b"",
                &mut memory
            )
            .is_err()
        );
    }

    #[test]
    fn html_is_read_as_it_is_meant() {
        let meant = unescaped(b"a&amp;&quot;&b");
        assert_eq!(meant, Cow::Borrowed(b"a&\"&b".as_slice()));
    }
}
