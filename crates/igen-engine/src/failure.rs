//! Why a transaction failed.

use std::borrow::Cow;

/// A failed transaction: counted by its reason, timed apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// A short reason that many failures share: no keys, ids or times in it.
    pub reason: Cow<'static, str>,
    /// The user cannot go on: the engine creates it anew, waiting longer each time.
    pub lost: bool,
    /// The user does nothing more: the load goes on without it.
    pub last: bool,
    /// Another user's transaction was in the way (a deadlock, a serialization failure): the same
    /// transaction may succeed when it is run again.
    pub conflict: bool,
    /// What the other side has said, for whoever has to find out why no user could start: told once, counted nowhere.
    pub said: Option<Box<str>>,
}

impl Failure {
    /// The transaction failed, the user goes on.
    pub fn new(reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            reason: reason.into(),
            lost: false,
            last: false,
            conflict: false,
            said: None,
        }
    }

    /// Another user's transaction was in the way.
    pub fn conflict(reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            conflict: true,
            ..Self::new(reason)
        }
    }

    /// The user's connection (or file, or process) is gone.
    pub fn lost(reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            lost: true,
            ..Self::new(reason)
        }
    }
}
