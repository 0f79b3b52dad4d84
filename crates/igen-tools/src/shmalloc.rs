//! Takes memory and holds it, so that a machine has less of it: a host of 128 GiB becomes one of 64.
//!
//! REQUIREMENTS: none; `--lock` needs the right to lock so much memory, `--pages hugetlb`, `2m` and `1g` a pool of such pages.
//! OVERHEAD: the memory that it takes, and a processor for each thread while it takes it; nothing while it holds it.

use std::fs;
use std::num::NonZero;
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use igen_job::tool::{Table, Verdict};
use igen_job::{Bytes, JobError, Pages, Seconds};
use rustix::process::{Resource, getrlimit};
use serde_json::json;

use crate::emit::Emit;
use crate::meminfo::Meminfo;
use crate::show::{bytes_text, short};
use crate::taking::{self, Times};
use crate::tool::Tool;
use igen_kernel::buddy::Buddy;
use igen_kernel::region::{Region, granule_bytes};

const LOOK: Duration = Duration::from_millis(50);
/// Often enough that it ends soon when nobody reads any more, as when a connection to another host is lost.
const TELL: Duration = Duration::from_secs(5);
const GIGA: f64 = 1e9;

pub(crate) struct Shmalloc;

/// Options of the tool.
#[derive(Args)]
pub(crate) struct ShmallocArgs {
    /// Size of the memory, such as 64GiB.
    #[arg(value_name = "SIZE")]
    size: Bytes,
    /// Kind of page; hugetlb, 2m and 1g come from their reserved pools.
    #[arg(long, value_parser = taking::kinds_of_pages(), value_name = "KIND", default_value = "4k")]
    pages: Pages,
    /// Lock the memory, so that it is never swapped out.
    #[arg(long)]
    lock: bool,
    /// Number of threads that allocate.
    #[arg(long, value_name = "N", default_value = "1")]
    threads: NonZero<usize>,
    /// Time to hold the memory, or until-interrupt.
    #[arg(long, value_name = "TIME", default_value = "until-interrupt")]
    hold: Hold,
    /// Memory that must remain free; 5 % of the memory, and at least 256 MiB, if not set.
    #[arg(long, value_name = "SIZE")]
    reserve: Option<Bytes>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Hold {
    For(Duration),
    UntilInterrupt,
}

impl FromStr for Hold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "until-interrupt" {
            return Ok(Self::UntilInterrupt);
        }
        let Seconds(seconds) = text.parse()?;
        Duration::try_from_secs_f64(seconds)
            .map(Self::For)
            .map_err(|_| format!("`{text}` is too long"))
    }
}

impl Tool for Shmalloc {
    const NAME: &'static str = "shmalloc";
    const SUMMARY: &'static str = "allocate memory and hold it, so that less is free";
    const REQUIREMENTS: &'static str = "none; --lock needs a sufficient limit of locked memory; --pages hugetlb, 2m and 1g need a pool of these pages";
    const OVERHEAD: &'static str =
        "the memory; one processor for each thread while it allocates, none while it holds";
    const EXAMPLES: &'static [&'static str] = &["64GiB", "8GiB --pages 2m --hold 10min"];
    type Args = ShmallocArgs;

    fn run(args: ShmallocArgs, emit: &mut Emit) -> Result<Verdict, JobError> {
        let before = Meminfo::read()?;
        let bytes = checked(&args, &before)?;
        become_first_victim(emit);
        let blocks_before = Buddy::read();
        let failed = |error| {
            JobError::at(
                "SIZE",
                format!("cannot allocate {}: {error}", bytes_text(bytes)),
            )
            .hint("use a smaller size or other --pages; --lock needs a higher `ulimit -l`, or root")
        };
        let region = Region::reserve(bytes, args.pages).map_err(failed)?;
        let taken = taking::take(&region, bytes, args.lock, args.threads, emit);
        let Some(times) = taken.map_err(failed)? else {
            return Ok(Verdict::finding(
                METHOD,
                "stopped before all memory was allocated; everything was freed",
            ));
        };
        emit.table(rates(bytes, times));
        emit.table(moved(&before, &Meminfo::read()?, &blocks_before));
        let held = hold(args.hold, bytes, emit);
        drop(region);
        let how = if args.lock { "locked and held" } else { "held" };
        let text = format!(
            "{} were {how} for {} s and then freed",
            bytes_text(bytes),
            short(held.as_secs_f64())
        );
        Ok(Verdict::good(METHOD, text))
    }
}

