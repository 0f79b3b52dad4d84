//! How the processors share cores, clusters, sockets and caches.

use std::collections::HashSet;

use igen_job::facts;
use serde_json::Value;

use crate::fact_list::{FactList, distinct};
use crate::tree::Tree;

const SYSTEM: &str = "sys/devices/system/cpu";
/// A table of the firmware about sockets, clusters and cores; kernels for Arm know sockets by it.
const FIRMWARE_TABLE: &str = "sys/firmware/acpi/tables/PPTT";
/// The kernel shows -1, or the same in 16 bits, for a cluster that it does not know.
const NO_CLUSTER: [&str; 2] = ["-1", "65535"];

/// Processors that share something: a core, a socket, a cache.
struct Group {
    /// Its first processor.
    first: u32,
    processors: usize,
}

/// See the head of this file. A part is empty, and a number 0, if the kernel does not report it.
pub(crate) struct Topology {
    processors: usize,
    cores: Vec<Group>,
    clusters: usize,
    sockets: usize,
    caches: Vec<Cache>,
}

/// All caches of one level and type.
#[derive(Default)]
struct Cache {
    /// Such as `l1_data`.
    level: String,
    /// Size of each one with a known size.
    bytes: Vec<u64>,
    instances: usize,
}

impl Topology {
    /// Reads the files of all processors. `is_arm`: they are Arm processors.
    pub(crate) fn read(tree: &Tree, is_arm: bool) -> Self {
        let online = tree.text(&format!("{SYSTEM}/online")).unwrap_or_default();
        let online = members(&online);
        let cores = groups(tree, &online, "topology/thread_siblings");
        let packages = groups(tree, &online, "topology/core_siblings").len();
        let knows_clusters = online.iter().any(|processor| {
            let id = tree.text(&format!("{SYSTEM}/cpu{processor}/topology/cluster_id"));
            id.is_some_and(|id| !NO_CLUSTER.contains(&&*id))
        });
        let (clusters, sockets) = if knows_clusters {
            (
                groups(tree, &online, "topology/cluster_cpus").len(),
                packages,
            )
        } else if is_arm && !tree.has(FIRMWARE_TABLE) {
            // Packages are clusters to this kernel. A socket has memory of its own.
            (packages, packages.min(nodes(tree).unwrap_or(1)))
        } else {
            (0, packages)
        };
        Self {
            processors: online.len(),
            caches: caches(tree, &online, &cores),
            cores,
            clusters,
            sockets,
        }
    }

    pub(crate) fn add_to(&self, list: &mut FactList) {
        let count = |number: usize| (number > 0).then_some(number);
        list.add(&facts::CPU_PROCESSORS, count(self.processors));
        list.add(&facts::CPU_CORES, count(self.cores.len()));
        // A cluster of one core, or of a whole socket, is nothing of its own.
        let clusters = self.sockets + 1..self.cores.len();
        let clusters = clusters.contains(&self.clusters).then_some(self.clusters);
        list.add(&facts::CPU_CLUSTERS, clusters);
        list.add(&facts::CPU_SOCKETS, count(self.sockets));
        let threads = self.cores.iter().map(|core| core.processors);
        list.add(&facts::CPU_THREADS_PER_CORE, distinct(threads));
        for cache in &self.caches {
            let bytes: Option<Value> = distinct(cache.bytes.iter().copied());
            list.add_of(&facts::CPU_CACHE_BYTES, &cache.level, bytes);
            list.add_of(&facts::CPU_CACHES, &cache.level, count(cache.instances));
        }
    }
}

/// How many NUMA nodes the kernel has; `None` if it does not report them.
pub(crate) fn nodes(tree: &Tree) -> Option<usize> {
    let online = tree.text("sys/devices/system/node/online")?;
    Some(members(&online).len())
}

/// The caches of all cores, which need not have the same ones; of all processors if the cores are unknown.
fn caches(tree: &Tree, online: &[u32], cores: &[Group]) -> Vec<Cache> {
    let of_cores: Vec<u32> = cores.iter().map(|core| core.first).collect();
    let mut caches: Vec<(Cache, HashSet<u32>)> = Vec::new();
    for first in if cores.is_empty() { online } else { &of_cores } {
        let folder = format!("{SYSTEM}/cpu{first}/cache");
        let indices = tree.names(&folder).into_iter();
        for index in indices.filter(|name| name.starts_with("index")) {
            let text = |file: &str| tree.text(&format!("{folder}/{index}/{file}"));
            let (Some(number), Some(kind)) = (text("level"), text("type")) else {
                continue;
            };
            let level = match &*kind {
                "Unified" => format!("l{number}"),
                kind => format!("l{number}_{}", kind.to_lowercase()),
            };
            let place = caches.iter().position(|(cache, _)| cache.level == level);
            let place = place.unwrap_or_else(|| {
                let cache = Cache {
                    level,
                    ..Cache::default()
                };
                caches.push((cache, HashSet::new()));
                caches.len() - 1
            });
            let (cache, counted) = &mut caches[place];
            if counted.contains(first) {
                continue;
            }
            counted.extend(
                siblings(tree, *first, &format!("cache/{index}/shared_cpu")).unwrap_or_default(),
            );
            cache.instances += 1;
            cache
                .bytes
                .extend(text("size").and_then(|size| size_bytes(&size)));
        }
    }
    caches.into_iter().map(|(cache, _)| cache).collect()
}

/// The groups that files of each processor list; the files of a group are read once, not for each member.
fn groups(tree: &Tree, online: &[u32], file: &str) -> Vec<Group> {
    let mut grouped = HashSet::new();
    let mut groups = Vec::new();
    for processor in online {
        if grouped.contains(processor) {
            continue;
        }
        let Some(processors) = siblings(tree, *processor, file) else {
            continue;
        };
        groups.push(Group {
            first: *processor,
            processors: processors.len(),
        });
        grouped.extend(processors);
    }
    groups
}

/// The processors in `<file>_list` of a processor, or in an older kernel in its mask: `<file>`, and of caches `<file>_map`.
fn siblings(tree: &Tree, processor: u32, file: &str) -> Option<Vec<u32>> {
    let text = |end: &str| tree.text(&format!("{SYSTEM}/cpu{processor}/{file}{end}"));
    let list = text("_list").map(|list| members(&list));
    list.or_else(|| of_mask(&text("").or_else(|| text("_map"))?))
}

/// The members of a mask such as `1,000000ff`: 32 in each word, the last word first.
fn of_mask(mask: &str) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    for (first, word) in (0..).step_by(32).zip(mask.rsplit(',')) {
        let word = u32::from_str_radix(word.trim(), 16).ok()?;
        found.extend(
            (0..32)
                .filter(|bit| word >> bit & 1 == 1)
                .map(|bit| first + bit),
        );
    }
    Some(found)
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
        Topology::read(&Fake::new(&files).tree, false).add_to(&mut list);
        object(list.into_facts())
    }

    #[test]
    fn lists_of_processors() {
        assert_eq!(members("0-3,8,10-11"), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(members("0"), [0]);
        assert!(members("").is_empty() && members("a-b").is_empty() && members("3-1").is_empty());
    }

    #[test]
    fn masks_of_processors() {
        assert_eq!(of_mask("1,0000000f").unwrap_or_default(), [0, 1, 2, 3, 32]);
        assert_eq!(of_mask("0"), Some(vec![]));
        assert_eq!(of_mask("x"), None);
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
            ("cpu2/cache/index0/level", "1\n"),
            ("cpu2/cache/index0/type", "Data\n"),
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
