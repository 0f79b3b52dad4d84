//! Targets of redirects.

use igen_engine::Reason;
use igen_http::Site;

/// Schemes, and the port of each where a URL names none.
static SCHEMES: [(&str, u16); 2] = [("http", 80), ("https", 443)];

/// The server that is loaded, as URLs name it.
#[derive(Debug)]
pub struct Origin {
    scheme: &'static str,
    host: String,
    port: u16,
}

/// Fault of a redirect.
#[derive(Debug, PartialEq, Eq)]
pub enum Astray {
    /// To another host than the target, or to another port of it.
    OtherHost(String),
    /// To the target's host by this scheme, which is not the target's.
    OtherScheme(&'static str),
    /// To nowhere.
    Nowhere,
}

impl Origin {
    /// Returns the origin of a target.
    pub fn of(site: &Site) -> Self {
        Self {
            scheme: site.scheme(),
            host: site.host().to_owned(),
            port: site.port(),
        }
    }
}

impl Astray {
    /// Returns the reason, with a text that many failures share.
    #[cold]
    pub fn reason(self, origin: &Origin) -> Reason {
        match self {
            Self::OtherHost(host) => Reason::wrong(format!("a redirect to another host: {host}")),
            Self::OtherScheme(scheme) => {
                let own = origin.scheme;
                Reason::wrong(format!(
                    "a redirect to {scheme}://, but the target is {own}://"
                ))
            }
            Self::Nowhere => Reason::wrong("a redirect without a valid URL"),
        }
    }
}

/// Returns the path that `location` names, seen from `path`, on the loaded server.
pub fn follow(location: &[u8], path: &[u8], origin: &Origin) -> Result<Vec<u8>, Astray> {
    let location = location
        .split(|byte| *byte == b'#')
        .next()
        .unwrap_or_default();
    if location.is_empty() || !location.iter().all(u8::is_ascii_graphic) {
        return Err(Astray::Nowhere);
    }
    if let Some(rest) = location.strip_prefix(b"//") {
        return on_server(origin.scheme, rest, origin);
    }
    if let Some(end) = end_of_scheme(location) {
        let named = &location[..end];
        let known = |(scheme, _): &&(&str, u16)| named.eq_ignore_ascii_case(scheme.as_bytes());
        let (scheme, _) = SCHEMES.iter().find(known).ok_or(Astray::Nowhere)?;
        let rest = location[end..].strip_prefix(b"://");
        return on_server(scheme, rest.ok_or(Astray::Nowhere)?, origin);
    }
    let here = path.split(|byte| *byte == b'?').next().unwrap_or_default();
    Ok(match location[0] {
        b'/' => without_dots(location),
        b'?' => [here, location].concat(),
        _ => {
            let folder = here
                .iter()
                .rposition(|byte| *byte == b'/')
                .map_or(0, |slash| slash + 1);
            without_dots(&[&here[..folder], location].concat())
        }
    })
}

/// What stands behind the server in a URL of this scheme, whose server begins `rest`.
fn on_server(scheme: &'static str, rest: &[u8], origin: &Origin) -> Result<Vec<u8>, Astray> {
    let end = rest.iter().position(|byte| b"/?".contains(byte));
    let (authority, path) = rest.split_at(end.unwrap_or(rest.len()));
    // Who asks there does not say who answers.
    let server = authority.rsplit(|byte| *byte == b'@').next();
    let server = std::str::from_utf8(server.unwrap_or_default()).map_err(|_| Astray::Nowhere)?;
    let colon = server
        .rfind(':')
        .filter(|colon| !server[*colon..].contains(']'));
    let (host, port) = server.split_at(colon.unwrap_or(server.len()));
    let port = match port.get(1..).unwrap_or_default() {
        "" => SCHEMES
            .iter()
            .find(|(name, _)| *name == scheme)
            .map(|(_, port)| *port),
        port => port.parse().ok(),
    };
    let port = port.ok_or(Astray::Nowhere)?;
    let name = host.trim_start_matches('[').trim_end_matches(']');
    let is_own_host = name.eq_ignore_ascii_case(&origin.host);
    if is_own_host && scheme != origin.scheme {
        return Err(Astray::OtherScheme(scheme));
    }
    if !is_own_host || port != origin.port {
        return Err(Astray::OtherHost(server.to_owned()));
    }
    Ok(if path.starts_with(b"/") {
        without_dots(path)
    } else {
        [b"/", path].concat()
    })
}

/// Where the scheme of a URL ends, which has one.
fn end_of_scheme(location: &[u8]) -> Option<usize> {
    let end = location
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && !b"+-.".contains(byte))?;
    (end > 0 && location[end] == b':').then_some(end)
}

