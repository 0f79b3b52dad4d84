//! NUMA nodes: which there are, and users on the processors of one.

use std::fs;
use std::io;
use std::path::Path;

use igen_job::JobError;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

const NODES: &str = "/sys/devices/system/node";

/// The processors of a node that this process may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    processors: Vec<usize>,
}

impl Node {
    /// The node of that number, asked for in `field`.
    pub(super) fn of(number: u32, field: &'static str) -> Result<Self, JobError> {
        Self::in_folder(NODES.as_ref(), number, field)
    }

    fn in_folder(folder: &Path, number: u32, field: &'static str) -> Result<Self, JobError> {
        let list = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
        let online = numbers(&list("online"));
        if !online.contains(&(number as usize)) {
            let known: Vec<String> = online.iter().map(ToString::to_string).collect();
            let text = format!("NUMA node {number} does not exist");
            return Err(JobError::at(field, text)
                .hint(format!("this machine has node {}", known.join(", "))));
        }
        let allowed = sched_getaffinity(None).map_err(|error| {
            JobError::at(
                field,
                format!("cannot read the affinity of this process: {error}"),
            )
        })?;
        let processors: Vec<usize> = numbers(&list(&format!("node{number}/cpulist")))
            .into_iter()
            .filter(|&cpu| cpu < CpuSet::MAX_CPU && allowed.is_set(cpu))
            .collect();
        if processors.is_empty() {
            return Err(JobError::at(
                field,
                format!("this process may not use any processor of NUMA node {number}"),
            ));
        }
        Ok(Self { processors })
    }

    /// Binds the calling thread to the `index`-th processor of the node, round robin.
    pub(super) fn bind(&self, index: u32) -> io::Result<()> {
        let mut one = CpuSet::new();
        one.set(self.processors[index as usize % self.processors.len()]);
        Ok(sched_setaffinity(None, &one)?)
    }
}

/// Runs `touch` on a processor of `node`, and goes back to where the thread was.
pub(super) fn from<T>(node: &Node, index: u32, touch: impl FnOnce() -> T) -> io::Result<T> {
    let before = sched_getaffinity(None)?;
    node.bind(index)?;
    let touched = touch();
    sched_setaffinity(None, &before)?;
    Ok(touched)
}

/// The numbers of a list such as `0-3,8`.
pub(super) fn numbers(list: &str) -> Vec<usize> {
    let ranges = list.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse().ok()?..=last.parse().ok()?)
    });
    ranges.flatten().collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn lists_of_numbers() {
        assert_eq!(numbers("0-3,8\n"), [0, 1, 2, 3, 8]);
        assert!(numbers("\n").is_empty());
    }

    #[test]
    fn a_node_that_is_not_there_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("online"), "0-1\n").unwrap();
        let error = Node::in_folder(folder.path(), 2, "params.node").unwrap_err();
        assert_eq!(error.path, "params.node");
        assert!(error.hint.contains("0, 1"), "{error}");
    }

    #[test]
    fn a_thread_goes_to_a_node_and_back() {
        let first = (0..CpuSet::MAX_CPU)
            .find(|&cpu| sched_getaffinity(None).unwrap().is_set(cpu))
            .unwrap();
        let node = Node {
            processors: vec![first],
        };
        let before = sched_getaffinity(None).unwrap();
        let inside = from(&node, 7, || sched_getaffinity(None).unwrap()).unwrap();
        assert_eq!(inside.count(), 1);
        assert!(inside.is_set(first));
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }
}