const METHOD: &str = "mmap, and MADV_POPULATE_WRITE (a write to each page before Linux 5.14)";

/// The size in whole pages, once nothing speaks against it.
fn checked(args: &ShmallocArgs, meminfo: &Meminfo) -> Result<u64, JobError> {
    let granule = granule_bytes(args.pages);
    let Some(bytes) = args
        .size
        .0
        .checked_next_multiple_of(granule)
        .filter(|bytes| *bytes > 0)
    else {
        let text = format!("a size of {} bytes is out of range", args.size.0);
        return Err(JobError::at("SIZE", text).hint("use a size such as 8GiB"));
    };
    let reserve = args.reserve.map_or_else(
        || taking::default_reserve_bytes(meminfo),
        |Bytes(bytes)| bytes,
    );
    taking::check_available(bytes, args.pages, reserve, meminfo, "SIZE")?;
    let limit = getrlimit(Resource::Memlock).current;
    if let (true, Some(limit)) = (args.lock && !rustix::process::geteuid().is_root(), limit)
        && bytes > limit
    {
        let text = format!("this user may lock only {}", bytes_text(limit));
        return Err(JobError::at("--lock", text).hint("run it as root, or raise `ulimit -l`"));
    }
    Ok(bytes)
}

/// Where memory runs short all the same, the kernel ends this process and no other.
fn become_first_victim(emit: &mut Emit) {
    if let Err(error) = fs::write("/proc/self/oom_score_adj", "1000") {
        emit.note(format!(
            "if memory runs out, the kernel may kill other processes before this one: {error}"
        ));
    }
}

fn rates(bytes: u64, times: Times) -> Table {
    let mut table = Table::new("rates", "Speed", &["pass", "time_s", "gb_per_s"]);
    for (pass, time) in [
        ("taken: first touch", times.fill),
        ("written once more", times.write),
    ] {
        let seconds = time.as_secs_f64();
        table.row([
            json!(pass),
            json!(seconds),
            json!(bytes as f64 / GIGA / seconds.max(1e-9)),
        ]);
    }
    table
}

/// What the kernel says of its memory before and after.
fn moved(before: &Meminfo, after: &Meminfo, blocks_before: &Buddy) -> Table {
    let columns = ["what", "before_bytes", "after_bytes"];
    let mut table = Table::new("moved", "Changes in memory use", &columns);
    for name in [
        "MemFree",
        "MemAvailable",
        "AnonPages",
        "AnonHugePages",
        "Mlocked",
        "Cached",
    ] {
        table.row([
            json!(name),
            json!(before.find(name)),
            json!(after.find(name)),
        ]);
    }
    let page = before.get("Hugepagesize");
    let pool = |meminfo: &Meminfo| meminfo.get("HugePages_Free") * page;
    table.row([
        json!("free huge pages of the pool"),
        json!(pool(before)),
        json!(pool(after)),
    ]);
    let large = |buddy: &Buddy| buddy.pages_of(2 << 20, None) * (2 << 20);
    let now = Buddy::read();
    table.row([
        json!("free blocks of 2 MiB and more"),
        json!(large(blocks_before)),
        json!(large(&now)),
    ]);
    table
}

/// Waits, and says so now and then.
fn hold(how: Hold, bytes: u64, emit: &mut Emit) -> Duration {
    let start = Instant::now();
    let mut told: Option<Instant> = None;
    loop {
        let elapsed = start.elapsed();
        let left = match how {
            Hold::For(time) => time.saturating_sub(elapsed),
            Hold::UntilInterrupt => Duration::MAX,
        };
        if left.is_zero() || emit.stopped() {
            return elapsed;
        }
        if told.is_none_or(|told| told.elapsed() >= TELL) {
            told = Some(Instant::now());
            emit.progress(format!("holding {}", bytes_text(bytes)));
        }
        thread::sleep(left.min(LOOK));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_held_for_a_time_or_until_it_is_interrupted() {
        assert_eq!("2s".parse(), Ok(Hold::For(Duration::from_secs(2))));
        assert_eq!("until-interrupt".parse(), Ok(Hold::UntilInterrupt));
        assert!("for ever".parse::<Hold>().is_err());
        assert!("1e300".parse::<Hold>().is_err());
    }
}
