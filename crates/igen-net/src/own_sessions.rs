//! The TLS session that one user could resume, of one server: the newest ticket and no more, because a user of
//! thousands must be small.
//!
//! Users share all else of their TLS, which would take half a KiB of each. So there is one place where all of them look
//! for a session: it has those of the user whose connection this thread works on.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;

thread_local! {
    /// Those of the user whose connection is worked on.
    static CURRENT: RefCell<Option<Arc<OwnSessions>>> = const { RefCell::new(None) };
}

/// The sessions of a user, who talks to one server only.
#[derive(Debug, Default)]
pub(crate) struct OwnSessions(Mutex<Newest>);

#[derive(Debug, Default)]
struct Newest {
    group: Option<NamedGroup>,
    // Large, and there only where the server gives one.
    tls12: Option<Box<Tls12ClientSessionValue>>,
    tls13: Option<Box<Tls13ClientSessionValue>>,
}

/// Works on a connection of the user that has these sessions.
#[inline]
pub(crate) fn with_sessions<T>(
    sessions: &mut Option<Arc<OwnSessions>>,
    work: impl FnOnce() -> T,
) -> T {
    if sessions.is_none() {
        return work();
    }
    CURRENT.set(sessions.take());
    let done = work();
    *sessions = CURRENT.take();
    done
}

/// Where users look for their sessions.
#[derive(Debug)]
pub(crate) struct SessionsOfUsers;

impl SessionsOfUsers {
    /// With the current user's; nothing where there is none.
    fn with<T>(then: impl FnOnce(&mut Newest) -> Option<T>) -> Option<T> {
        CURRENT.with_borrow(|sessions| then(&mut sessions.as_ref()?.newest()))
    }
}

impl OwnSessions {
    fn newest(&self) -> MutexGuard<'_, Newest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientSessionStore for SessionsOfUsers {
    fn set_kx_hint(&self, _: ServerName<'static>, group: NamedGroup) {
        Self::with(|newest| newest.group.replace(group));
    }

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        Self::with(|newest| newest.group)
    }

    fn set_tls12_session(&self, _: ServerName<'static>, value: Tls12ClientSessionValue) {
        Self::with(|newest| newest.tls12.replace(Box::new(value)));
    }

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        Self::with(|newest| newest.tls12.as_deref().cloned())
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {
        Self::with(|newest| newest.tls12.take());
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: Tls13ClientSessionValue) {
        Self::with(|newest| newest.tls13.replace(Box::new(value)));
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        Self::with(|newest| newest.tls13.take()).map(|ticket| *ticket)
    }
}
