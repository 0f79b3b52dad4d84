//! Memory of processes, pages that several share counted once (PSS).

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::time::{Duration, Instant};

use crate::processes::{REST_PER_SCAN, processor_time};

const EVERY: Duration = Duration::from_secs(10);

/// Looks rarely, because the kernel walks the page tables of each process.
#[derive(Debug, Default)]
pub(super) struct Proportional {
    known_bytes: Option<f64>,
    next: Option<Instant>,
}

impl Proportional {
    /// As it was at the last look; None where it is secret.
    pub(super) fn bytes(&mut self, pids: &HashSet<u32>) -> Option<f64> {
        if pids.is_empty() {
            return Some(0.0);
        }
        let now = Instant::now();
        // None of what ended and came again was looked at.
        let is_stale = self.known_bytes == Some(0.0);
        if is_stale || self.next.is_none_or(|next| now >= next) {
            let begin = processor_time();
            self.known_bytes = pids.iter().map(|pid| bytes_of(*pid)).sum();
            let cost = processor_time().saturating_sub(begin);
            self.next = Some(now + EVERY.max(cost * REST_PER_SCAN));
        }
        self.known_bytes
    }
}

/// 0 of a process that has ended; None where it is secret.
fn bytes_of(pid: u32) -> Option<f64> {
    match fs::read_to_string(format!("/proc/{pid}/smaps_rollup")) {
        Ok(text) => proportional_bytes(&text),
        // A process that is ending has no memory any more, and says so by ESRCH.
        Err(error) if error.kind() == ErrorKind::NotFound => Some(0.0),
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error()) => {
            Some(0.0)
        }
        Err(_) => None,
    }
}

fn proportional_bytes(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024.0 * kibibytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_smaps_rollup() {
        let text = "56306c453000-7ffe6f4c5000 ---p 00000000 00:00 0    [rollup]\nRss:  1728 kB\nPss:   312 kB\nPss_Dirty: 112 kB\n";
        assert_eq!(proportional_bytes(text), Some(312.0 * 1024.0));
        assert_eq!(proportional_bytes("Rss: 1 kB\n"), None);
    }

    #[test]
    fn a_process_that_has_ended_takes_none() {
        assert_eq!(bytes_of(u32::MAX), Some(0.0));
        let mut memory = Proportional::default();
        assert_eq!(memory.bytes(&HashSet::new()), Some(0.0));
        let own = HashSet::from([std::process::id()]);
        assert!(memory.bytes(&own).is_some_and(|bytes| bytes > 4096.0));
    }
}
