//! Memory in use by kind, page faults and swapping.
//!
//! Reads: `/proc/meminfo` (gauges) and `/proc/vmstat` (counters). `available_bytes` is the kernel's
//! estimate of what programs could get without swapping.
//! Cost: 22 µs. Requirements: none.

use std::io;

use igen_engine::Monitor;
use igen_job::event::Reading;
use rustix::param::page_size;

use crate::values::{numbers, values};
use igen_kernel::proc_file::ProcFile;

pub(crate) struct Memory {
    meminfo: ProcFile,
    vmstat: ProcFile,
}

impl Memory {
    pub(crate) const NAME: &'static str = "memory";

    pub(crate) fn open() -> io::Result<Self> {
        Ok(Self {
            meminfo: ProcFile::open("/proc/meminfo")?,
            vmstat: ProcFile::open("/proc/vmstat")?,
        })
    }
}

impl Monitor for Memory {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn read(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        let (meminfo, vmstat) = (self.meminfo.read()?, self.vmstat.read()?);
        readings.push(parse(&meminfo, &vmstat, page_size() as f64));
        Ok(())
    }
}

fn parse(meminfo: &str, vmstat: &str, page_bytes: f64) -> Reading {
    let bytes = |name| value(meminfo, name, ':').map(|kibibytes| kibibytes * 1024.0);
    let events = |name| value(vmstat, name, ' ');
    let pages = |name| events(name).map(|pages| pages * page_bytes);
    let swap_used = bytes("SwapTotal")
        .zip(bytes("SwapFree"))
        .map(|(total, free)| total - free);
    Reading {
        monitor: Memory::NAME.to_owned(),
        counters: values([
            ("page_faults", events("pgfault")),
            ("major_faults", events("pgmajfault")),
            ("swapped_in_bytes", pages("pswpin")),
            ("swapped_out_bytes", pages("pswpout")),
            ("direct_reclaim_bytes", pages("pgsteal_direct")),
            ("out_of_memory_kills", events("oom_kill")),
        ]),
        gauges: values([
            ("total_bytes", bytes("MemTotal")),
            ("free_bytes", bytes("MemFree")),
            ("available_bytes", bytes("MemAvailable")),
            ("buffers_bytes", bytes("Buffers")),
            ("cached_bytes", bytes("Cached")),
            ("dirty_bytes", bytes("Dirty")),
            ("writeback_bytes", bytes("Writeback")),
            ("anonymous_bytes", bytes("AnonPages")),
            ("shared_bytes", bytes("Shmem")),
            ("swap_used_bytes", swap_used),
            ("transparent_huge_pages_bytes", bytes("AnonHugePages")),
            ("huge_pages_bytes", bytes("Hugetlb")),
        ]),
        ..Reading::default()
    }
}

/// The number behind `name` and `separator` at the begin of a line.
fn value(text: &str, name: &str, separator: char) -> Option<f64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(separator))?;
    numbers(line).first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMINFO: &str = "\
MemTotal:       24684084 kB
MemFree:        23881368 kB
MemAvailable:   24297228 kB
Buffers:            6116 kB
Cached:           579248 kB
SwapCached:            0 kB
SwapTotal:          2048 kB
SwapFree:           1024 kB
Dirty:              1292 kB
Writeback:             0 kB
AnonPages:         20408 kB
Shmem:              8872 kB
AnonHugePages:      4096 kB
HugePages_Total:       3
Hugepagesize:       2048 kB
Hugetlb:            6144 kB
";
    const VMSTAT: &str = "\
pswpin 3
pswpout 5
pgsteal_direct 7
pgfault 6611074
pgmajfault 2248
oom_kill 1
";

    #[test]
    fn kibibytes_and_pages_become_bytes() {
        let reading = parse(MEMINFO, VMSTAT, 4096.0);
        assert_eq!(
            reading.counters,
            values([
                ("page_faults", Some(6_611_074.0)),
                ("major_faults", Some(2248.0)),
                ("swapped_in_bytes", Some(12288.0)),
                ("swapped_out_bytes", Some(20480.0)),
                ("direct_reclaim_bytes", Some(28672.0)),
                ("out_of_memory_kills", Some(1.0)),
            ])
        );
        assert_eq!(
            reading.gauges,
            values([
                ("total_bytes", Some(25_276_502_016.0)),
                ("free_bytes", Some(24_454_520_832.0)),
                ("available_bytes", Some(24_880_361_472.0)),
                ("buffers_bytes", Some(6_262_784.0)),
                ("cached_bytes", Some(593_149_952.0)),
                ("dirty_bytes", Some(1_323_008.0)),
                ("writeback_bytes", Some(0.0)),
                ("anonymous_bytes", Some(20_897_792.0)),
                ("shared_bytes", Some(9_084_928.0)),
                ("swap_used_bytes", Some(1_048_576.0)),
                ("transparent_huge_pages_bytes", Some(4_194_304.0)),
                ("huge_pages_bytes", Some(6_291_456.0)),
            ])
        );
    }

    #[test]
    fn what_the_kernel_does_not_say_is_left_out() {
        let reading = parse(
            "MemTotal: 1 kB\nSwapTotal: 9 kB\nMemFree:\n",
            "pgfault",
            4096.0,
        );
        assert_eq!(reading.gauges, values([("total_bytes", Some(1024.0))]));
        assert!(reading.counters.is_empty());
    }

    #[test]
    fn a_name_is_not_found_inside_another() {
        assert_eq!(value("SwapCached: 5 kB\n", "Cached", ':'), None);
        assert_eq!(value("pgfault_a 5\n", "pgfault", ' '), None);
    }
}
