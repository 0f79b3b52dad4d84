//! Whether so much memory can be had in pages of a kind: it is taken and given back.

use std::fs;
use std::num::NonZero;

use igen_job::tool::{Table, Verdict};
use igen_job::{JobError, Pages};

use serde_json::json;

use crate::emit::Emit;
use crate::meminfo::Meminfo;
use crate::show::{bytes_text, short};
use crate::taking;
use igen_kernel::buddy::Buddy;
use igen_kernel::region::{Region, granule_bytes};

const OPTION: &str = "--can-i-have";
/// Sizes of pages that are told.
const LARGE_BYTES: [u64; 2] = [2 << 20, 4 << 20];

pub(super) fn verdict(
    bytes: u64,
    pages: Pages,
    method: &str,
    meminfo: &Meminfo,
    before: &Buddy,
    emit: &mut Emit,
) -> Result<Verdict, JobError> {
    let granule = granule_bytes(pages);
    let bytes = bytes.div_ceil(granule) * granule;
    if bytes == 0 {
        return Err(
            JobError::at(OPTION, "a size of 0 is out of range").hint("use a size such as 8GiB")
        );
    }
    let reserve = taking::default_reserve_bytes(meminfo);
    let wanted = bytes_text(bytes);
    if let Err(error) = taking::check_available(bytes, pages, reserve, meminfo, OPTION) {
        let text = format!("{wanted} are not available: {}", error.text);
        return Ok(Verdict::finding(method, text));
    }
    let failed = |error| JobError::at(OPTION, format!("cannot allocate {wanted}: {error}"));
    let region = Region::reserve(bytes, pages).map_err(failed)?;
    let one = NonZero::<usize>::MIN;
    let Some(times) = taking::take(&region, bytes, false, one, emit).map_err(failed)? else {
        return Ok(Verdict::finding(
            method,
            format!("stopped before {wanted} were allocated"),
        ));
    };
    let time = short(times.fill.as_secs_f64());
    let method = format!("{method}; a test allocation");
    let (taken, huge) = (Buddy::read(), huge_bytes(region.address()));
    drop(region);
    emit.table(large_blocks([before, &taken, &Buddy::read()]));
    if pages != Pages::Transparent {
        let text =
            format!("{wanted} are available: they were allocated in {time} s and freed again");
        return Ok(Verdict::good(method, text));
    }
    // The ends of the stretch need not be aligned to a huge page.
    let missing = bytes.saturating_sub(huge + granule);
    let text = format!(
        "{} of {wanted} were allocated in huge pages, in {time} s; everything was freed again",
        bytes_text(huge)
    );
    Ok(if missing == 0 {
        Verdict::good(method, text)
    } else {
        Verdict::finding(method, text)
    })
}

/// Large blocks that were free before, while memory was taken, and are free again.
fn large_blocks(looks: [&Buddy; 3]) -> Table {
    let columns = [
        "page_bytes",
        "free_before",
        "free_while_taken",
        "free_after",
    ];
    let title = "Number of large pages that fit into the free blocks";
    let mut table = Table::new("large_blocks", title, &columns);
    for bytes in LARGE_BYTES {
        let [before, taken, after] = looks.map(|buddy| json!(buddy.pages_of(bytes, None)));
        table.row([json!(bytes), before, taken, after]);
    }
    table
}

/// What the mapping at `address` has in transparent huge pages.
fn huge_bytes(address: usize) -> u64 {
    let smaps = fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    of_mapping(&smaps, address, "AnonHugePages:")
}

/// An amount of the mapping that begins at or after `address`, until the next mapping of a file or name.
fn of_mapping(smaps: &str, address: usize, key: &str) -> u64 {
    let lines = smaps.lines().skip_while(|line| {
        let start = line.split_once('-').map(|(start, _)| start);
        let start = start.and_then(|start| usize::from_str_radix(start, 16).ok());
        start != Some(address)
    });
    let amount = lines
        .skip(1)
        .take_while(|line| {
            line.split_once(':')
                .is_some_and(|(name, _)| !name.contains('-'))
        })
        .find_map(|line| {
            line.strip_prefix(key)?
                .split_ascii_whitespace()
                .next()?
                .parse()
                .ok()
        });
    1024 * amount.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mapping_is_found_by_its_address() {
        let smaps = "\
1000-2000 rw-p 00000000 00:00 0
AnonHugePages:      2048 kB
7f00-8000 rw-p 00000000 00:00 0 
Size:               4096 kB
AnonHugePages:      4096 kB
9000-a000 rw-p 00000000 00:00 0
AnonHugePages:      8192 kB
";
        assert_eq!(of_mapping(smaps, 0x7f00, "AnonHugePages:"), 4 << 20);
        assert_eq!(of_mapping(smaps, 0x7f00, "Nothing:"), 0);
        assert_eq!(of_mapping(smaps, 0x1234, "Size:"), 0);
    }
}
