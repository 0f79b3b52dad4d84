//! Memory of a user in pages of the kind that was asked for: which kinds this system has, and which kind and node the
//! memory got.

use std::fs;
use std::io;

use igen_engine::{Failure, FailureKind};
use igen_job::{JobError, Pages};
use igen_kernel::pool::Pool;
use igen_kernel::region::{Region, granule_bytes};
use rustix::process::{Resource, getrlimit};

const TRANSPARENT: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

/// The kind of pages to use: what is asked for, or the best there is. An error where there are none for so many
/// users, each of whom takes so many bytes.
pub(crate) fn checked(asked: Option<Pages>, bytes: u64, users: u32) -> Result<Pages, JobError> {
    let transparent = fs::read_to_string(TRANSPARENT).unwrap_or_default();
    check(asked, (bytes, users), &transparent, Pool::of)
}

/// Memory of at least so many bytes, touched by `touch` and then locked where it shall be: a lock takes all pages, and
/// would take them where this thread runs.
pub(crate) fn taken(
    bytes: u64,
    pages: Pages,
    lock: bool,
    touch: impl FnOnce(&mut Region) -> Result<(), Failure>,
) -> Result<Region, Failure> {
    let whole = bytes.checked_next_multiple_of(granule_bytes(pages));
    let region = whole
        .ok_or_else(|| io::ErrorKind::OutOfMemory.into())
        .and_then(|whole| Region::reserve(whole, pages));
    let mut region = region.map_err(|error| refused(&error))?;
    touch(&mut region)?;
    if lock {
        region.lock().map_err(|error| lock_refused(&error))?;
    }
    Ok(region)
}

fn refused(error: &io::Error) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!("cannot allocate the memory: {error}"),
    )
}

fn lock_refused(error: &io::Error) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!("cannot lock the memory: {error} (see `ulimit -l`)"),
    )
}

/// An error where this process may not lock so many bytes for each of so many users.
pub(crate) fn check_lock(bytes: u64, pages: Pages, users: u32) -> Result<(), JobError> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    if may_lock_all(&status) {
        return Ok(());
    }
    let most = getrlimit(Resource::Memlock).current;
    check_within(most, (bytes, users), pages)
}

fn check_within(
    most: Option<u64>,
    (bytes, users): (u64, u32),
    pages: Pages,
) -> Result<(), JobError> {
    let each = bytes.div_ceil(granule_bytes(pages)) * granule_bytes(pages);
    // Pages of a pool are never swapped out: the kernel looks at the limit for each lock, and does not add them up.
    let counted = if pages.is_pool() { 1 } else { users };
    let needed = each.saturating_mul(counted.into());
    let Some(most) = most.filter(|most| *most < needed) else {
        return Ok(());
    };
    let text = format!(
        "{} KiB ({counted} × {} KiB) must be locked, but this process may lock only {} KiB",
        needed >> 10,
        each >> 10,
        most >> 10
    );
    Err(JobError::at("params.lock", text).hint(format!(
        "run `ulimit -l {}` as root before the agent, use the capability IPC_LOCK, or use fewer bytes or users",
        needed >> 10
    )))
}

/// Returns true if a process has the capability `IPC_LOCK`, which lifts the limit. `status` is its `/proc/self/status`.
fn may_lock_all(status: &str) -> bool {
    const IPC_LOCK: u64 = 1 << 14;
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let bits = line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    bits.is_some_and(|bits| bits & IPC_LOCK != 0)
}

fn check(
    asked: Option<Pages>,
    (bytes, users): (u64, u32),
    transparent: &str,
    pool: impl Fn(Pages) -> Option<Pool>,
) -> Result<Pages, JobError> {
    // The choice in force stands in brackets: `always [madvise] never`.
    let has_transparent = transparent.contains("[always]") || transparent.contains("[madvise]");
    let at = |text: String| JobError::at("params.pages", text);
    match asked {
        None | Some(Pages::Transparent) if has_transparent => Ok(Pages::Transparent),
        None | Some(Pages::Small) => Ok(Pages::Small),
        Some(Pages::Transparent) => Err(at(
            "transparent huge pages are off on this system".to_owned()
        )
        .hint(format!(
            "run `echo madvise > {TRANSPARENT}` as root, or use pages=4k"
        ))),
        Some(pages) => {
            let Some(pool) = pool(pages) else {
                return Err(
                    at("this system does not have this pool of huge pages".to_owned())
                        .hint("use pages=thp or pages=4k"),
                );
            };
            let each = bytes.div_ceil(pool.page_bytes);
            let needed = each.saturating_mul(users.into());
            if pool.free >= needed {
                return Ok(pages);
            }
            let text = format!(
                "{needed} huge pages of {} MiB are needed, but only {} are free",
                pool.page_bytes >> 20,
                pool.free
            );
            let wanted = pool.needed_for(needed.saturating_mul(pool.page_bytes));
            Err(at(text).hint(format!(
                "run `echo {wanted} > {}` as root, or use pages=thp",
                pool.setting.display()
            )))
        }
    }
}

