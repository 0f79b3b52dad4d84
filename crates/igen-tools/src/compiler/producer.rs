//! What the debug information says of the compiler: `DW_AT_producer` of each unit.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;

use gimli::{DwarfSections, EndianSlice, RunTimeEndian, SectionId};
use object::Object;

use super::elf::{Elf, section};

/// Units that are read: the largest programs have some ten thousand, and these say enough.
const MOST_UNITS: usize = 3000;
const DEBUG_FILES: &str = "/usr/lib/debug/.build-id";

/// The producers of its units and how many units each has made, the most frequent first; and whose file said so.
pub(super) fn producers(elf: &Elf) -> (Vec<(String, usize)>, &'static str) {
    let own = in_file(elf);
    if !own.is_empty() {
        return (own, "debug information");
    }
    let apart = debug_file(elf).and_then(|path| fs::read(path).ok());
    let producers = apart.and_then(|data| Some(in_file(&Elf::parse(&*data).ok()?)));
    (
        producers.unwrap_or_default(),
        "debug information in a separate file",
    )
}

/// Where distributions put the debug information of a program, by its build id.
fn debug_file(elf: &Elf) -> Option<String> {
    let id = elf.build_id().ok()??;
    let (first, rest) = id.split_first()?;
    let rest: Vec<String> = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    let rest = rest.concat();
    Some(format!("{DEBUG_FILES}/{first:02x}/{rest}.debug"))
}

fn in_file(elf: &Elf) -> Vec<(String, usize)> {
    let load = |id: SectionId| Ok::<Cow<[u8]>, gimli::Error>(section(elf, id.name()));
    let Ok(sections) = DwarfSections::load(load) else {
        return Vec::new();
    };
    let endian = if elf.is_little_endian() {
        RunTimeEndian::Little
    } else {
        RunTimeEndian::Big
    };
    let dwarf = sections.borrow(|data| EndianSlice::new(data, endian));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut units = dwarf.units();
    for _ in 0..MOST_UNITS {
        // What is damaged ends the look: the units before it have said something.
        let Ok(Some(header)) = units.next() else {
            break;
        };
        let Ok(unit) = dwarf.unit(header) else {
            continue;
        };
        let mut entries = unit.entries();
        let Ok(Some(root)) = entries.next_dfs() else {
            continue;
        };
        let Some(value) = root.attr_value(gimli::DW_AT_producer) else {
            continue;
        };
        if let Ok(text) = dwarf.attr_string(&unit, value) {
            let text: String = text
                .to_string_lossy()
                .chars()
                .filter(|one| !one.is_control())
                .collect();
            *counts.entry(text).or_default() += 1;
        }
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// A flag of the command line that a producer tells: the last one counts, as for the compiler.
pub(super) fn flag<'a>(producer: &'a str, begins: &str) -> Option<&'a str> {
    let flags = producer.split_ascii_whitespace();
    flags.rev().find(|flag| flag.starts_with(begins))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_flag_counts() {
        let producer = "GNU C17 12.2.0 -march=x86-64 -O2 -march=x86-64-v3 -g -O3 -fPIC";
        assert_eq!(flag(producer, "-O"), Some("-O3"));
        assert_eq!(flag(producer, "-march="), Some("-march=x86-64-v3"));
        assert_eq!(flag(producer, "-mcpu="), None);
    }
}
