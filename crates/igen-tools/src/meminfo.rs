//! `/proc/meminfo`: what the kernel says of its memory.

use std::collections::BTreeMap;
use std::fs;

use igen_job::JobError;

/// Its amounts by name, in bytes; counts of huge pages as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Meminfo(BTreeMap<String, u64>);

impl Meminfo {
    /// The present amounts.
    pub(crate) fn read() -> Result<Self, JobError> {
        let text = fs::read_to_string("/proc/meminfo").map_err(|error| {
            JobError::at("/proc/meminfo", format!("cannot be read: {error}"))
                .hint("mount /proc, which reports the memory of the machine")
        })?;
        Ok(Self::parse(&text))
    }

    pub(crate) fn parse(text: &str) -> Self {
        let line = |line: &str| {
            let (name, rest) = line.split_once(':')?;
            let mut words = rest.split_ascii_whitespace();
            let number: u64 = words.next()?.parse().ok()?;
            let factor = if words.next() == Some("kB") { 1024 } else { 1 };
            Some((name.to_owned(), number * factor))
        };
        Self(text.lines().filter_map(line).collect())
    }

    /// An amount; 0 where this kernel does not count it.
    pub(crate) fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// Whether this kernel counts it.
    pub(crate) fn find(&self, name: &str) -> Option<u64> {
        self.0.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_bytes_and_counts_are_counts() {
        let read =
            Meminfo::parse("MemTotal:  24 kB\nActive(file):  2 kB\nHugePages_Free:   7\nx\n");
        assert_eq!(read.get("MemTotal"), 24 * 1024);
        assert_eq!(read.get("Active(file)"), 2048);
        assert_eq!(read.get("HugePages_Free"), 7);
        assert_eq!((read.get("x"), read.find("x")), (0, None));
    }
}
