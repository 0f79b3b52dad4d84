//! What is wrong with a tier.

/// What is wrong, and what to do about it.
pub(super) type Fault = (String, String);
