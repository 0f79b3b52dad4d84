//! How an answer begins that is not the right one, for whoever has to find out why: without secrets.

use super::body::{KEPT_BEFORE_LOAD_BYTES, inflate, unescaped};
use super::program::Encoding;
use super::render::encode;

/// So much is told.
const MOST_TOLD_BYTES: usize = 200;
/// What stands for a secret.
const MASK: &[u8] = b"***";

/// The begin of an answer with this head, of whose body this was kept; `None` where there is nothing to tell.
pub fn excerpt(head: &[u8], kept: &[u8], secrets: &[String]) -> Option<Box<str>> {
    let mut inflated = Vec::new();
    let (body, is_cut) = match inflate(head, kept, &mut inflated) {
        Ok(Some(body)) => (body, kept.len() >= KEPT_BEFORE_LOAD_BYTES),
        // As far as it goes.
        Ok(None) | Err(_) => (inflated.as_slice(), true),
    };
    let begin = &body[..body.len().min(KEPT_BEFORE_LOAD_BYTES)];
    let masked = masked(
        &unescaped(begin),
        is_cut || begin.len() < body.len(),
        secrets,
    );
    let text = String::from_utf8_lossy(&masked);
    let words: Vec<_> = text
        .split(|letter: char| letter.is_whitespace() || letter.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    let mut told = words.join(" ");
    told.truncate(told.floor_char_boundary(MOST_TOLD_BYTES));
    (!told.is_empty()).then(|| told.into())
}

/// A text without secrets, in whichever way they are written; one that `is_cut` may end with the begin of one.
fn masked(text: &[u8], is_cut: bool, secrets: &[String]) -> Vec<u8> {
    let forms: Vec<_> = secrets.iter().flat_map(|secret| forms(secret)).collect();
    let (mut masked, mut rest) = (Vec::new(), text);
    while let Some((first, behind)) = rest.split_first() {
        let hides = |form: &&Vec<u8>| {
            let length = form.len().min(rest.len());
            let is_there = is_cut || form.len() <= rest.len();
            is_there && rest[..length].eq_ignore_ascii_case(&form[..length])
        };
        if let Some(form) = forms.iter().find(hides) {
            masked.extend_from_slice(MASK);
            rest = &rest[form.len().min(rest.len())..];
        } else {
            masked.push(*first);
            rest = behind;
        }
    }
    masked
}

/// How a page may write a secret, the longest form first; as in HTML it is read already.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let encoded = |encoding| {
        let mut form = Vec::new();
        encode(secret.as_bytes(), encoding, &mut form);
        form
    };
    let percent = encoded(Encoding::Percent);
    let plus = String::from_utf8_lossy(&percent).replace("%20", "+");
    let json = encoded(Encoding::Json);
    let slashes = String::from_utf8_lossy(&json).replace('/', "\\/");
    let mut forms = vec![
        unescaped(secret.as_bytes()).into_owned(),
        secret.as_bytes().to_vec(),
        plus.into_bytes(),
        slashes.into_bytes(),
        percent,
        json,
    ];
    forms.retain(|form| !form.is_empty());
    forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
    forms
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const PLAIN: &[u8] = b"HTTP/1.1 401 No\r\n\r\n";
    const GZIP: &[u8] = b"HTTP/1.1 401 No\r\nContent-Encoding: gzip\r\n\r\n";

    fn told(body: &str, secrets: &[&str]) -> Option<String> {
        let secrets: Vec<_> = secrets.iter().map(ToString::to_string).collect();
        excerpt(PLAIN, body.as_bytes(), &secrets).map(Into::into)
    }

    #[test]
    fn an_answer_is_told_on_one_line_without_secrets() {
        let secret = "h<u/s h\"";
        for written in [
            secret,
            "h&lt;u/s h&quot;",
            "h%3Cu%2Fs%20h%22",
            "h%3cu%2fs+h%22",
            "h<u\\/s h\\\"",
        ] {
            let body = format!("<p>\r\n\tNo user \x1b[2J has {written}.</p>\n");
            let told = told(&body, &["", secret]).unwrap();
            assert_eq!(told, "<p> No user [2J has ***.</p>");
        }
        assert_eq!(told("", &["x"]), None);
        assert_eq!(told("ä".repeat(150).as_str(), &[]).unwrap().len(), 200);
    }

    #[test]
    fn a_secret_that_is_cut_is_not_told_either() {
        let secret = "s".repeat(KEPT_BEFORE_LOAD_BYTES);
        let body = "a".repeat(199) + &secret;
        let told_of_it = told(&body[..KEPT_BEFORE_LOAD_BYTES], &[&secret]).unwrap();
        assert_eq!(told_of_it, "a".repeat(199) + "*");
        // A whole body may end like the begin of a secret.
        assert_eq!(told("no s", &["secret"]).unwrap(), "no s");
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"wrong: hush").unwrap();
        let body = encoder.finish().unwrap();
        for (length, expected) in [(body.len(), Some("wrong: ***".into())), (5, None)] {
            let told = excerpt(GZIP, &body[..length], &["hush".to_owned()]);
            assert_eq!(told, expected);
        }
    }
}
