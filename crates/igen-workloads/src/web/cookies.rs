//! The cookies of a user at one server (RFC 6265). `Path` and `Max-Age` are heeded; of `Expires` only whether it says
//! 1970, as servers do that take a cookie away: no load is as long as cookies last. `Domain` is not looked at, since
//! all requests go to one host, and `Secure` not either, since the target says whether there is TLS.

/// Most cookies, as of browsers.
const MOST: usize = 180;
/// Longest cookie with its name.
const MOST_BYTES: usize = 8 * 1024;

/// The cookies of a user.
#[derive(Debug, Default)]
pub struct Cookies(Vec<Cookie>);

/// Small, since a user of thousands has several: one piece of memory for all that is text.
#[derive(Debug)]
struct Cookie {
    /// `name=value`, and then the path that it is for.
    text: Box<[u8]>,
    /// When it ends; `NEVER` for not at all.
    until_ns: u64,
    /// Length of `name=value`, and of its name: both up to `MOST_BYTES`.
    pair: u16,
    name: u16,
}

/// The end of a cookie that stays.
const NEVER: u64 = u64::MAX;

impl Cookies {
    /// Takes what a header `Set-Cookie` says in the answer to a request for `path`.
    pub fn take(&mut self, header: &[u8], path: &[u8], now_ns: u64) {
        let mut parts = header.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
        let pair = parts.next().unwrap_or_default();
        let Some(name) = pair
            .iter()
            .position(|byte| *byte == b'=')
            .filter(|length| *length > 0)
        else {
            return;
        };
        if pair.len() > MOST_BYTES || pair.iter().any(u8::is_ascii_control) {
            return;
        }
        let (mut own_path, mut age_s, mut is_old) = (directory(path), None, false);
        for part in parts {
            let (key, value) = part.split_at(
                part.iter()
                    .position(|byte| *byte == b'=')
                    .unwrap_or(part.len()),
            );
            let value = value.strip_prefix(b"=").unwrap_or_default().trim_ascii();
            if key.eq_ignore_ascii_case(b"path") && value.starts_with(b"/") {
                own_path = value;
            } else if key.eq_ignore_ascii_case(b"max-age") {
                age_s = std::str::from_utf8(value)
                    .ok()
                    .and_then(|text| text.parse::<i64>().ok())
                    .or(age_s);
            } else if key.eq_ignore_ascii_case(b"expires") {
                is_old = value.windows(4).any(|year| year == b"1970");
            }
        }
        let known = self
            .0
            .iter()
            .position(|it| *it.name() == pair[..name] && it.path() == own_path);
        let is_gone = age_s.map_or(is_old, |age_s| age_s <= 0);
        match known {
            Some(place) if is_gone => drop(self.0.remove(place)),
            Some(place) => {
                self.0[place].change(pair, until_ns(age_s, now_ns));
            }
            None if is_gone || self.0.len() >= MOST => {}
            None => {
                let cookie = Cookie::new(pair, name, own_path, until_ns(age_s, now_ns));
                self.0.reserve_exact(1);
                self.0.push(cookie);
                // Those with longer paths come first (RFC 6265, section 5.4); the sort keeps the order of others.
                self.0
                    .sort_by_key(|cookie| std::cmp::Reverse(cookie.path().len()));
            }
        }
    }

    /// Writes the header `Cookie` of a request for `path`, where there are any for it.
    pub fn write(&self, path: &[u8], now_ns: u64, output: &mut Vec<u8>) {
        let mut separator: &[u8] = b"Cookie: ";
        for cookie in self.0.iter().filter(|it| it.is_for(path, now_ns)) {
            output.extend_from_slice(separator);
            output.extend_from_slice(cookie.pair());
            separator = b"; ";
        }
        if separator == b"; " {
            output.extend_from_slice(b"\r\n");
        }
    }

    /// The value of the cookie of that name, wherever it is for.
    pub fn value(&self, name: &[u8]) -> Option<&[u8]> {
        self.0
            .iter()
            .find(|it| it.name() == name)
            .map(|it| &it.pair()[name.len() + 1..])
    }
}

