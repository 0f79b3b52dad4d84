//! Memory of a user in pages of the kind that was asked for: which kinds this system has, and which kind and node the
//! memory got.

use std::fs;
use std::io;

use igen_job::{JobError, Pages};
use igen_kernel::pool::Pool;
use igen_kernel::region::{Region, granule_bytes};

const TRANSPARENT: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

/// The kind of pages to use: what is asked for, or the best there is. An error where there are none for so many
/// users, each of whom takes so many bytes.
pub(crate) fn checked(asked: Option<Pages>, bytes: u64, users: u32) -> Result<Pages, JobError> {
    let transparent = fs::read_to_string(TRANSPARENT).unwrap_or_default();
    check(asked, (bytes, users), &transparent, Pool::of)
}

/// Memory of at least so many bytes, locked where it shall be.
pub(crate) fn taken(bytes: u64, pages: Pages, lock: bool) -> io::Result<Region> {
    let whole = bytes.checked_next_multiple_of(granule_bytes(pages));
    let region = Region::reserve(whole.ok_or(io::ErrorKind::OutOfMemory)?, pages)?;
    if lock {
        region.lock()?;
    }
    Ok(region)
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
            "this system gives no transparent huge pages".to_owned()
        )
        .hint(format!(
            "`echo madvise > {TRANSPARENT}` as root, or use pages=4k"
        ))),
        Some(pages) => {
            let Some(pool) = pool(pages) else {
                return Err(at("this system has no such pool of huge pages".to_owned())
                    .hint("use pages=thp or pages=4k"));
            };
            let each = bytes.div_ceil(pool.page_bytes);
            let needed = each.saturating_mul(users.into());
            if pool.free >= needed {
                return Ok(pages);
            }
            let text = format!(
                "{needed} huge pages of {} MiB are needed and {} are free",
                pool.page_bytes >> 20,
                pool.free
            );
            let wanted = pool.needed_for(needed.saturating_mul(pool.page_bytes));
            Err(at(text).hint(format!(
                "`echo {wanted} > {}` as root, or use pages=thp",
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
            text.contains("6 huge pages of 2 MiB are needed and 4 are free"),
            "{text}"
        );
        assert!(text.contains("echo 12 > nr_hugepages"), "{text}");
        assert!(refused(Pages::Hugetlb, |_| None).contains("no such pool"));
        assert!(refused(Pages::Transparent, pool).contains("madvise"));
    }

    #[test]
    fn memory_is_taken_in_whole_pages() {
        let mut region = taken(3 << 20, Pages::Transparent, false).unwrap();
        assert_eq!(region.slice::<u8>().len(), 4 << 20);
        assert!(taken(u64::MAX, Pages::Small, false).is_err());
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
