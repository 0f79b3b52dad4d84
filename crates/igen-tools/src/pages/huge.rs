//! Pools of huge pages, and nodes of memory.

use std::fs;

use igen_job::tool::Table;
use serde_json::{Value, json};

use crate::meminfo::Meminfo;
use igen_kernel::buddy::Buddy;

const POOLS: &str = "/sys/kernel/mm/hugepages";
const NODES: &str = "/sys/devices/system/node";
const MIB: u64 = 1 << 20;

/// The pools of huge pages, a row for each size.
pub(super) fn pools() -> Table {
    let columns = ["size_bytes", "pages", "free", "reserved", "beyond_the_pool"];
    let mut table = Table::new("huge_pages", "Pools of huge pages", &columns);
    let mut sizes = numbered(POOLS, "hugepages-", "kB");
    sizes.sort_unstable();
    for size in sizes {
        let count = |what: &str| count(&format!("{POOLS}/hugepages-{size}kB/{what}"));
        table.row([
            json!(1024 * size),
            count("nr_hugepages"),
            count("free_hugepages"),
            count("resv_hugepages"),
            count("surplus_hugepages"),
        ]);
    }
    table
}

/// The nodes of memory, a row for each.
pub(super) fn nodes(buddy: &Buddy) -> Table {
    let columns = ["node", "total_bytes", "free_bytes", "free_large_pages"];
    let mut table = Table::new("nodes", "Nodes of memory", &columns);
    let mut nodes = numbered(NODES, "node", "");
    nodes.sort_unstable();
    for node in nodes {
        let text = fs::read_to_string(format!("{NODES}/node{node}/meminfo")).unwrap_or_default();
        // As in /proc/meminfo, each line behind `Node 0`.
        let lines: Vec<&str> = text
            .lines()
            .filter_map(|line| line.splitn(3, ' ').nth(2))
            .collect();
        let meminfo = Meminfo::parse(&lines.join("\n"));
        let large = u32::try_from(node).map(|node| buddy.pages_of(2 * MIB, Some(node)));
        table.row([
            json!(node),
            json!(meminfo.find("MemTotal")),
            json!(meminfo.find("MemFree")),
            json!(large.ok()),
        ]);
    }
    table
}

/// How transparent huge pages are given: the word in brackets.
pub(super) fn transparent() -> Option<String> {
    let text = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok()?;
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

fn count(path: &str) -> Value {
    let number = fs::read_to_string(path).ok();
    json!(number.and_then(|text| text.trim().parse::<u64>().ok()))
}

/// The numbers in the names of a folder's entries.
fn numbered(folder: &str, before: &str, after: &str) -> Vec<u64> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let name = entry.file_name();
            let number = name.to_str()?.strip_prefix(before)?.strip_suffix(after)?;
            number.parse().ok()
        })
        .collect()
}
