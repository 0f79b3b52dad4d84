//! Where memory is, and how much of what is free could be large pages.
//!
//! REQUIREMENTS: root for a summary page by page; other users get the sums of the kernel.
//! OVERHEAD: one pass over the flags of all pages: 15 to 25 ms of a processor for each GiB, nearly
//! all of it in the kernel (none without root).

mod census;
mod flags;
mod huge;
mod present;
mod program_pages;
mod summary;
mod trial;

use std::path::Path;

use clap::Args;
use igen_job::tool::{Table, Verdict};
use igen_job::{Bytes, JobError};
use igen_kernel::limits;
use rustix::param::page_size;
use serde_json::json;

use self::census::Census;
use self::flags::Use;
use self::summary::Summary;
use crate::emit::Emit;
use crate::meminfo::Meminfo;
use crate::show::{bytes_text, short};
use crate::taking;
use crate::tool::Tool;
use crate::zones::Zones;
use igen_kernel::buddy::Buddy;

const LARGE_BYTES: u64 = 2 << 20;
/// Share of free memory in large blocks below which the kernel must move pages before it can give large ones.
const ENOUGH_LARGE: f64 = 0.25;
/// Sums of two sources that differ by more were not taken at the same time, or one of them is wrong.
const AGREE_PERCENT: f64 = 1.0;

pub(crate) struct Pages;

/// Options of the tool.
#[derive(Args)]
pub(crate) struct PagesArgs {
    /// Allocate this much memory in large pages, and free it again, to test if it is available.
    #[arg(long, value_name = "SIZE")]
    can_i_have: Option<Bytes>,
    /// Kind of page to allocate.
    #[arg(long, value_parser = taking::kinds_of_pages(), value_name = "KIND", default_value = "thp")]
    pages: igen_job::Pages,
}

impl Tool for Pages {
    const NAME: &'static str = "pages";
    const SUMMARY: &'static str = "show the use of memory and the free large blocks";
    const REQUIREMENTS: &'static str =
        "root for a summary of all pages; other users get the totals of the kernel";
    const OVERHEAD: &'static str = "as root 15 to 25 ms of processor time for each GiB of memory, mostly in the kernel; otherwise none";
    const EXAMPLES: &'static [&'static str] = &["", "--can-i-have 8GiB --pages thp"];
    type Args = PagesArgs;

    fn run(args: PagesArgs, emit: &mut Emit) -> Result<Verdict, JobError> {
        let (meminfo, zones, buddy) = (Meminfo::read()?, Zones::read(), Buddy::read());
        // The first look at a page needs memory itself: programs come before the flags.
        let census = Census::take(&program_pages::program_pages());
        let (method, summary) = match &census {
            Ok(census) => {
                let counted = Summary::counted(census, &meminfo, zones);
                ("flags of each page (/proc/kpageflags)", counted)
            }
            Err(error) => {
                emit.note(format!(
                    "cannot read /proc/kpageflags ({error}), so the summary uses the totals of the kernel, in which programs \
                     count as files; run it as root to separate them"
                ));
                (
                    "totals of the kernel (/proc/meminfo)",
                    Summary::estimated(&meminfo, zones),
                )
            }
        };
        emit.table(summary.table());
        emit.table(blocks(&buddy));
        emit.table(huge::pools());
        emit.table(huge::nodes(&buddy));
        if let Ok(census) = &census {
            compare(census, &meminfo, emit);
            emit.note(format!(
                "free areas that could be a page of 1 GiB: {}",
                census.free_gib
            ));
        }
        tell_free(&meminfo, zones, &buddy, emit);
        if let Some(limit) = limits::left_bytes(Path::new("/")) {
            emit.note(format!(
                "these figures are for the whole machine; the limits of this process leave only {} more",
                bytes_text(limit)
            ));
        }
        if let Some(mode) = huge::transparent() {
            let now = bytes_text(meminfo.get("AnonHugePages"));
            emit.note(format!(
                "transparent huge pages: {mode}; processes use {now} of them"
            ));
        }
        if let Some(Bytes(bytes)) = args.can_i_have {
            return trial::verdict(bytes, args.pages, method, &meminfo, &buddy, emit);
        }
        Ok(verdict(method, &summary, &buddy))
    }
}

