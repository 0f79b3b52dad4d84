//! Which version of HTTP is spoken.

/// Which version of HTTP is spoken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1 (RFC 9112).
    #[default]
    Http1,
    /// HTTP/2 (RFC 9113), agreed on under TLS (ALPN), and taken for granted without.
    Http2,
    /// Under TLS what the server likes best, HTTP/1.1 without.
    Auto,
}

impl Protocol {
    /// What the client offers under TLS, the best first (RFC 7301).
    pub(crate) fn offered(self) -> &'static [&'static str] {
        match self {
            Self::Http1 => &["http/1.1"],
            Self::Http2 => &[HTTP2],
            Self::Auto => &[HTTP2, "http/1.1"],
        }
    }

    /// Returns true if connections may turn out to be of HTTP/2.
    pub(crate) fn may_be_http2(self, is_tls: bool) -> bool {
        match self {
            Self::Http1 => false,
            Self::Http2 => true,
            Self::Auto => is_tls,
        }
    }
}

/// HTTP/2 among the protocols under TLS.
pub(crate) const HTTP2: &str = "h2";
