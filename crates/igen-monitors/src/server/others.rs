//! Sessions of others on a server that is loaded: who they are, and how often they did something.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use igen_job::{Fact, facts};
use igen_sql::server::{is_own, ranges};
use serde_json::json;

/// Clients in the fact: sessions of one user, address and application.
const MOST: usize = 20;
/// Sessions that are kept of those that have ended: a client that connects anew for each statement makes thousands a minute.
const MOST_ENDED: usize = 10_000;

/// A session as the server lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Its number on the server.
    pub(crate) number: u32,
    pub(crate) user: String,
    /// The address of its client; empty for a Unix socket.
    pub(crate) from: String,
    /// The application, if it says so.
    pub(crate) application: String,
    /// True if it runs a statement.
    pub(crate) runs: bool,
    /// A text that changes whenever the session has done something; `None` if the user of the target may not
    /// know.
    pub(crate) mark: Option<String>,
}

/// Sessions of others on one server.
#[derive(Debug)]
pub(super) struct Others {
    server: String,
    looks: u64,
    /// True if what other users' sessions do may be seen.
    sees_all: bool,
    sessions: BTreeMap<u32, Other>,
}

#[derive(Debug)]
struct Other {
    last: Seen,
    /// Looks at which it ran a statement, or had done something since the look before.
    active: u64,
    /// The last look that saw it.
    seen: u64,
}

impl Others {
    /// Returns an empty list for the server at that place.
    pub(super) fn new(server: String) -> Self {
        Self {
            server,
            looks: 0,
            sees_all: true,
            sessions: BTreeMap::new(),
        }
    }

    /// Adds a look at all sessions; `sees_all` is false if some may be missing.
    pub(super) fn look(&mut self, seen: Vec<Seen>, sees_all: bool) {
        self.sees_all &= sees_all;
        for each in seen {
            if is_own(&self.server, each.number) {
                continue;
            }
            self.sees_all &= each.mark.is_some();
            let before = self.sessions.get(&each.number);
            // Whoever was there at the first look may have rested ever since.
            let moved = match before {
                Some(before) => before.last.mark != each.mark,
                None => self.looks > 0,
            };
            let active = before.map_or(0, |before| before.active)
                + u64::from(each.mark.is_some() && (each.runs || moved));
            let seen = self.looks;
            self.sessions.insert(
                each.number,
                Other {
                    last: each,
                    active,
                    seen,
                },
            );
        }
        self.forget_ended();
        self.looks += 1;
    }

    /// Drops sessions that have ended and never did anything, and the ones that ended first if they are too many.
    fn forget_ended(&mut self) {
        let now = self.looks;
        self.sessions
            .retain(|_, other| other.seen == now || other.active > 0);
        let mut ended: Vec<(u64, u32)> = self
            .sessions
            .iter()
            .filter(|(_, other)| other.seen < now)
            .map(|(number, other)| (other.seen, *number))
            .collect();
        if let Some(too_many) = ended.len().checked_sub(MOST_ENDED).filter(|&many| many > 0) {
            ended.select_nth_unstable(too_many - 1);
            for (_, number) in &ended[..too_many] {
                self.sessions.remove(number);
            }
        }
    }

    /// Returns what was seen as a fact about the database at `place`; `None` without a look.
    pub(super) fn fact(&self, place: &str) -> Option<Fact> {
        if self.looks == 0 {
            return None;
        }
        let mut clients: BTreeMap<[&str; 3], (BTreeSet<u32>, u64)> = BTreeMap::new();
        for (number, other) in &self.sessions {
            if other.active == 0 || is_own(&self.server, *number) {
                continue;
            }
            let last = &other.last;
            let (numbers, active) = clients
                .entry([&last.user, &last.from, &last.application])
                .or_default();
            numbers.insert(*number);
            *active = other.active.max(*active);
        }
        let mut clients: Vec<_> = clients.into_iter().collect();
        clients.sort_by_key(|(_, (_, active))| Reverse(*active));
        let clients: Vec<_> = clients
            .iter()
            .take(MOST)
            .map(|([user, from, application], (numbers, active))| {
                json!({
                    "user": user,
                    "from": from,
                    "application": application,
                    "sessions": ranges(numbers),
                    "active_percent": 100.0 * *active as f64 / self.looks as f64,
                })
            })
            .collect();
        let value = json!({
            "server": self.server,
            "sees_all": self.sees_all,
            "clients": clients,
        });
        Some(facts::SESSIONS_OTHERS.of(place, value))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn seen(number: u32, runs: bool, mark: Option<&str>) -> Seen {
        Seen {
            number,
            user: "bob".to_owned(),
            from: "10.0.0.7".to_owned(),
            application: "psql".to_owned(),
            runs,
            mark: mark.map(str::to_owned),
        }
    }

    #[test]
    fn a_session_is_active_if_it_runs_or_has_moved() {
        let mut others = Others::new("others.test:1".to_owned());
        for look in 0..4 {
            let moved = format!("{look}");
            others.look(
                vec![
                    seen(1, false, Some("rests")),
                    seen(2, true, Some("runs")),
                    seen(3, false, Some(&moved)),
                ],
                true,
            );
        }
        others.look(vec![seen(4, false, Some("came"))], true);
        let fact = others.fact("others.test:1/shop").unwrap();
        assert_eq!(fact.name, "sessions.others.others.test:1/shop");
        assert_eq!(fact.value["sees_all"], true);
        let expected = json!([{
            "user": "bob", "from": "10.0.0.7", "application": "psql",
            "sessions": "2-4", "active_percent": 80.0,
        }]);
        assert_eq!(fact.value["clients"], expected);
    }

    #[test]
    fn sessions_that_have_ended_take_a_bounded_memory() {
        let mut others = Others::new("others.test:3".to_owned());
        let (looks, each) = (60_u32, 500);
        for look in 0..looks {
            let came = (0..each).map(|place| seen(1 + look * each + place, true, Some("runs")));
            let rested = (0..each).map(|place| seen(u32::MAX - look * each - place, false, None));
            others.look(came.chain(rested).collect(), true);
        }
        assert_eq!(others.sessions.len(), MOST_ENDED + 2 * each as usize);
        let fact = others.fact("").unwrap();
        let ended = u32::try_from(MOST_ENDED).unwrap();
        let (first, last) = (1 + looks * each - ended - each, looks * each);
        let numbers = fact.value["clients"][0]["sessions"].as_str().unwrap();
        assert_eq!(numbers, format!("{first}-{last}"));
    }

    #[test]
    fn a_session_of_which_nothing_may_be_known_is_not_called_active() {
        let mut others = Others::new("others.test:2".to_owned());
        assert!(others.fact("").is_none(), "nobody has looked");
        others.look(vec![seen(1, true, None)], true);
        others.look(vec![seen(1, true, None), seen(2, true, None)], true);
        let fact = others.fact("").unwrap();
        assert_eq!(
            (&fact.value["clients"], &fact.value["sees_all"]),
            (&json!([]), &json!(false))
        );
    }
}
