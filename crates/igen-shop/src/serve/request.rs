//! What a request says: fields of forms and queries, cookies, codings.

use std::borrow::Cow;

use hyper::header::{ACCEPT_ENCODING, COOKIE, HeaderMap};
use percent_encoding::percent_decode_str;

use super::answer::GZIP;

/// The value of a field in a query or in a form (`application/x-www-form-urlencoded`).
pub fn field(form: &str, name: &str) -> Option<String> {
    form.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(key) == name).then(|| decoded(value).into_owned())
    })
}

fn decoded(text: &str) -> Cow<'_, str> {
    let spaced = if text.contains('+') {
        Cow::Owned(text.replace('+', " "))
    } else {
        Cow::Borrowed(text)
    };
    match spaced {
        Cow::Borrowed(text) => percent_decode_str(text).decode_utf8_lossy(),
        Cow::Owned(text) => Cow::Owned(percent_decode_str(&text).decode_utf8_lossy().into_owned()),
    }
}

/// The value of a cookie.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(COOKIE).into_iter();
    lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

/// Returns true if the client takes answers that are compressed by gzip (RFC 9110, 12.5.3).
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(ACCEPT_ENCODING).into_iter();
    lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .any(|coding| {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
            let refused = weight
                .trim()
                .strip_prefix("q=")
                .is_some_and(|weight| weight.parse() == Ok(0.0));
            name.trim().eq_ignore_ascii_case(GZIP) && !refused
        })
}

/// Returns true if it is a number as paths have them.
pub fn is_digits(segment: &str) -> bool {
    !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn fields_are_decoded() {
        let form = "user=ann%40x&q=a+b%2Bc&empty=&bare";
        assert_eq!(field(form, "user").unwrap(), "ann@x");
        assert_eq!(field(form, "q").unwrap(), "a b+c");
        assert_eq!(field(form, "empty").unwrap(), "");
        assert_eq!(field(form, "bare").unwrap(), "");
        assert_eq!(field(form, "use"), None);
        assert_eq!(field("a=%ff%zz", "a").unwrap(), "\u{fffd}%zz");
    }

    #[test]
    fn cookies_and_codings_are_found_in_any_line() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, "a=1; session=x.y.z".parse().unwrap());
        headers.append(COOKIE, "sessions=2".parse().unwrap());
        assert_eq!(cookie(&headers, "session"), Some("x.y.z"));
        assert_eq!(cookie(&headers, "b"), None);
        for (offered, accepted) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip; q=0.0, br", false),
            ("identity", false),
            ("", false),
        ] {
            headers.insert(ACCEPT_ENCODING, offered.parse().unwrap());
            assert_eq!(accepts_gzip(&headers), accepted, "{offered}");
        }
    }
}
