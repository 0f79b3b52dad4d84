//! Free memory in large blocks: whether the kernel could give huge pages at once.
//!
//! Reads: `/proc/buddyinfo`, and never `pagetypeinfo`, for which the kernel holds a lock for milliseconds. The gauge
//! `large_bytes` is what could be pages of 2 MiB.
//! Cost: 15 µs. Requirements: none; some containers hide it.

use std::io;

use igen_engine::Monitor;
use igen_job::event::Reading;
use igen_kernel::buddy::Buddy;
use rustix::param::page_size;

use crate::values::values;
use igen_kernel::proc_file::ProcFile;

const LARGE_BYTES: u64 = 2 << 20;

pub(crate) struct FreeBlocks(ProcFile);

impl FreeBlocks {
    pub(crate) const NAME: &'static str = "free_blocks";

    pub(crate) fn open() -> io::Result<Self> {
        Ok(Self(ProcFile::open("/proc/buddyinfo")?))
    }
}

impl Monitor for FreeBlocks {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn read(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        readings.push(parse(&self.0.read()?, page_size() as u64));
        Ok(())
    }
}

fn parse(text: &str, page_bytes: u64) -> Reading {
    let buddy = Buddy::parse(text, page_bytes);
    let bytes = buddy.pages_of(LARGE_BYTES, None) * LARGE_BYTES;
    Reading {
        monitor: FreeBlocks::NAME.to_owned(),
        gauges: values([(
            "large_bytes",
            (!buddy.zones.is_empty()).then_some(bytes as f64),
        )]),
        ..Reading::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_2_mib_and_more_are_large() {
        let text = "Node 0, zone   Normal   7 0 0 0 0 0 0 0 0 3 2\n";
        let expected = values([("large_bytes", Some((3.0 + 2.0 * 2.0) * 2_097_152.0))]);
        assert_eq!(parse(text, 4096).gauges, expected);
        assert!(parse("", 4096).gauges.is_empty());
    }
}
