//! The head of an answer: its status, where its body ends, and whether the connection stays.

use std::cell::RefCell;
use std::mem::MaybeUninit;

use httparse::{Header, ParserConfig, Response, Status};
use memchr::memmem;

use crate::error::{Error, IS_HTTP2, IS_TLS};
use crate::request::Request;

/// Longest head.
const MOST_BYTES: usize = 64 * 1024;
/// Longest head that is known again.
const MOST_KNOWN_BYTES: usize = 1024;
/// Most headers.
const MOST_HEADERS: usize = 64;
/// With what TLS says that it does not understand, and with what it begins.
const TLS_RECORDS: [&[u8]; 2] = [b"\x15\x03", b"\x16\x03"];
/// Length and type of the frame with which a server of HTTP/2 begins (SETTINGS), without the length's last byte.
const SETTINGS: [&[u8]; 2] = [b"\0\0", b"\x04\0"];

const MALFORMED: Error = Error::Protocol("malformed answer: not HTTP/1.1");
const LONG: Error = Error::Protocol("malformed answer: a head of more than 64 KiB");
const MANY: Error = Error::Protocol("malformed answer: more than 64 headers");
const BAD_LENGTH: Error = Error::Protocol("malformed answer: an invalid Content-Length");
const TWO_LENGTHS: Error = Error::Protocol("malformed answer: two different lengths");
const CODING: Error = Error::Protocol("malformed answer: a transfer coding other than chunked");

/// A head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// The status, 100 to 599.
    pub(crate) status: u16,
    pub(crate) framing: Framing,
    /// The server keeps the connection after this answer.
    pub(crate) keeps: bool,
    /// For how long it keeps a connection that rests, in seconds, if it says so (`Keep-Alive: timeout=5`).
    pub(crate) keep_alive_s: Option<u16>,
    /// Its own length.
    pub(crate) bytes: usize,
}

/// Where a body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// After so many bytes.
    Length(u64),
    /// With its last chunk.
    Chunked,
    /// With the connection.
    UntilClose,
}

/// The last head that a thread has read, if it was short, and what it says.
struct Known {
    bytes: Vec<u8>,
    /// It answered a HEAD.
    to_head: bool,
    head: Option<Head>,
}

thread_local! {
    static KNOWN: RefCell<Known> = const {
        RefCell::new(Known {
            bytes: Vec::new(),
            to_head: false,
            head: None,
        })
    };
}

/// What the headers say that matter here.
#[derive(Default)]
struct Said {
    length: Option<u64>,
    chunked: bool,
    close: bool,
    keep_alive: bool,
    keep_alive_s: Option<u16>,
}

impl Head {
    /// The head at the begin of `input`, of the answer to `request`; `None` while it is not there whole.
    ///
    /// A server answers the same question in the same words, but for the time of day: byte by byte the same
    /// head says the same, and to compare it costs a tenth of reading it.
    #[inline]
    pub(crate) fn of(input: &[u8], request: &Request) -> Result<Option<Self>, Error> {
        KNOWN.with_borrow_mut(|known| {
            if known.head.is_some()
                && known.to_head == request.is_head()
                && input.starts_with(&known.bytes)
            {
                return Ok(known.head);
            }
            let head = Self::read(input, request)?;
            if let Some(head) = head
                && head.bytes <= MOST_KNOWN_BYTES
            {
                known.bytes.clear();
                known.bytes.extend_from_slice(&input[..head.bytes]);
                (known.to_head, known.head) = (request.is_head(), Some(head));
            }
            Ok(head)
        })
    }

