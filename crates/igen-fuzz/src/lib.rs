//! Fuzz targets: functions that take any bytes and must neither panic nor take long nor much memory.
//!
//! In most targets the first byte chooses the requests and the size of reads; the other bytes are the server's answers.

#![forbid(unsafe_code)]

mod job;

/// A fuzz target.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name; `fuzz/corpus` has a folder of that name.
    pub name: &'static str,
    /// Tries an input.
    pub run: fn(&[u8]),
}

/// Every fuzz target in Rust.
pub const TARGETS: [Target; 6] = [
    Target {
        name: "http-head",
        run: igen_http::fuzz::head,
    },
    Target {
        name: "http-chunked",
        run: igen_http::fuzz::chunked,
    },
    Target {
        name: "postgresql",
        run: igen_sql::server::postgresql::fuzz::answers,
    },
    Target {
        name: "mysql",
        run: igen_sql::server::mysql::fuzz::answers,
    },
    Target {
        name: "ldap",
        run: igen_ldap::fuzz::answers,
    },
    Target {
        name: "job",
        run: job::json,
    },
];

/// Returns the target of that name.
#[must_use]
pub fn target(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|target| target.name == name)
}
