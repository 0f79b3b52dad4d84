//! The TLS session that one user could resume, of one server: the newest ticket and no more, because a user of
//! thousands must be small.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;

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

impl OwnSessions {
    fn newest(&self) -> MutexGuard<'_, Newest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientSessionStore for OwnSessions {
    fn set_kx_hint(&self, _: ServerName<'static>, group: NamedGroup) {
        self.newest().group = Some(group);
    }

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        self.newest().group
    }

    fn set_tls12_session(&self, _: ServerName<'static>, value: Tls12ClientSessionValue) {
        self.newest().tls12 = Some(Box::new(value));
    }

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.newest().tls12.as_deref().cloned()
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {
        self.newest().tls12 = None;
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, value: Tls13ClientSessionValue) {
        self.newest().tls13 = Some(Box::new(value));
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.newest().tls13.take().map(|ticket| *ticket)
    }
}