impl Cookie {
    /// The cookie of this `pair`, whose first `name` bytes are its name. A pair is no longer than `MOST_BYTES`.
    fn new(pair: &[u8], name: usize, path: &[u8], until_ns: u64) -> Self {
        let length = |bytes: usize| u16::try_from(bytes).unwrap_or(u16::MAX);
        Self {
            text: [pair, path].concat().into(),
            until_ns,
            pair: length(pair.len()),
            name: length(name),
        }
    }

    fn pair(&self) -> &[u8] {
        &self.text[..self.pair.into()]
    }

    fn name(&self) -> &[u8] {
        &self.text[..self.name.into()]
    }

    fn path(&self) -> &[u8] {
        &self.text[self.pair.into()..]
    }

    /// Has another value and another end from now on.
    fn change(&mut self, pair: &[u8], until_ns: u64) {
        if pair.len() == usize::from(self.pair) {
            self.text[..pair.len()].copy_from_slice(pair);
            self.until_ns = until_ns;
        } else {
            *self = Self::new(pair, self.name.into(), self.path(), until_ns);
        }
    }

    fn is_for(&self, path: &[u8], now_ns: u64) -> bool {
        let path = path_of(path);
        let below = path.strip_prefix(self.path());
        let fits = below.is_some_and(|rest| {
            rest.is_empty() || self.path().ends_with(b"/") || rest.starts_with(b"/")
        });
        fits && now_ns < self.until_ns
    }
}

fn until_ns(age_s: Option<i64>, now_ns: u64) -> u64 {
    age_s.map_or(NEVER, |age_s| {
        let age_s = u64::try_from(age_s).unwrap_or(0);
        now_ns.saturating_add(age_s.saturating_mul(1_000_000_000))
    })
}

fn path_of(path: &[u8]) -> &[u8] {
    path.split(|byte| *byte == b'?').next().unwrap_or_default()
}

