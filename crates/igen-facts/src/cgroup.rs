//! Limits that control groups (version 2) put on the agent.

use crate::tree::Tree;

/// The strictest limits of the agent's group and the groups above it; None for no limit.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Limits {
    /// Processor time in each period over the period: how many processors it can keep busy.
    pub(crate) cpu_processors: Option<f64>,
    pub(crate) memory_bytes: Option<u64>,
}

impl Limits {
    pub(crate) fn read(tree: &Tree) -> Self {
        let groups = tree.text("proc/self/cgroup").unwrap_or_default();
        let Some(path) = groups.lines().find_map(|line| line.strip_prefix("0::/")) else {
            return Self::default();
        };
        let mut limits = Self::default();
        // Beside version 1 version 2 lies apart.
        let mount = ["sys/fs/cgroup/unified", "sys/fs/cgroup"];
        let mount = mount
            .into_iter()
            .find(|path| tree.has(path))
            .unwrap_or_default();
        let mut group = format!("{mount}/{path}");
        while group.len() >= mount.len() {
            let cpu = tree
                .text(&format!("{group}/cpu.max"))
                .and_then(|text| processors(&text));
            let memory = tree.number(&format!("{group}/memory.max")); // `max` is no number
            limits.cpu_processors = stricter(limits.cpu_processors, cpu, f64::min);
            limits.memory_bytes = stricter(limits.memory_bytes, memory, u64::min);
            let Some(parent) = group.rfind('/') else {
                break;
            };
            group.truncate(parent);
        }
        limits
    }
}

/// `quota period` in microseconds; `max` for no limit.
fn processors(text: &str) -> Option<f64> {
    let (quota, period) = text.split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (period > 0.0).then(|| quota / period)
}

fn stricter<T: Copy>(one: Option<T>, other: Option<T>, least: fn(T, T) -> T) -> Option<T> {
    one.zip(other)
        .map(|(one, other)| least(one, other))
        .or(one)
        .or(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::Fake;

    #[test]
    fn the_strictest_limit_on_the_way_up_counts() {
        let fake = Fake::new(&[
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/b/cpu.max", "400000 100000\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/a/memory.max", "4096\n"),
            ("sys/fs/cgroup/other/memory.max", "1\n"),
        ]);
        let expected = Limits {
            cpu_processors: Some(1.5),
            memory_bytes: Some(4096),
        };
        assert_eq!(Limits::read(&fake.tree), expected);
    }

    #[test]
    fn in_a_container_the_group_is_the_root() {
        let fake = Fake::new(&[
            ("proc/self/cgroup", "9:cpu:/x\n0::/\n"),
            ("sys/fs/cgroup/unified/cpu.max", "50000 100000\n"),
        ]);
        assert_eq!(Limits::read(&fake.tree).cpu_processors, Some(0.5));
    }

    #[test]
    fn no_limit_and_no_version_2() {
        let fake = Fake::new(&[
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/cpu.max", "max 100000\n"),
        ]);
        let limits = Limits::read(&fake.tree);
        assert_eq!((limits.cpu_processors, limits.memory_bytes), (None, None));
        let old = Fake::new(&[("proc/self/cgroup", "4:memory:/x\n")]);
        assert_eq!(Limits::read(&old.tree), Limits::default());
    }

    #[test]
    fn odd_limits_are_none() {
        assert_eq!(processors("100000"), None);
        assert_eq!(processors("100000 0"), None);
        assert_eq!(processors("max 100000"), None);
    }
}
