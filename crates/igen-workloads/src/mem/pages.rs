//! Which kinds of pages this system has, and which kind and node the memory got.

use std::fs;

use igen_job::JobError;

use super::params::{Pages, word};

const TRANSPARENT: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

/// The kind of pages to use: what is asked for, or the best there is. An error where there are none.
pub(super) fn checked(asked: Option<Pages>, needed_bytes: u64) -> Result<Pages, JobError> {
    let transparent = fs::read_to_string(TRANSPARENT).unwrap_or_default();
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    check(asked, needed_bytes, &transparent, &meminfo)
}

fn check(
    asked: Option<Pages>,
    needed_bytes: u64,
    transparent: &str,
    meminfo: &str,
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
        Some(Pages::Hugetlb) => {
            let page_bytes = field(meminfo, "Hugepagesize:").unwrap_or(0) * 1024;
            if page_bytes == 0 {
                return Err(at("this system has no pool of huge pages".to_owned())
                    .hint("use pages=thp or pages=4k"));
            }
            let needed = needed_bytes.div_ceil(page_bytes);
            let free = field(meminfo, "HugePages_Free:").unwrap_or(0);
            if free >= needed {
                return Ok(Pages::Hugetlb);
            }
            let mib = page_bytes >> 20;
            let total = field(meminfo, "HugePages_Total:").unwrap_or(0);
            Err(at(format!(
                "{needed} huge pages of {mib} MiB are needed and {free} are free"
            ))
            .hint(format!(
                "`sysctl vm.nr_hugepages={}` as root, or use pages=thp",
                total + needed - free
            )))
        }
    }
}

/// The number after `name` in a file of lines `name number …`.
fn field(text: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().map(str::split_whitespace);
    lines.find_map(|mut words| (words.next()? == name).then(|| words.next()?.parse().ok())?)
}

/// What the kernel says of the mapping that holds `address`: how much is in huge pages, and on which
/// NUMA nodes it lies. Neighbouring mappings of the same kind may be one.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Found {
    /// Share of the memory in huge pages, 0 to 1.
    pub(super) huge: Option<f64>,
    /// Pages by node.
    pub(super) nodes: Vec<(u32, u64)>,
}

/// Looks `address` up.
pub(super) fn found_at(address: usize, pages: Pages) -> Found {
    let smaps = fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    let maps = fs::read_to_string("/proc/self/numa_maps").unwrap_or_default();
    Found {
        huge: match pages {
            Pages::Hugetlb => Some(1.0),
            _ => huge_share(&smaps, address),
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
pub(super) fn in_words(pages: Pages, found: &[Found]) -> String {
    let shares: Vec<f64> = found.iter().filter_map(|found| found.huge).collect();
    if pages != Pages::Transparent || shares.is_empty() {
        return word(pages);
    }
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    format!("{} ({:.0} % huge)", word(pages), 100.0 * mean)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const MEMINFO: &str = "HugePages_Total:  10\nHugePages_Free:  4\nHugepagesize:  2048 kB\n";
    const MADVISE: &str = "always [madvise] never\n";

    #[test]
    fn the_best_there_is_unless_asked() {
        let checked = |asked, transparent| check(asked, 8 << 20, transparent, MEMINFO).unwrap();
        assert_eq!(checked(None, MADVISE), Pages::Transparent);
        assert_eq!(checked(None, "always madvise [never]"), Pages::Small);
        assert_eq!(checked(None, ""), Pages::Small);
        assert_eq!(checked(Some(Pages::Hugetlb), ""), Pages::Hugetlb);
    }

    #[test]
    fn pages_that_are_not_there_are_refused_with_what_to_do() {
        let refused = |asked, meminfo| {
            let error = check(Some(asked), 12 << 20, "always madvise [never]", meminfo);
            let error = error.unwrap_err();
            assert_eq!(error.path, "params.pages");
            format!("{}: {}", error.text, error.hint)
        };
        let text = refused(Pages::Hugetlb, MEMINFO);
        assert!(
            text.contains("6 huge pages of 2 MiB are needed and 4 are free"),
            "{text}"
        );
        assert!(text.contains("nr_hugepages=12"), "{text}");
        assert!(refused(Pages::Hugetlb, "").contains("no pool"));
        assert!(refused(Pages::Transparent, MEMINFO).contains("madvise"));
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
