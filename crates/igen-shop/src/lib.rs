//! A small shop with a dashboard, to load where no web application is at hand: three servers, each a
//! process of its own, so that the tiers are real.
//!
//! ```text
//! client ─ TCP, TLS ─► web ─ Unix socket ─► app (one or several) ─ Unix socket ─► data
//!                      static files,        login, pages, charts,                 SQLite
//!                      balancer             cache, CPU time a page
//! ```
//!
//! What they answer follows from the seed. What differs from visit to visit are cookies and CSRF tokens,
//! which have the same length each time. Each server has one thread, as one worker of a usual server has:
//! more of it are more processes. All answer `GET /-/ready`, and `GET /-/counts` with what they have been
//! asked.

#![forbid(unsafe_code)]

pub mod app;
pub mod ask;
pub mod data;
pub mod faults;
mod seed;
mod serve;
pub mod shop;
pub mod tls;
pub mod web;

pub use serve::{Limits, Listen, Stop};
