//! Where there is memory at all: flags of pages between are read for nothing.

use std::fs;
use std::ops::Range;

/// All pages that can be numbered.
const ALL: Range<u64> = 0..u64::MAX / 8;

/// Pages with memory, in the order of `/proc/iomem`; all where that does not say it.
pub(super) fn present(page_bytes: u64) -> Vec<Range<u64>> {
    let text = fs::read_to_string("/proc/iomem").unwrap_or_default();
    let mut found: Vec<Range<u64>> = text
        .lines()
        .filter_map(|line| stretch(line, page_bytes))
        .collect();
    if found.is_empty() {
        found.push(ALL);
    }
    found
}

/// `100000000-63fffffff : System RAM`. Who may not know addresses reads zeros.
fn stretch(line: &str, page_bytes: u64) -> Option<Range<u64>> {
    let (addresses, name) = line.split_once(" : ")?;
    let (first, last) = addresses.trim().split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    let (first, last) = (number(first)?, number(last)?);
    (name.starts_with("System RAM") && first < last)
        .then(|| first / page_bytes..(last + 1).div_ceil(page_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_of_memory_are_found_wherever_they_stand() {
        for (line, expected) in [
            ("00001000-0009fbff : System RAM", Some(1..0xa0)),
            (
                "100000000-63fffffff : System RAM",
                Some(0x10_0000..0x64_0000),
            ),
            (
                "    1040000000-1043ffffff : System RAM (kmem)",
                Some(0x104_0000..0x104_4000),
            ),
            ("  01000000-01ffffff : Kernel code", None),
            ("000a0000-000fffff : Reserved", None),
            ("00000000-00000000 : System RAM", None),
            ("", None),
        ] {
            assert_eq!(stretch(line, 4096), expected, "{line}");
        }
        assert!(!present(4096).is_empty());
    }
}