/// A path without `.` and `..` (RFC 3986, section 5.2.4); what stands behind it stays.
fn without_dots(location: &[u8]) -> Vec<u8> {
    let end = location.iter().position(|byte| *byte == b'?');
    let (path, query) = location.split_at(end.unwrap_or(location.len()));
    let mut kept: Vec<&[u8]> = Vec::new();
    let mut steps = path.split(|byte| *byte == b'/').skip(1).peekable();
    while let Some(step) = steps.next() {
        let is_dots = step == b"." || step == b"..";
        if step == b".." {
            kept.pop();
        }
        if !is_dots {
            kept.push(step);
        } else if steps.peek().is_none() {
            kept.push(b"");
        }
    }
    [b"/", kept.join(&b'/').as_slice(), query].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(scheme: &'static str, port: u16) -> Origin {
        Origin {
            scheme,
            host: "web.lab".to_owned(),
            port,
        }
    }

    /// Where one from `/a/b` leads to, or what is told.
    fn led(location: &str, origin: &Origin) -> String {
        match follow(location.as_bytes(), b"/a/b?c=/d", origin) {
            Ok(path) => String::from_utf8_lossy(&path).into_owned(),
            Err(astray) => astray.reason(origin).to_string(),
        }
    }

    #[test]
    fn redirects_stay_on_the_target() {
        let origin = origin("http", 8080);
        for (location, expected) in [
            ("/home", "/home"),
            ("http://web.lab:8080/home?a=b#c", "/home?a=b"),
            ("HTTP://Web.Lab:8080", "/"),
            ("http://ann:hush@web.lab:8080?x", "/?x"),
            ("//web.lab:8080/x", "/x"),
            ("?page=2", "/a/b?page=2"),
            ("next", "/a/next"),
            ("../x/./y?z=../w", "/x/y?z=../w"),
            ("/../../x//y/..", "/x//"),
            (".", "/a/"),
            ("http://web.lab:80801/", "a redirect without a valid URL"),
            ("http://web.lab:many/", "a redirect without a valid URL"),
            ("http://web.lab/", "a redirect to another host: web.lab"),
            (
                "http://ann:hush@other.lab/",
                "a redirect to another host: other.lab",
            ),
            (
                "//other.lab:8080",
                "a redirect to another host: other.lab:8080",
            ),
            (
                "https://other.lab:8080/",
                "a redirect to another host: other.lab:8080",
            ),
            ("javascript:alert(1)", "a redirect without a valid URL"),
            ("http:/home", "a redirect without a valid URL"),
            ("", "a redirect without a valid URL"),
            ("#top", "a redirect without a valid URL"),
            ("/a b", "a redirect without a valid URL"),
        ] {
            assert_eq!(led(location, &origin), expected, "{location}");
        }
    }

    #[test]
    fn a_server_is_the_same_however_its_port_is_written() {
        for (scheme, port, other) in [("http", 80, "https"), ("https", 443, "http")] {
            let origin = origin(scheme, port);
            for authority in ["web.lab", "web.lab:", &format!("WEB.lab:{port}")] {
                assert_eq!(led(&format!("{scheme}://{authority}/x"), &origin), "/x");
            }
            for authority in ["web.lab", "web.lab:8443"] {
                let told = format!("a redirect to {other}://, but the target is {scheme}://");
                assert_eq!(led(&format!("{other}://{authority}/x"), &origin), told);
            }
        }
        let six = Origin {
            host: "::1".to_owned(),
            ..origin("http", 8080)
        };
        assert_eq!(led("http://[::1]:8080/x", &six), "/x");
        assert_eq!(
            led("http://[::1]/x", &six),
            "a redirect to another host: [::1]"
        );
    }
}
