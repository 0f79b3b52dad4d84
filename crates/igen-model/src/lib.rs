//! The workloads that measure iGen itself: what the engine costs, and whether its figures are true.
//!
//! They are in an own crate, so that their release build takes a minute, and not seven:
//! `python -m checks.instructions` counts the instructions of its binary for each change.

#![forbid(unsafe_code)]

pub mod model;
pub mod noop;

pub use model::Model;
pub use noop::Noop;
