//! For the tests of clients: servers that misbehave or no longer answer, and certificates.

#![allow(clippy::unwrap_used, clippy::missing_panics_doc)]

mod certificate;
mod given;
mod memory;
mod misbehave;
mod stop;

pub use certificate::{certificate, expired_certificate};
#[cfg(feature = "testing")]
pub use given::chosen;
pub use given::{MOST_REQUESTS, now};
pub use memory::peak_kib;
pub(crate) use misbehave::misbehaves;
pub use misbehave::{
    DROP_EVERY, GUARD, by_drops, endless_text, is_short_and_clean, is_without_end, serve,
    without_end,
};
pub use stop::stop;