/// The path up to its last slash, which is the default of cookies.
fn directory(path: &[u8]) -> &[u8] {
    let path = path_of(path);
    match path.iter().rposition(|byte| *byte == b'/') {
        None | Some(0) => b"/",
        Some(slash) => &path[..slash],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    /// What servers might say, and what none should.
    fn any_header() -> impl Strategy<Value = Vec<u8>> {
        let words: &[&[u8]] = &[
            b"a",
            b"b",
            b"=",
            b";",
            b" ",
            b"; Path=",
            b"/",
            b"/a",
            b"; Max-Age=",
            b"; max-age",
            b"9",
            b"-1",
            b"99999999999999999999",
            b"; Expires=",
            b"1970",
            b",",
            b"\"",
            b"\r\n",
            b"\0",
        ];
        let piece = prop_oneof![
            4 => prop::sample::select(words.to_vec()).prop_map(<[u8]>::to_vec),
            1 => prop::collection::vec(any::<u8>(), 0..4),
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn whatever_servers_say_makes_one_header_or_none(
            headers in prop::collection::vec((any_header(), 0_u64..100), 0..40), path in "(/[a-c?;=% ]{0,3}){1,3}"
        ) {
            let mut cookies = Cookies::default();
            for (header, now_s) in &headers {
                cookies.take(header, path.as_bytes(), now_s * 1_000_000_000);
                let names: BTreeSet<_> = cookies.0.iter().map(|it| (it.name(), it.path())).collect();
                prop_assert_eq!(names.len(), cookies.0.len());
            }
            let mut output = Vec::new();
            cookies.write(path.as_bytes(), 0, &mut output);
            if !output.is_empty() {
                let line = output.strip_prefix(b"Cookie: ").and_then(|line| line.strip_suffix(b"\r\n"));
                prop_assert!(!line.unwrap().iter().any(u8::is_ascii_control));
            }
        }

        #[test]
        fn what_is_sent_is_what_was_set_last(
            sets in prop::collection::vec((0..3_u8, 0..3_u8, 0..9_u8, prop::option::of(-1..20_i64)), 0..40)
        ) {
            let (paths, mut cookies, mut truth) = (["/", "/a", "/x"], Cookies::default(), BTreeMap::new());
            for (now_s, (name, path, value, age_s)) in (0_u64..).zip(sets) {
                let path = paths[usize::from(path)];
                let age = age_s.map_or_else(String::new, |age_s| format!("; Max-Age={age_s}"));
                cookies.take(format!("n{name}={value}; Path={path}{age}").as_bytes(), b"/", now_s * 1_000_000_000);
                let until_s = age_s.map_or(u64::MAX, |age_s| now_s.saturating_add_signed(age_s));
                truth.insert((name, path), (value, until_s));
                let expected: BTreeSet<_> = truth
                    .iter()
                    .filter(|((_, path), (_, until_s))| *path != "/x" && now_s < *until_s)
                    .map(|((name, _), (value, _))| format!("n{name}={value}"))
                    .collect();
                let line = sent(&cookies, "/a/b", now_s);
                let pairs = line.trim_start_matches("Cookie: ").trim_end().split("; ");
                let pairs: BTreeSet<_> = pairs.filter(|it| !it.is_empty()).map(str::to_owned).collect();
                prop_assert_eq!(pairs, expected);
            }
        }
    }

    fn sent(cookies: &Cookies, path: &str, now_s: u64) -> String {
        let mut output = Vec::new();
        cookies.write(path.as_bytes(), now_s * 1_000_000_000, &mut output);
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn a_cookie_takes_what_its_text_takes_and_little_more() {
        assert!(size_of::<Cookie>() <= 32);
        let mut cookies = Cookies::default();
        for name in ["a", "b", "c"] {
            cookies.take(format!("{name}=1").as_bytes(), b"/", 0);
        }
        assert_eq!(cookies.0.capacity(), cookies.0.len());
    }

    #[test]
    fn cookies_go_where_they_are_for() {
        let mut cookies = Cookies::default();
        for (header, path) in [
            ("session=1; Path=/; HttpOnly", "/login"),
            ("visit=2;path=/login", "/login"),
            ("here=3", "/a/b/c?x=/y"),
            ("bad", "/"),
            ("=bad", "/"),
        ] {
            cookies.take(header.as_bytes(), path.as_bytes(), 0);
        }
        assert_eq!(sent(&cookies, "/", 0), "Cookie: session=1\r\n");
        assert_eq!(
            sent(&cookies, "/login?a=b", 0),
            "Cookie: visit=2; session=1\r\n"
        );
        assert_eq!(sent(&cookies, "/loginx", 0), "Cookie: session=1\r\n");
        assert_eq!(sent(&cookies, "/a/b", 0), "Cookie: here=3; session=1\r\n");
        assert_eq!(cookies.value(b"here"), Some(&b"3"[..]));
    }

    #[test]
    fn cookies_change_and_end() {
        let mut cookies = Cookies::default();
        cookies.take(b"a=1; Path=/; Max-Age=10", b"/", 0);
        assert_eq!(
            (sent(&cookies, "/", 9), sent(&cookies, "/", 10)),
            ("Cookie: a=1\r\n".to_owned(), String::new())
        );
        cookies.take(b"a=longer; Path=/", b"/", 0);
        assert_eq!(sent(&cookies, "/", 99), "Cookie: a=longer\r\n");
        cookies.take(b"a=; Path=/; Max-Age=0", b"/", 0);
        assert_eq!(sent(&cookies, "/", 0), "");
        cookies.take(b"b=1; Path=/", b"/", 0);
        cookies.take(
            b"b=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            b"/",
            0,
        );
        assert_eq!(sent(&cookies, "/", 0), "");
        for number in 0..1_000 {
            cookies.take(format!("c{number}=1").as_bytes(), b"/", 0);
        }
        assert_eq!(cookies.0.len(), MOST);
    }
}
