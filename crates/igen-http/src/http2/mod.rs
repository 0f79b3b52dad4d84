//! HTTP/2 (RFC 9113): one connection of a user, over which several requests are under way at once.
//!
//! The crate `h2` frames, compresses heads and keeps the windows (docs/adr/0023-http2.md). A connection has no task
//! of its own: whoever waits for an answer drives it, so that a user is one task, and is gone when it is dropped.

mod connection;
mod exchange;
mod fault;
#[cfg(test)]
mod hostile_tests;
mod message;
mod shared;
#[cfg(test)]
mod tests;

pub(crate) use connection::Connection;
pub(crate) use shared::Shared;
