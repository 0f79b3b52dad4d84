//! Why a transaction failed, and what its user does next.

use std::borrow::Cow;

pub use igen_job::failure::{FailureKind, Reason};

/// A failed transaction: counted by its reason, timed apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Why; boxed, as each user waits in the memory of a result that may hold it.
    pub reason: Box<Reason>,
    /// The next step of its user.
    pub then: Then,
    /// What the other side has said, for whoever has to find out why no user could start: told once, counted nowhere.
    pub said: Option<Box<str>>,
}

/// The next step of a user after a failed transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// The user continues.
    GoOn,
    /// The user cannot continue, because its connection (or file, or process) is gone: the engine creates it anew, and
    /// waits longer each time.
    Anew,
    /// The user ends: the load continues without it.
    End,
}

impl Failure {
    /// The transaction failed, the user goes on.
    pub fn new(kind: FailureKind, text: impl Into<Cow<'static, str>>) -> Self {
        Reason::new(kind, text).into()
    }

    /// The transaction failed, and the user has to be created anew.
    pub fn anew(kind: FailureKind, text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(kind, text).then(Then::Anew)
    }

    /// The same failure, after which the user does something else.
    #[must_use]
    pub fn then(self, then: Then) -> Self {
        Self { then, ..self }
    }

    /// The same failure in a step of the transaction.
    #[must_use]
    pub fn in_step(self, step: impl Into<Cow<'static, str>>) -> Self {
        Self {
            reason: Box::new(self.reason.in_step(step)),
            ..self
        }
    }
}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Self {
        Self {
            reason: Box::new(reason),
            then: Then::GoOn,
            said: None,
        }
    }
}
