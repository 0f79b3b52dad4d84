//! How much memory a test has taken.

/// The most memory that this process has had so far, in KiB.
#[must_use]
pub fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let words = line.unwrap().split_ascii_whitespace();
    words.rev().nth(1).unwrap().parse().unwrap()
}