/// What the kernel says of the mapping that holds `address`: how much is in huge pages, and on which
/// NUMA nodes it lies. Neighbouring mappings of the same kind may be one.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Found {
    /// Share of the memory in huge pages, 0 to 1.
    pub(crate) huge: Option<f64>,
    /// Pages by node.
    pub(crate) nodes: Vec<(u32, u64)>,
}

/// Looks `address` up.
pub(crate) fn found_at(address: usize, pages: Pages) -> Found {
    let smaps = fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    let maps = fs::read_to_string("/proc/self/numa_maps").unwrap_or_default();
    Found {
        huge: if pages.is_pool() {
            Some(1.0)
        } else {
            huge_share(&smaps, address)
        },
        nodes: nodes(&maps, address),
    }
}

fn huge_share(smaps: &str, address: usize) -> Option<f64> {
    let mut inside = false;
    let mut resident_kib = 0_u64;
    for line in smaps.lines() {
        let mut words = line.split_whitespace();
        let (name, amount) = (words.next()?, words.next());
        if let Some((start, end)) = name.split_once('-')
            && let (Ok(start), Ok(end)) = (
                usize::from_str_radix(start, 16),
                usize::from_str_radix(end, 16),
            )
        {
            inside = (start..end).contains(&address);
        } else if inside && name == "Rss:" {
            resident_kib = amount?.parse().ok()?;
        } else if inside && name == "AnonHugePages:" {
            let huge_kib: u64 = amount?.parse().ok()?;
            return (resident_kib > 0).then(|| huge_kib as f64 / resident_kib as f64);
        }
    }
    None
}

fn nodes(numa_maps: &str, address: usize) -> Vec<(u32, u64)> {
    let start_of = |line: &str| usize::from_str_radix(line.split(' ').next()?, 16).ok();
    // A line has the start of its mapping; the last one that is not beyond holds the address.
    let mapping = numa_maps
        .lines()
        .rfind(|line| start_of(line).is_some_and(|start| start <= address))
        .unwrap_or_default();
    let pages = |word: &str| {
        let (node, pages) = word.strip_prefix('N')?.split_once('=')?;
        Some((node.parse().ok()?, pages.parse().ok()?))
    };
    mapping.split(' ').filter_map(pages).collect()
}

