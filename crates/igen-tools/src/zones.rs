//! `/proc/zoneinfo`: what the zones of memory manage.

use std::fs;

/// Sums over all zones, in pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Zones {
    /// Handed to the kernel's allocator.
    pub(crate) managed: u64,
    /// Free, as the zones count them.
    pub(crate) free: u64,
    /// Free, in the lists that each processor keeps for itself: not counted as free.
    pub(crate) kept: u64,
}

impl Zones {
    /// The present ones; zeros where the kernel does not tell.
    pub(crate) fn read() -> Self {
        Self::parse(&fs::read_to_string("/proc/zoneinfo").unwrap_or_default())
    }

    fn parse(text: &str) -> Self {
        let mut zones = Self::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            match words[..] {
                ["pages", "free", number] => zones.free += number.parse().unwrap_or(0),
                ["managed", number] => zones.managed += number.parse().unwrap_or(0),
                ["count:", number] => zones.kept += number.parse().unwrap_or(0),
                _ => {}
            }
        }
        zones
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_summed_up() {
        let text = "\
Node 0, zone      DMA
  pages free     3840
        managed  3841
  pagesets
    cpu: 0
              count:    5
              high:     252
Node 0, zone   Normal
  pages free     10
        managed  20
    cpu: 0
              count:    7
";
        let expected = Zones {
            managed: 3861,
            free: 3850,
            kept: 12,
        };
        assert_eq!(Zones::parse(text), expected);
    }
}
