//! What all tiers have in common: where they listen, what they bear, what they count, and how one asks
//! the tier behind it.

mod address;
mod answer;
mod body;
mod converse;
#[cfg(test)]
mod converse_tests;
mod counts;
mod limits;
mod patient;
mod preface;
mod request;
mod rest;
mod run;
mod upstream;

pub use address::Listen;
pub use answer::{answer, compressed, json, plain, redirect, say_gzip, set};
pub use body::Body;
pub use limits::Limits;
pub use request::{accepts_gzip, cookie, field, is_digits};
pub use run::{Stop, Tier, run};
pub use upstream::{Fault, Upstream};
