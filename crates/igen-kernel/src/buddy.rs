//! `/proc/buddyinfo`: free memory by the size of its blocks.

use std::fs;

use rustix::param::page_size;

/// Free blocks of one zone of a node; index is the order: a block has 2^order pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    /// Number of its memory node.
    pub node: u32,
    /// Number of free blocks, by order.
    pub blocks: Vec<u64>,
}

/// Free blocks of all zones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Buddy {
    /// In the kernel's order.
    pub zones: Vec<Zone>,
    page_bytes: u64,
}

impl Buddy {
    /// The present ones; none where the kernel does not tell.
    #[must_use]
    pub fn read() -> Self {
        let text = fs::read_to_string("/proc/buddyinfo").unwrap_or_default();
        Self::parse(&text, page_size() as u64)
    }

    /// Reads the text of that file, with the size of a page.
    #[must_use]
    pub fn parse(text: &str, page_bytes: u64) -> Self {
        let zone = |line: &str| {
            let (node, rest) = line.strip_prefix("Node ")?.split_once(',')?;
            let blocks = rest.split_ascii_whitespace().skip(2);
            Some(Zone {
                node: node.trim().parse().ok()?,
                blocks: blocks.map_while(|count| count.parse().ok()).collect(),
            })
        };
        Self {
            zones: text.lines().filter_map(zone).collect(),
            page_bytes,
        }
    }

    /// Size and number of the free blocks of each order, the smallest first.
    #[must_use]
    pub fn by_size(&self) -> Vec<(u64, u64)> {
        let orders = self.zones.iter().map(|zone| zone.blocks.len()).max();
        (0..orders.unwrap_or(0))
            .map(|order| {
                let counts = self.zones.iter().filter_map(|zone| zone.blocks.get(order));
                (self.page_bytes << order, counts.sum())
            })
            .collect()
    }

    /// Returns how many pages of `bytes` fit into the free blocks, on all nodes or on one: with pages of 4 KiB, 2 MiB
    /// are a block of order 9, or half a block of order 10.
    #[must_use]
    pub fn pages_of(&self, bytes: u64, node: Option<u32>) -> u64 {
        let of_zone = |zone: &Zone| -> u64 {
            (0..zone.blocks.len())
                .map(|order| (self.page_bytes << order) / bytes * zone.blocks[order])
                .sum()
        };
        let zones = self.zones.iter();
        zones
            .filter(|zone| node.is_none_or(|node| node == zone.node))
            .map(of_zone)
            .sum()
    }

    /// All that is free.
    #[must_use]
    pub fn free_bytes(&self) -> u64 {
        self.by_size()
            .iter()
            .map(|(size, count)| size * count)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_NODES: &str = "\
Node 0, zone      DMA      0      0      0      0      0      0      0      0      1      1      3 
Node 0, zone   Normal      5      0      0      0      0      0      0      0      0      2      1 
Node 1, zone   Normal      0      1      0      0      0      0      0      0      0      0      4 
";

    #[test]
    fn large_pages_are_those_of_the_larger_blocks_too() {
        let buddy = Buddy::parse(TWO_NODES, 4096);
        assert_eq!(buddy.pages_of(2 << 20, None), 3 + 2 * 8);
        assert_eq!(buddy.pages_of(2 << 20, Some(1)), 8);
        assert_eq!(buddy.pages_of(4 << 20, None), 8);
        assert_eq!(buddy.by_size()[0], (4096, 5));
        assert_eq!(buddy.by_size()[10], (4 << 20, 8));
        assert_eq!(buddy.by_size().len(), 11);
        let free = 5 * 4096 + 8192 + (1 << 20) + 3 * (2 << 20) + 8 * (4 << 20);
        assert_eq!(buddy.free_bytes(), free);
    }

    #[test]
    fn other_pages_have_other_blocks() {
        let line = "Node 0, zone Normal 1 0 0 0 0 1\n";
        assert_eq!(Buddy::parse(line, 65536).pages_of(2 << 20, None), 1);
        assert_eq!(
            Buddy::parse("nonsense", 4096),
            Buddy {
                zones: vec![],
                page_bytes: 4096
            }
        );
    }
}