/// The pages of several users in words: `4k`, `thp (98 % huge)`.
pub(crate) fn in_words(pages: Pages, found: &[Found]) -> String {
    let shares: Vec<f64> = found.iter().filter_map(|found| found.huge).collect();
    if pages != Pages::Transparent || shares.is_empty() {
        return pages.to_string();
    }
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    format!("{pages} ({:.0} % huge)", 100.0 * mean)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const MADVISE: &str = "always [madvise] never\n";

    /// Ten pages of 2 MiB, of which 4 are free.
    fn pool(pages: Pages) -> Option<Pool> {
        pages.is_pool().then(|| Pool {
            page_bytes: 2 << 20,
            pages: 10,
            free: 4,
            setting: "nr_hugepages".into(),
        })
    }

    #[test]
    fn the_best_there_is_unless_asked() {
        let checked = |asked, transparent| check(asked, (4 << 20, 2), transparent, pool).unwrap();
        assert_eq!(checked(None, MADVISE), Pages::Transparent);
        assert_eq!(checked(None, "always madvise [never]"), Pages::Small);
        assert_eq!(checked(None, ""), Pages::Small);
        assert_eq!(checked(Some(Pages::Hugetlb), ""), Pages::Hugetlb);
    }

    #[test]
    fn pages_that_are_not_there_are_refused_with_what_to_do() {
        let refused = |asked, pool: fn(Pages) -> Option<Pool>| {
            let error = check(Some(asked), (3 << 20, 3), "always madvise [never]", pool);
            let error = error.unwrap_err();
            assert_eq!(error.path, "params.pages");
            format!("{}: {}", error.text, error.hint)
        };
        // Each user has pages of its own.
        let text = refused(Pages::Pool2m, pool);
        assert!(
            text.contains("6 huge pages of 2 MiB are needed, but only 4 are free"),
            "{text}"
        );
        assert!(text.contains("echo 12 > nr_hugepages"), "{text}");
        assert!(refused(Pages::Hugetlb, |_| None).contains("not have this pool"));
        assert!(refused(Pages::Transparent, pool).contains("madvise"));
    }

    #[test]
    fn memory_is_taken_in_whole_pages() {
        let mut region = taken(3 << 20, Pages::Transparent, false, |_| Ok(())).unwrap();
        assert_eq!(region.slice::<u8>().len(), 4 << 20);
        let refused = taken(u64::MAX, Pages::Small, false, |_| Ok(()));
        let reason = refused.err().unwrap().reason.text;
        assert!(reason.contains("cannot allocate the memory"), "{reason}");
    }

    /// Pages that this thread has been given when it touched them.
    fn faults() -> u64 {
        let own = fs::read_to_string("/proc/thread-self/stat").unwrap();
        let fields = own.rsplit(") ").next().unwrap().split(' ');
        fields.into_iter().nth(7).unwrap().parse().unwrap()
    }

    #[test]
    fn whoever_touches_memory_first_gets_it_also_where_it_is_locked() {
        let mut touched = 0;
        let mut region = taken(1 << 20, Pages::Small, true, |region| {
            let before = faults();
            region.slice::<u8>().fill(7);
            touched = faults() - before;
            Ok(())
        })
        .unwrap();
        assert!(touched > 0, "the lock has taken its pages before");
        assert!(region.slice::<u8>().iter().all(|byte| *byte == 7));
    }

    #[test]
    fn a_lock_beyond_the_limit_is_refused_before_the_load() {
        let mib = 1 << 20;
        for (most, users, pages, refused) in [
            (None, 9, Pages::Small, false),
            (Some(8 * mib), 2, Pages::Small, false),
            (Some(8 * mib - 1), 2, Pages::Small, true),
            (Some(8 * mib), 3, Pages::Transparent, true),
            // These are not added up.
            (Some(8 * mib), 3, Pages::Hugetlb, false),
            (Some(mib), 1, Pages::Hugetlb, true),
        ] {
            let found = check_within(most, (4 * mib, users), pages);
            assert_eq!(found.is_err(), refused, "{most:?} {users} {pages}");
        }
        let error = check_within(Some(mib), (4 * mib - 1, 3), Pages::Small).unwrap_err();
        assert_eq!(error.path, "params.lock");
        let text =
            "12288 KiB (3 × 4096 KiB) must be locked, but this process may lock only 1024 KiB";
        assert_eq!(error.text, text);
        assert!(error.hint.contains("`ulimit -l 12288`"), "{error}");
    }

    #[test]
    fn the_limit_is_not_for_whoever_has_the_capability() {
        assert!(may_lock_all("Name:\tigen\nCapEff:\t000001ffffffffff\n"));
        assert!(may_lock_all("CapEff:\t0000000000004000\n"));
        assert!(!may_lock_all("CapEff:\t0000000000003fff\n"));
        assert!(!may_lock_all(""));
    }

    #[test]
    fn a_lock_that_is_refused_is_no_memory_that_is_refused() {
        let reason = lock_refused(&io::ErrorKind::OutOfMemory.into()).reason.text;
        assert!(reason.contains("cannot lock the memory"), "{reason}");
        assert!(!reason.contains("cannot allocate"), "{reason}");
    }

    #[test]
    fn what_the_kernel_says_of_a_mapping() {
        let smaps = "1000-2000 rw-p 0 00:00 0\nRss: 4 kB\nAnonHugePages: 0 kB\n\
                     7f0000-8f0000 rw-p 0 00:00 0\nRss: 1000 kB\nAnonHugePages: 750 kB\n";
        assert_eq!(huge_share(smaps, 0x7f_0000), Some(0.75));
        assert_eq!(huge_share(smaps, 0x9f_0000), None);
        let maps = "1000 default anon=1 N0=1 kernelpagesize_kB=4\n\
                    7f0000 default anon=512 dirty=512 N0=100 N1=412 kernelpagesize_kB=4\n";
        assert_eq!(nodes(maps, 0x80_0000), [(0, 100), (1, 412)]);
        assert_eq!(nodes("", 0x80_0000), []);
    }

    #[test]
    fn the_share_of_huge_pages_is_told() {
        let found = Found {
            huge: Some(0.5),
            nodes: Vec::new(),
        };
        assert_eq!(
            in_words(Pages::Transparent, std::slice::from_ref(&found)),
            "thp (50 % huge)"
        );
        assert_eq!(in_words(Pages::Small, &[found]), "4k");
    }
}
