//! The driver against a real MariaDB server.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod load;
mod server;
mod session;
