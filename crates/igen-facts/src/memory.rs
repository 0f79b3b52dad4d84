//! Facts about memory and the kernel's settings for it.
//!
//! REQUIREMENTS: none.
//! OVERHEAD: 0.1 ms, 10 µs for each NUMA node.

use igen_engine::FactSource;
use igen_job::Fact;
use igen_job::facts;

use crate::fact_list::FactList;
use crate::tree::Tree;

pub(crate) struct Memory;

impl FactSource for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn facts(&self) -> Vec<Fact> {
        facts(&Tree::host())
    }
}

fn facts(tree: &Tree) -> Vec<Fact> {
    let mut list = FactList::default();
    let meminfo = tree.text("proc/meminfo").unwrap_or_default();
    list.add(&facts::MEMORY_TOTAL_BYTES, bytes(&meminfo, "MemTotal:"));
    list.add(
        &facts::MEMORY_SWAP_TOTAL_BYTES,
        bytes(&meminfo, "SwapTotal:"),
    );
    list.add(
        &facts::MEMORY_HUGE_PAGE_BYTES,
        bytes(&meminfo, "Hugepagesize:"),
    );
    list.add(
        &facts::MEMORY_HUGE_PAGES,
        tree.number("proc/sys/vm/nr_hugepages"),
    );
    let transparent = "sys/kernel/mm/transparent_hugepage";
    list.add(
        &facts::MEMORY_TRANSPARENT_HUGE_PAGES,
        tree.choice(&format!("{transparent}/enabled")),
    );
    list.add(
        &facts::MEMORY_TRANSPARENT_HUGE_PAGES_DEFRAG,
        tree.choice(&format!("{transparent}/defrag")),
    );
    list.add(
        &facts::MEMORY_OVERCOMMIT,
        tree.text("proc/sys/vm/overcommit_memory").map(overcommit),
    );
    list.add(
        &facts::MEMORY_SWAPPINESS,
        tree.number("proc/sys/vm/swappiness"),
    );
    list.add(
        &facts::MEMORY_NUMA_BALANCING,
        tree.switch("proc/sys/kernel/numa_balancing"),
    );
    // Of each pair one is set and the other says 0.
    for (fact, file) in [
        (&facts::MEMORY_DIRTY_PERCENT, "dirty_ratio"),
        (&facts::MEMORY_DIRTY_BYTES, "dirty_bytes"),
        (
            &facts::MEMORY_DIRTY_BACKGROUND_PERCENT,
            "dirty_background_ratio",
        ),
        (
            &facts::MEMORY_DIRTY_BACKGROUND_BYTES,
            "dirty_background_bytes",
        ),
    ] {
        let value = tree.number(&format!("proc/sys/vm/{file}"));
        list.add(fact, value.filter(|value| *value > 0));
    }
    let nodes: Vec<u64> = tree
        .names("sys/devices/system/node")
        .iter()
        .filter_map(|node| tree.text(&format!("sys/devices/system/node/{node}/meminfo")))
        .filter_map(|text| bytes(&text, "MemTotal:"))
        .collect();
    list.add(
        &facts::MEMORY_NUMA_NODES_BYTES,
        (!nodes.is_empty()).then_some(nodes),
    );
    list.into_facts()
}

/// The amount in the line that holds `key`: `MemTotal: 5 kB` or `Node 0 MemTotal: 5 kB`.
fn bytes(text: &str, key: &str) -> Option<u64> {
    let mut words = text
        .lines()
        .find(|line| line.contains(key))?
        .split_ascii_whitespace();
    let kibibytes: u64 = words
        .by_ref()
        .skip_while(|word| *word != key)
        .nth(1)?
        .parse()
        .ok()?;
    Some(kibibytes * 1024)
}

/// The modes of the kernel's Documentation/mm/overcommit-accounting.rst.
fn overcommit(mode: String) -> String {
    match &*mode {
        "0" => "heuristic".to_owned(),
        "1" => "always".to_owned(),
        "2" => "never".to_owned(),
        _ => mode,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fact_list::tests::object;
    use crate::tree::tests::Fake;

    #[test]
    fn sizes_and_settings() {
        let fake = Fake::new(&[
            (
                "proc/meminfo",
                "MemTotal:       24684084 kB\nSwapTotal:             0 kB\nHugepagesize:       2048 kB\n",
            ),
            ("proc/sys/vm/nr_hugepages", "0\n"),
            ("proc/sys/vm/overcommit_memory", "2\n"),
            ("proc/sys/vm/swappiness", "60\n"),
            ("proc/sys/vm/dirty_ratio", "0\n"),
            ("proc/sys/vm/dirty_bytes", "1048576\n"),
            ("proc/sys/vm/dirty_background_ratio", "10\n"),
            ("proc/sys/vm/dirty_background_bytes", "0\n"),
            ("proc/sys/kernel/numa_balancing", "1\n"),
            (
                "sys/kernel/mm/transparent_hugepage/enabled",
                "always [madvise] never\n",
            ),
            (
                "sys/devices/system/node/node0/meminfo",
                "Node 0 MemTotal:  1024 kB\nNode 0 MemFree: 5 kB\n",
            ),
            (
                "sys/devices/system/node/node1/meminfo",
                "Node 1 MemTotal:  2048 kB\n",
            ),
        ]);
        assert_eq!(
            object(facts(&fake.tree)),
            json!({
                "memory.total_bytes": 25_276_502_016_u64,
                "memory.swap_total_bytes": 0,
                "memory.huge_page_bytes": 2_097_152,
                "memory.huge_pages": 0,
                "memory.transparent_huge_pages": "madvise",
                "memory.overcommit": "never",
                "memory.swappiness": 60,
                "memory.numa_balancing": true,
                "memory.dirty_bytes": 1_048_576,
                "memory.dirty_background_percent": 10,
                "memory.numa_nodes_bytes": [1_048_576, 2_097_152],
            })
        );
    }

    #[test]
    fn cut_texts_give_no_facts() {
        assert_eq!(bytes("MemTotal:", "MemTotal:"), None);
        assert_eq!(bytes("MemTotal:  x kB", "MemTotal:"), None);
        assert_eq!(facts(&Fake::new(&[("proc/meminfo", "Mem")]).tree), []);
    }
}
