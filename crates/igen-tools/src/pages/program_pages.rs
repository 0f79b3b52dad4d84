//! Pages of executable files that processes have mapped: programs and libraries.
//!
//! `/proc/<pid>/maps` says which files are mapped to be executed, `/proc/<pid>/pagemap` at which physical pages all of
//! their mappings are (for root; Documentation/admin-guide/mm/pagemap.rst).

use std::collections::HashSet;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use rustix::param::page_size;

/// Pages of the largest stretch that is looked at: no program is so large, and the buffer stays small.
const LARGEST: usize = 1 << 18;
const PRESENT: u64 = 1 << 63;
const FILE_OR_SHARED: u64 = 1 << 61;
const FRAME: u64 = (1 << 55) - 1;

/// Physical pages, a bit for each.
#[derive(Debug, Default)]
pub(super) struct PageSet(Vec<u64>);

impl PageSet {
    pub(super) fn add(&mut self, page: u64) {
        let word = usize::try_from(page / 64).unwrap_or(usize::MAX);
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (page % 64);
    }

    pub(super) fn holds(&self, page: u64) -> bool {
        let word = usize::try_from(page / 64)
            .ok()
            .and_then(|word| self.0.get(word));
        word.is_some_and(|word| word & (1 << (page % 64)) != 0)
    }
}

/// The pages of executable files of all processes that can be looked at.
pub(super) fn program_pages() -> PageSet {
    let mut pages = PageSet::default();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let Ok(maps) = fs::read_to_string(format!("/proc/{pid}/maps")) else {
            continue; // It ended meanwhile, or it is another user's.
        };
        let Ok(pagemap) = File::open(format!("/proc/{pid}/pagemap")) else {
            continue;
        };
        for mapping in executable_files(&maps) {
            for page in present_pages(&pagemap, &mapping) {
                pages.add(page);
            }
        }
    }
    pages
}

/// A mapped stretch of a file.
#[derive(Debug, PartialEq, Eq)]
struct Mapping<'a> {
    start: u64,
    end: u64,
    /// Device and inode.
    file: (&'a str, &'a str),
}

impl Mapping<'_> {
    fn pages(&self) -> usize {
        usize::try_from((self.end - self.start) / page_size() as u64).unwrap_or(usize::MAX)
    }
}

/// All mappings of the files of which one mapping is executable.
fn executable_files(maps: &str) -> Vec<Mapping<'_>> {
    let mappings: Vec<(bool, Mapping)> = maps.lines().filter_map(mapping).collect();
    let files: HashSet<(&str, &str)> = mappings
        .iter()
        .filter(|(executable, _)| *executable)
        .map(|(_, mapping)| mapping.file)
        .collect();
    mappings
        .into_iter()
        .map(|(_, mapping)| mapping)
        .filter(|mapping| files.contains(&mapping.file) && mapping.pages() <= LARGEST)
        .collect()
}

fn mapping(line: &str) -> Option<(bool, Mapping<'_>)> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let rights = words.next()?;
    let (_offset, device, inode) = (words.next()?, words.next()?, words.next()?);
    let number = |text| u64::from_str_radix(text, 16).ok();
    (inode != "0").then_some((
        rights.contains('x'),
        Mapping {
            start: number(start)?,
            end: number(end)?,
            file: (device, inode),
        },
    ))
}

/// Physical pages of the mapping that are in memory and are the file's: not copies that the process has changed.
fn present_pages(pagemap: &File, mapping: &Mapping) -> Vec<u64> {
    let mut buffer = vec![0; 8 * mapping.pages()];
    let offset = mapping.start / page_size() as u64 * 8;
    let length = pagemap.read_at(&mut buffer, offset).unwrap_or(0);
    let entries = buffer[..length].as_chunks().0.iter();
    entries
        .map(|entry| u64::from_ne_bytes(*entry))
        .filter(|entry| entry & PRESENT != 0 && entry & FILE_OR_SHARED != 0)
        .map(|entry| entry & FRAME)
        .filter(|frame| *frame != 0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_an_executable_mapping_count_with_all_their_mappings() {
        let maps = "\
1000-2000 r--p 00000000 fe:00 7 /usr/bin/cat
2000-4000 r-xp 00001000 fe:00 7 /usr/bin/cat
5000-6000 r--s 00000000 fe:00 9 /usr/lib/locale/locale-archive
7000-8000 rw-p 00000000 00:00 0 [heap]
8000-9000 r-xp 00000000 00:00 0 [vdso]
";
        let found = executable_files(maps);
        let places: Vec<(u64, u64)> = found.iter().map(|one| (one.start, one.end)).collect();
        assert_eq!(places, [(0x1000, 0x2000), (0x2000, 0x4000)]);
    }

    #[test]
    fn a_set_holds_what_was_added() {
        let mut set = PageSet::default();
        set.add(3);
        set.add(64 * 5 + 63);
        assert!(set.holds(3) && set.holds(64 * 5 + 63));
        assert!(!set.holds(4) && !set.holds(0) && !set.holds(1 << 40));
    }
}
