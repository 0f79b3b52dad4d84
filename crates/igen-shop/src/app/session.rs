//! Who is signed in: told by a cookie that the shop has signed. Nothing is kept in memory, so that a long
//! load does not fill it, and every node knows those whom another one has let in.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};

use hyper::header::HeaderMap;

use crate::seed::Seed;
use crate::serve::cookie;

const SESSION: &str = "session";
const VISIT: &str = "visit";
/// How long the cookie lives: an hour.
const SESSION_S: u32 = 3_600;
const VISIT_S: u32 = 600;
const LONGEST_NAME: usize = 64;

/// Makes and knows sessions.
pub struct Sessions {
    seed: Seed,
    /// Differs from process to process.
    random: RandomState,
    begun: Cell<u64>,
}

impl Sessions {
    /// Sessions that are signed under a seed.
    pub fn new(seed: Seed) -> Self {
        Self {
            seed,
            random: RandomState::new(),
            begun: Cell::new(0),
        }
    }

    /// The cookie of a new session of somebody.
    pub fn begin(&self, user: &str) -> String {
        let begun = format!("{user}.{}", self.number());
        let signature = self.seed.signature(SESSION, &begun);
        format!(
            "{SESSION}={begun}.{signature}; Path=/; Max-Age={SESSION_S}; HttpOnly; SameSite=Lax"
        )
    }

    /// Who asks, and in which session.
    pub fn of<'a>(&self, headers: &'a HeaderMap) -> Option<(&'a str, &'a str)> {
        let session = cookie(headers, SESSION)?;
        let (begun, signature) = session.rsplit_once('.')?;
        let (user, _) = begun.rsplit_once('.')?;
        (self.seed.signature(SESSION, begun) == signature).then_some((user, session))
    }

    /// A visitor whom nobody knows yet, and the cookie.
    pub fn visit(&self) -> (String, String) {
        let visit = self.number();
        let cookie =
            format!("{VISIT}={visit}; Path=/login; Max-Age={VISIT_S}; HttpOnly; SameSite=Lax");
        (visit, cookie)
    }

    /// The token of a form, which is good for one visit or session.
    pub fn token(&self, form: &str, of: &str) -> String {
        self.seed.signature(form, of)
    }

    /// A number that was not there before, and that a recording of another day does not have.
    fn number(&self) -> String {
        let number = self.begun.get();
        self.begun.set(number + 1);
        format!("{:016x}", self.random.hash_one(number))
    }
}

/// The visit in which a form was asked for.
pub fn visit_of(headers: &HeaderMap) -> Option<&str> {
    cookie(headers, VISIT)
}

/// Takes the cookie of a session away.
pub fn ended() -> String {
    format!("{SESSION}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax")
}

/// Takes the cookie of a visit away.
pub fn visit_ended() -> String {
    format!("{VISIT}=; Path=/login; Max-Age=0; HttpOnly; SameSite=Lax")
}

/// Returns true if somebody may be called so: what a cookie can hold.
pub fn is_name(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.@".contains(&byte))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn with(cookie: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let pair = cookie.split(';').next().unwrap();
        headers.insert(hyper::header::COOKIE, pair.parse().unwrap());
        headers
    }

    #[test]
    fn a_session_is_known_by_every_node_of_its_shop() {
        let (one, other) = (Sessions::new(Seed(1)), Sessions::new(Seed(1)));
        let headers = with(&one.begin("ann.b@example"));
        assert_eq!(other.of(&headers).unwrap().0, "ann.b@example");
        assert_eq!(Sessions::new(Seed(2)).of(&headers), None);
        let forged = with(&one.begin("ann").replace("ann", "bob"));
        assert_eq!(one.of(&forged), None);
        for nonsense in ["session=", "session=a", "session=a.b", "session=..", "x=1"] {
            assert_eq!(one.of(&with(nonsense)), None, "{nonsense}");
        }
    }

    #[test]
    fn sessions_of_one_person_differ_but_not_in_length() {
        let sessions = Sessions::new(Seed(1));
        let (one, two) = (sessions.begin("ann"), sessions.begin("ann"));
        assert_ne!(one, two);
        assert_eq!(one.len(), two.len());
    }
}
