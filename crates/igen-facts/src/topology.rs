//! How the processors share cores, sockets and caches.

use std::collections::HashSet;

use igen_job::facts;
use serde_json::Value;

use crate::fact_list::{FactList, distinct};
use crate::tree::Tree;

const SYSTEM: &str = "sys/devices/system/cpu";

/// Processors that share something: a core, a socket, a cache.
struct Group {
    /// Its first processor.
    first: u32,
    processors: usize,
}

/// See the head of this file. A part is empty where the kernel does not tell it.
pub(crate) struct Topology {
    processors: usize,
    cores: Vec<Group>,
    sockets: Vec<Group>,
    caches: Vec<Cache>,
}

/// All caches of one level and type.
struct Cache {
    /// Such as `l1_data`.
    level: String,
    /// Size of each: the value they share or the different ones.
    bytes: Option<Value>,
    instances: usize,
}

impl Topology {
    pub(crate) fn read(tree: &Tree) -> Self {
        let online = tree.text(&format!("{SYSTEM}/online")).unwrap_or_default();
        let online = members(&online);
        let caches = tree.names(&format!("{SYSTEM}/cpu0/cache"));
        let caches = caches.iter().filter(|name| name.starts_with("index"));
        Self {
            processors: online.len(),
            cores: groups(tree, &online, "topology/thread_siblings_list"),
            sockets: groups(tree, &online, "topology/core_siblings_list"),
            caches: caches
                .filter_map(|index| cache(tree, &online, index))
                .collect(),
        }
    }

    pub(crate) fn add_to(&self, list: &mut FactList) {
        let count = |number: usize| (number > 0).then_some(number);
        list.add(&facts::CPU_PROCESSORS, count(self.processors));
        list.add(&facts::CPU_CORES, count(self.cores.len()));
        list.add(&facts::CPU_SOCKETS, count(self.sockets.len()));
        let threads = self.cores.iter().map(|core| core.processors);
        list.add(&facts::CPU_THREADS_PER_CORE, distinct(threads));
        for Cache {
            level,
            bytes,
            instances,
        } in &self.caches
        {
            list.add_of(&facts::CPU_CACHE_BYTES, level, bytes.clone());
            list.add_of(&facts::CPU_CACHES, level, count(*instances));
        }
    }
}

fn cache(tree: &Tree, online: &[u32], index: &str) -> Option<Cache> {
    let number = tree.number(&format!("{SYSTEM}/cpu0/cache/{index}/level"))?;
    let level = match &*tree.text(&format!("{SYSTEM}/cpu0/cache/{index}/type"))? {
        "Unified" => format!("l{number}"),
        kind => format!("l{number}_{}", kind.to_lowercase()),
    };
    let instances = groups(tree, online, &format!("cache/{index}/shared_cpu_list"));
    let sizes = instances.iter().filter_map(|group| {
        size_bytes(&tree.text(&format!("{SYSTEM}/cpu{}/cache/{index}/size", group.first))?)
    });
    Some(Cache {
        level,
        bytes: distinct(sizes),
        instances: instances.len(),
    })
}

/// The groups that `file` of each processor lists; a group's file is read once, not for each member.
fn groups(tree: &Tree, online: &[u32], file: &str) -> Vec<Group> {
    let mut grouped = HashSet::new();
    let mut groups = Vec::new();
    for processor in online {
        if grouped.contains(processor) {
            continue;
        }
        let Some(text) = tree.text(&format!("{SYSTEM}/cpu{processor}/{file}")) else {
            continue;
        };
        let processors = members(&text);
        groups.push(Group {
            first: *processor,
            processors: processors.len(),
        });
        grouped.extend(processors);
    }
    groups
}

/// The members of a list such as `0-3,8,10-11`, as far as it is one.
pub(crate) fn members(list: &str) -> Vec<u32> {
    list.split(',')
        .filter_map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
        })
        .flatten()
        .collect()
}

/// A size such as `48K` or `2M`.
fn size_bytes(text: &str) -> Option<u64> {
    let (number, unit) = match text.strip_suffix('K') {
        Some(number) => (number, 1 << 10),
        None => (text.strip_suffix('M')?, 1 << 20),
    };
    Some(number.parse::<u64>().ok()? * unit)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fact_list::tests::object;
    use crate::tree::tests::Fake;

    fn facts(files: &[(&str, &str)]) -> Value {
        let files: Vec<(String, &str)> = files
            .iter()
            .map(|(path, text)| (format!("{SYSTEM}/{path}"), *text))
            .collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
        let mut list = FactList::default();
        Topology::read(&Fake::new(&files).tree).add_to(&mut list);
        object(list.into_facts())
    }

    #[test]
    fn lists_of_processors() {
        assert_eq!(members("0-3,8,10-11"), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(members("0"), [0]);
        assert!(members("").is_empty() && members("a-b").is_empty() && members("3-1").is_empty());
    }

    #[test]
    fn sizes_of_caches() {
        assert_eq!(size_bytes("48K"), Some(49152));
        assert_eq!(size_bytes("2M"), Some(2_097_152));
        assert_eq!(size_bytes("48"), None);
    }

    #[test]
    fn one_core_with_two_threads_and_one_with_a_single_thread() {
        let topology = facts(&[
            ("online", "0-2\n"),
            ("cpu0/topology/thread_siblings_list", "0-1\n"),
            ("cpu1/topology/thread_siblings_list", "0-1\n"),
            ("cpu2/topology/thread_siblings_list", "2\n"),
            ("cpu0/topology/core_siblings_list", "0-2\n"),
            ("cpu0/cache/index0/level", "1\n"),
            ("cpu0/cache/index0/type", "Data\n"),
            ("cpu0/cache/index0/size", "48K\n"),
            ("cpu0/cache/index0/shared_cpu_list", "0-1\n"),
            ("cpu2/cache/index0/size", "32K\n"),
            ("cpu2/cache/index0/shared_cpu_list", "2\n"),
            ("cpu0/cache/index3/level", "3\n"),
            ("cpu0/cache/index3/type", "Unified\n"),
            ("cpu0/cache/index3/size", "8192K\n"),
            ("cpu0/cache/index3/shared_cpu_list", "0-2\n"),
        ]);
        let expected = json!({
            "cpu.processors": 3,
            "cpu.cores": 2,
            "cpu.sockets": 1,
            "cpu.threads_per_core": [2, 1],
            "cpu.l1_data_cache_bytes": [49152, 32768],
            "cpu.l1_data_caches": 2,
            "cpu.l3_cache_bytes": 8_388_608,
            "cpu.l3_caches": 1,
        });
        assert_eq!(topology, expected);
    }

    #[test]
    fn a_kernel_without_topology_has_processors_only() {
        assert_eq!(facts(&[("online", "0-7\n")]), json!({"cpu.processors": 8}));
        assert_eq!(facts(&[]), json!({}));
    }
}