fn verdict(method: &str, summary: &Summary, buddy: &Buddy) -> Verdict {
    let (free, large) = (
        buddy.free_bytes(),
        buddy.pages_of(LARGE_BYTES, None) * LARGE_BYTES,
    );
    let share = large as f64 / free.max(1) as f64;
    let room = format!(
        "{} are free, and {} more can be freed without I/O",
        bytes_text(summary.bytes("free")),
        summary.without_io(),
    );
    if free == 0 {
        return Verdict::good(
            method,
            format!("{room}; this kernel does not report its free blocks"),
        );
    }
    let text = format!(
        "{room}; {} % of the free blocks ({}) are large enough for pages of 2 MiB",
        short(100.0 * share),
        bytes_text(large)
    );
    if share < ENOUGH_LARGE {
        let advice = "memory is fragmented; reserve huge pages soon after booting";
        return Verdict::finding(method, format!("{text}: {advice}"));
    }
    Verdict::good(method, text)
}

/// Free blocks by size.
fn blocks(buddy: &Buddy) -> Table {
    let columns = ["block_bytes", "free_blocks", "free_bytes"];
    let mut table = Table::new("free_blocks", "Free blocks by size", &columns);
    for (size, count) in buddy.by_size() {
        table.row([json!(size), json!(count), json!(size * count)]);
    }
    table
}

/// Says where the flags of pages and the kernel's sums do not agree.
fn compare(census: &Census, meminfo: &Meminfo, emit: &mut Emit) {
    let disagree = disagreements(|of| census.bytes(of), meminfo);
    if disagree.is_empty() {
        emit.note("the counted pages and /proc/meminfo agree within 1 % of memory");
    } else {
        emit.note(format!(
            "the counted pages and /proc/meminfo differ: {}",
            disagree.join("; ")
        ));
    }
}

/// Parts whose count and sum are further apart than they may be; `bytes` counts those of a use.
fn disagreements(bytes: impl Fn(Use) -> u64, meminfo: &Meminfo) -> Vec<String> {
    let total = meminfo.get("MemTotal").max(1) as f64;
    let files = meminfo.get("Cached") + meminfo.get("Buffers") + meminfo.get("SwapCached");
    let parts: [(&str, &[Use], u64); 4] = [
        (
            "anonymous memory",
            &[Use::Anonymous],
            meminfo.get("AnonPages"),
        ),
        ("shared memory", &[Use::Shared], meminfo.get("Shmem")),
        (
            "files",
            &[Use::Programs, Use::PageCache, Use::Reclaimable],
            files.saturating_sub(meminfo.get("Shmem")),
        ),
        (
            "huge pages of the pool",
            &[Use::Pool],
            meminfo.get("Hugetlb"),
        ),
    ];
    let mut disagree = Vec::new();
    for (name, uses, said) in parts {
        let counted: u64 = uses.iter().map(|one| bytes(*one)).sum();
        let percent = 100.0 * counted.abs_diff(said) as f64 / total;
        if percent > AGREE_PERCENT {
            let (counted, said) = (bytes_text(counted), bytes_text(said));
            disagree.push(format!(
                "{name}: {counted} counted, {said} in /proc/meminfo"
            ));
        }
    }
    disagree
}

/// Says where the kernel's figures of free memory differ.
fn tell_free(meminfo: &Meminfo, zones: Zones, buddy: &Buddy, emit: &mut Emit) {
    let (said, of_zones) = (meminfo.get("MemFree"), page_size() as u64 * zones.free);
    let lowest = said.min(of_zones).min(buddy.free_bytes());
    let highest = said.max(of_zones).max(buddy.free_bytes());
    let apart = 100.0 * (highest - lowest) as f64 / meminfo.get("MemTotal").max(1) as f64;
    if zones.free > 0 && apart > AGREE_PERCENT {
        emit.note(format!(
            "the figures of the kernel for free memory differ by {}: {} in /proc/meminfo, {} in its zones, {} in free \
             blocks; zones manage {} of {}, and the kernel initialises the rest when needed",
            bytes_text(highest - lowest),
            bytes_text(said),
            bytes_text(of_zones),
            bytes_text(buddy.free_bytes()),
            bytes_text(page_size() as u64 * zones.managed),
            bytes_text(meminfo.get("MemTotal")),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_by_more_than_a_percent_of_memory_is_told() {
        let meminfo = Meminfo::parse(
            "MemTotal: 1000 kB\nCached: 150 kB\nBuffers: 50 kB\nShmem: 50 kB\nAnonPages: 300 kB\n",
        );
        let with = |anonymous_kib: u64| {
            let bytes = |of: Use| match of {
                Use::Anonymous => 1024 * anonymous_kib,
                Use::Shared | Use::Programs | Use::PageCache | Use::Reclaimable => 1024 * 50,
                _ => 0,
            };
            disagreements(bytes, &meminfo)
        };
        assert_eq!(with(300), Vec::<String>::new());
        assert_eq!(with(309), Vec::<String>::new());
        let expected = "anonymous memory: 311 KiB counted, 300 KiB in /proc/meminfo";
        assert_eq!(with(311), [expected]);
    }
}
