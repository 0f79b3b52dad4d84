//! A request, put together once and sent as often as it takes.

/// Value of the header `User-Agent`, unless a header sets it.
pub const USER_AGENT: &str = concat!("igen/", env!("CARGO_PKG_VERSION"));
/// Headers that say how the message is sent: a mistake in them would be one of the client's.
const OURS: [&str; 7] = [
    "content-length",
    "transfer-encoding",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "keep-alive",
];

/// A request as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    bytes: Vec<u8>,
    is_head: bool,
    may_repeat: bool,
    closes: bool,
}

impl Request {
    /// A request for `path` to the server of that name; an error says what cannot be sent. Without headers of
    /// one's own it has `Host`, `User-Agent`, and with a body or a method that usually has one
    /// `Content-Length`.
    pub fn new(
        method: &str,
        host: &str,
        path: &str,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Result<Self, String> {
        if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return Err(format!(
                "`{method}` is not a valid method: use capital letters"
            ));
        }
        if matches!(method, "CONNECT" | "TRACE") {
            return Err(format!("the method {method} is not supported"));
        }
        if !path.starts_with('/')
            || !path
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b'#')
        {
            return Err(format!(
                "`{path}` is not a valid path: start with a slash, and percent-encode spaces and non-ASCII characters"
            ));
        }
        for (name, value) in headers {
            check_header(name, value)?;
        }
        let has = |wanted: &str| {
            headers
                .iter()
                .any(|(name, _)| name.eq_ignore_ascii_case(wanted))
        };
        let mut text = format!("{method} {path} HTTP/1.1\r\n");
        let mut header = |name: &str, value: &str| {
            text.push_str(name);
            text.push_str(": ");
            text.push_str(value);
            text.push_str("\r\n");
        };
        if !has("host") {
            header("Host", host);
        }
        if !has("user-agent") {
            header("User-Agent", USER_AGENT);
        }
        for (name, value) in headers {
            header(name, value);
        }
        if !body.is_empty() || matches!(method, "POST" | "PUT" | "PATCH") {
            header("Content-Length", &body.len().to_string());
        }
        text.push_str("\r\n");
        let closes = headers.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case("connection")
                && value
                    .split(',')
                    .any(|token| token.trim().eq_ignore_ascii_case("close"))
        });
        Ok(Self {
            bytes: [text.as_bytes(), body].concat(),
            is_head: method == "HEAD",
            may_repeat: matches!(method, "GET" | "HEAD"),
            closes,
        })
    }

    /// A request that is written anew each time, by whoever has made sure that it is one.
    #[must_use]
    pub fn blank() -> Self {
        Self {
            bytes: Vec::new(),
            is_head: false,
            may_repeat: false,
            closes: false,
        }
    }

    /// Forgets what it was: it becomes one of `method`, as the bytes say that are put in now.
    pub fn rewrite(&mut self, method: &str) -> &mut Vec<u8> {
        self.is_head = method == "HEAD";
        self.may_repeat = matches!(method, "GET" | "HEAD");
        self.bytes.clear();
        &mut self.bytes
    }

    /// Returns the bytes to send.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns true if it may be sent again where nobody knows what became of it.
    #[must_use]
    pub fn may_repeat(&self) -> bool {
        self.may_repeat
    }

    /// Returns true if its answer has no body.
    #[inline]
    pub(crate) fn is_head(&self) -> bool {
        self.is_head
    }

    /// Returns true if it is the last one on its connection.
    #[inline]
    pub(crate) fn closes(&self) -> bool {
        self.closes
    }
}

/// Checks that a header may be sent; an error says what is wrong with it.
pub fn check_header(name: &str, value: &str) -> Result<(), String> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(format!("`{name}` is not a valid header name"));
    }
    if OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
        return Err(format!(
            "the header {name} cannot be set: iGen derives it from the request"
        ));
    }
    if value
        .bytes()
        .any(|byte| byte != b'\t' && byte.is_ascii_control())
    {
        // Not the value: it may be a secret.
        return Err(format!("the value of {name} contains a control character"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn request(
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Request, String> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let headers: Vec<_> = headers.iter().map(owned).collect();
        Request::new(method, "web.lab:8080", path, &headers, body)
    }

    #[test]
    fn a_request_is_its_line_its_headers_and_its_body() {
        let text = |request: Request| String::from_utf8(request.bytes).unwrap();
        let agent = USER_AGENT;
        assert_eq!(
            text(request("GET", "/a?b=c", &[], b"").unwrap()),
            format!("GET /a?b=c HTTP/1.1\r\nHost: web.lab:8080\r\nUser-Agent: {agent}\r\n\r\n")
        );
        let headers = [("host", "other"), ("User-Agent", "me"), ("X-Id", "1")];
        assert_eq!(
            text(request("POST", "/", &headers, b"x=1").unwrap()),
            "POST / HTTP/1.1\r\nhost: other\r\nUser-Agent: me\r\nX-Id: 1\r\nContent-Length: 3\r\n\r\nx=1"
        );
        assert!(text(request("PUT", "/", &[], b"").unwrap()).contains("Content-Length: 0\r\n"));
    }

    #[test]
    fn a_request_is_repeated_only_where_that_changes_nothing() {
        let of = |method| request(method, "/", &[("Connection", "x, Close")], b"").unwrap();
        assert!(of("GET").may_repeat() && of("HEAD").may_repeat() && of("HEAD").is_head());
        assert!(!of("POST").may_repeat() && !of("DELETE").may_repeat() && of("GET").closes());
    }

    #[test]
    fn what_could_be_another_request_is_refused() {
        for (method, path, header) in [
            ("get", "/", ("X", "")),
            ("", "/", ("X", "")),
            ("CONNECT", "/", ("X", "")),
            ("GET", "a", ("X", "")),
            ("GET", "/a b", ("X", "")),
            ("GET", "/\r\nX: y", ("X", "")),
            ("GET", "/ä", ("X", "")),
            ("GET", "/", ("", "")),
            ("GET", "/", ("X Y", "")),
            ("GET", "/", ("X", "a\r\nY: b")),
            ("GET", "/", ("content-length", "5")),
            ("GET", "/", ("Expect", "100-continue")),
        ] {
            assert!(
                request(method, path, &[header], b"").is_err(),
                "{method} {path} {header:?}"
            );
        }
        let error = request("GET", "/", &[("Authorization", "hush\n")], b"").unwrap_err();
        assert!(!error.contains("hush"));
    }
}
