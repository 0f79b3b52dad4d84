//! Why a transaction failed.

use std::borrow::Cow;

/// A failed transaction: counted by its reason, timed apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// A short reason that many failures share: no keys, ids or times in it.
    pub reason: Cow<'static, str>,
    /// The user cannot go on: the engine creates it anew, waiting longer each time.
    pub lost: bool,
}

impl Failure {
    /// The transaction failed, the user goes on.
    pub fn new(reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            reason: reason.into(),
            lost: false,
        }
    }

    /// The user's connection (or file, or process) is gone.
    pub fn lost(reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            reason: reason.into(),
            lost: true,
        }
    }
}