    fn read(input: &[u8], request: &Request) -> Result<Option<Self>, Error> {
        let mut headers = [const { MaybeUninit::<Header<'_>>::uninit() }; MOST_HEADERS];
        let mut response = Response::new(&mut []);
        let parsed = ParserConfig::default().parse_response_with_uninit_headers(
            &mut response,
            input,
            &mut headers,
        );
        let bytes = match parsed {
            Ok(Status::Complete(bytes)) if bytes <= MOST_BYTES => bytes,
            Ok(Status::Partial) if input.len() < MOST_BYTES => return Ok(None),
            Ok(_) => return Err(LONG),
            Err(httparse::Error::TooManyHeaders) => return Err(MANY),
            Err(_) if TLS_RECORDS.iter().any(|record| input.starts_with(record)) => {
                return Err(Error::Protocol(IS_TLS));
            }
            Err(_) if is_settings(input) => return Err(Error::Protocol(IS_HTTP2)),
            Err(_) => return Err(MALFORMED),
        };
        let (Some(status @ 100..=599), Some(version)) = (response.code, response.version) else {
            return Err(MALFORMED);
        };
        let said = Said::by(response.headers)?;
        if said.chunked && (said.length.is_some() || version == 0) {
            return Err(if version == 0 { CODING } else { TWO_LENGTHS });
        }
        let framing = if request.is_head() || matches!(status, 100..=199 | 204 | 304) {
            Framing::Length(0)
        } else if said.chunked {
            Framing::Chunked
        } else {
            said.length.map_or(Framing::UntilClose, Framing::Length)
        };
        let keeps = !said.close && (version == 1 || said.keep_alive);
        Ok(Some(Self {
            status,
            framing,
            keeps: keeps && framing != Framing::UntilClose,
            keep_alive_s: said.keep_alive_s,
            bytes,
        }))
    }

    /// Returns true if a head may have ended in the bytes from `from` on, so that it is worth to look at it once more.
    pub(crate) fn may_end(input: &[u8], from: usize) -> bool {
        let fresh = &input[from.saturating_sub(3).min(input.len())..];
        input.len() >= MOST_BYTES
            || memmem::find(fresh, b"\n\r\n").is_some()
            || memmem::find(fresh, b"\n\n").is_some()
    }
}

/// Returns true if a server of HTTP/2 says this.
fn is_settings(input: &[u8]) -> bool {
    let [length, kind] = SETTINGS;
    input.starts_with(length) && input.get(3..5) == Some(kind)
}

impl Said {
    #[inline]
    fn by(headers: &[Header<'_>]) -> Result<Self, Error> {
        let mut said = Self::default();
        for header in headers {
            // Most names differ in length already.
            match header.name.len() {
                10 if header.name.eq_ignore_ascii_case("connection") => {
                    for token in header.value.split(|byte| *byte == b',') {
                        let token = token.trim_ascii();
                        said.close |= token.eq_ignore_ascii_case(b"close");
                        said.keep_alive |= token.eq_ignore_ascii_case(b"keep-alive");
                    }
                }
                10 if header.name.eq_ignore_ascii_case("keep-alive") => {
                    said.keep_alive_s = timeout_s(header.value).or(said.keep_alive_s);
                }
                14 if header.name.eq_ignore_ascii_case("content-length") => {
                    let length = length(header.value).ok_or(BAD_LENGTH)?;
                    if said.length.is_some_and(|other| other != length) {
                        return Err(TWO_LENGTHS);
                    }
                    said.length = Some(length);
                }
                17 if header.name.eq_ignore_ascii_case("transfer-encoding") => {
                    let chunked = header.value.trim_ascii().eq_ignore_ascii_case(b"chunked");
                    if !chunked || said.chunked {
                        return Err(CODING);
                    }
                    said.chunked = true;
                }
                _ => (),
            }
        }
        Ok(said)
    }
}

/// Returns the seconds in `timeout=5, max=100`, 18 hours at most; `None` if they cannot be read, since a server need not
/// announce them.
fn timeout_s(value: &[u8]) -> Option<u16> {
    let seconds: Option<u32> = value.split(|byte| *byte == b',').find_map(|parameter| {
        let (name, seconds) = parameter.trim_ascii().split_at_checked(8)?;
        let is_it = name.eq_ignore_ascii_case(b"timeout=");
        is_it.then(|| str::from_utf8(seconds).ok()?.parse().ok())?
    });
    seconds.map(|seconds| u16::try_from(seconds).unwrap_or(u16::MAX))
}

/// Digits and nothing else, of a number below 2^63.
fn length(value: &[u8]) -> Option<u64> {
    let value = value.trim_ascii();
    if value.is_empty() || value.len() > 18 {
        return None;
    }
    value.iter().try_fold(0_u64, |length, digit| {
        let digit = char::from(*digit).to_digit(10)?;
        Some(10 * length + u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    fn request(method: &str) -> Request {
        Request::new(method, "web.lab", "/", &[], b"").unwrap()
    }

    fn head(text: &str) -> Result<Option<Head>, Error> {
        Head::of(text.as_bytes(), &request("GET"))
    }

    #[test]
    fn a_head_says_where_the_body_ends_and_whether_the_connection_stays() {
        use Framing::{Chunked, Length, UntilClose};
        for (text, status, framing, keeps) in [
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n",
                200,
                Length(12),
                true,
            ),
            (
                "HTTP/1.1 200 \r\ncontent-length: 1\r\nContent-Length:1\r\n\r\n",
                200,
                Length(1),
                true,
            ),
            (
                "HTTP/1.1 404\r\nContent-Length: 0\r\nConnection: x, Close\r\n\r\n",
                404,
                Length(0),
                false,
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n",
                200,
                Chunked,
                true,
            ),
            ("HTTP/1.1 200 OK\r\n\r\n", 200, UntilClose, false),
            (
                "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n",
                200,
                Length(1),
                false,
            ),
            (
                "HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\n",
                200,
                Length(1),
                true,
            ),
            ("HTTP/1.1 100 Continue\r\n\r\n", 100, Length(0), true),
            (
                "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
                204,
                Length(0),
                true,
            ),
            (
                "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
                304,
                Length(0),
                true,
            ),
            (
                "HTTP/1.1 200 OK\nContent-Length: 2\n\n",
                200,
                Length(2),
                true,
            ),
        ] {
            let expected = Head {
                status,
                framing,
                keeps,
                keep_alive_s: None,
                bytes: text.len(),
            };
            assert_eq!(head(text).unwrap(), Some(expected), "{text}");
        }
        // The same head says another thing where no body was asked for.
        let to_head = Head::of(
            b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n",
            &request("HEAD"),
        );
        assert_eq!(to_head.unwrap().unwrap().framing, Length(0));
    }

    #[test]
    fn a_server_may_announce_how_long_it_keeps_a_connection() {
        for (value, seconds) in [
            ("timeout=5", Some(5)),
            ("max=100, Timeout=75", Some(75)),
            ("timeout=5;max=1", None),
            ("timeout=-1", None),
            ("timeout=99999999999", None),
            ("timeout=86400", Some(u16::MAX)),
            ("timeout", None),
            ("", None),
        ] {
            let text = format!("HTTP/1.1 204 No\r\nKeep-Alive: {value}\r\n\r\n");
            let said = head(&text).unwrap().unwrap().keep_alive_s;
            assert_eq!(said, seconds, "{value}");
        }
    }

    #[test]
    fn nothing_is_guessed() {
        for (headers, says) in [
            (
                "Content-Length: 5\r\nTransfer-Encoding: chunked",
                "two different lengths",
            ),
            (
                "Content-Length: 5\r\nContent-Length: 6",
                "two different lengths",
            ),
            ("Content-Length: 5, 5", "an invalid Content-Length"),
            ("Content-Length: +5", "an invalid Content-Length"),
            (
                "Content-Length: 9999999999999999999",
                "an invalid Content-Length",
            ),
            ("Transfer-Encoding: gzip, chunked", "transfer coding"),
            (
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                "transfer coding",
            ),
            ("X: a\r\n folded", "not HTTP/1.1"),
            ("X: a\0b", "not HTTP/1.1"),
            ("X : a", "not HTTP/1.1"),
            ("no header at all", "not HTTP/1.1"),
        ] {
            let error = head(&format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\n")).unwrap_err();
            assert!(error.reason().text.contains(says), "{headers}: {error:?}");
        }
        for (text, says) in [
            ("HTTP/1.1 999 What\r\n\r\n", "not HTTP/1.1"),
            ("HTTP/2 200 OK\r\n\r\n", "not HTTP/1.1"),
            ("SSH-2.0-OpenSSH_9.2\r\n", "not HTTP/1.1"),
            (
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                "transfer coding",
            ),
            ("\x15\x03\x01\x00\x02\x02\x46", "expects TLS"),
            ("\0\0\x12\x04\0\0\0\0\0", "expects HTTP/2"),
        ] {
            assert!(
                head(text).unwrap_err().reason().text.contains(says),
                "{text}"
            );
        }
    }

    #[test]
    fn a_head_is_bounded() {
        let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X: y\r\n".repeat(65));
        assert!(
            head(&many)
                .unwrap_err()
                .reason()
                .text
                .contains("64 headers")
        );
        let long = format!("HTTP/1.1 200 OK\r\nX: {}", "y".repeat(MOST_BYTES));
        assert!(head(&long).unwrap_err().reason().text.contains("64 KiB"));
        assert_eq!(head(&long[..MOST_BYTES / 2]).unwrap(), None);
    }

    proptest! {
        #[test]
        fn a_head_ends_only_where_it_may(text in "HTTP/1[.]1 200 OK\r?\n(X: [a-z]{0,8}\r?\n){0,4}\r?\n", cut in any::<prop::sample::Index>()) {
            let whole = head(&text).unwrap();
            prop_assert_eq!(whole.map(|head| head.bytes), Some(text.len()));
            let cut = cut.index(text.len());
            prop_assert_eq!(head(&text[..cut]).unwrap(), None);
            prop_assert!(Head::may_end(text.as_bytes(), cut));
        }

        #[test]
        fn what_was_read_before_makes_no_difference(
            texts in prop::collection::vec(
                "HTTP/1[.][01] (200|204|404) OK\r?\n((Content-Length: [1-3]|Connection: close|X: a|X : a)\r?\n){0,2}(\r?\n)?b?", 1..20
            ),
            to_head in any::<bool>()
        ) {
            // Twice each, and one after another.
            for text in texts.iter().flat_map(|text| [text, text]) {
                let request = request(if to_head { "HEAD" } else { "GET" });
                let fresh = Head::read(text.as_bytes(), &request);
                let found = Head::of(text.as_bytes(), &request);
                prop_assert_eq!(format!("{found:?}"), format!("{fresh:?}"));
            }
        }

        #[test]
        fn garbage_is_an_error_or_incomplete(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
            let _ = Head::of(&bytes, &request("GET"));
            let _ = Head::of(&[b"HTTP/1.1 200 OK\r\n", bytes.as_slice()].concat(), &request("GET"));
        }
    }
}
