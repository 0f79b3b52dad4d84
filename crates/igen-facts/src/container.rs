//! Which kind of container the agent runs in.

use crate::tree::Tree;

/// Files that a container's maker puts there, and its kind.
const FILES: &[(&str, &str)] = &[
    ("var/run/secrets/kubernetes.io", "kubernetes"),
    (".dockerenv", "docker"),
    ("run/.containerenv", "podman"),
];

/// Words in the path of a container's control group, and its kind.
const WORDS: &[(&str, &str)] = &[
    ("kubepods", "kubernetes"),
    ("docker", "docker"),
    ("libpod", "podman"),
    ("lxc", "lxc"),
    ("crio", "cri-o"),
    ("containerd", "containerd"),
];

/// The kind that traces point to; None where there are none, which does not prove that there is no
/// container.
pub(crate) fn container(tree: &Tree) -> Option<String> {
    let groups = tree.text("proc/self/cgroup").unwrap_or_default();
    let word = WORDS.iter().find(|(word, _)| groups.contains(word));
    // A virtual machine made from a container's image keeps its files, but sees the kernel's threads.
    let inside = tree.text("proc/2/comm").as_deref() != Some("kthreadd");
    let file = FILES.iter().find(|(file, _)| inside && tree.has(file));
    let kind = word.or(file).map(|(_, kind)| (*kind).to_owned());
    // The container's own init writes its kind here.
    kind.or_else(|| tree.text("run/systemd/container"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::Fake;

    #[test]
    fn a_virtual_machine_made_from_an_image_is_no_container() {
        let fake = Fake::new(&[(".dockerenv", ""), ("proc/2/comm", "kthreadd\n")]);
        assert_eq!(container(&fake.tree), None);
        let fake = Fake::new(&[(".dockerenv", ""), ("proc/2/comm", "bash\n")]);
        assert_eq!(container(&fake.tree).as_deref(), Some("docker"));
    }

    #[test]
    fn kinds_are_known_by_their_traces() {
        for (file, text, expected) in [
            (".dockerenv", "", Some("docker")),
            ("run/.containerenv", "", Some("podman")),
            ("run/systemd/container", "lxc\n", Some("lxc")),
            (
                "proc/self/cgroup",
                "0::/kubepods/burstable/pod1\n",
                Some("kubernetes"),
            ),
            (
                "proc/self/cgroup",
                "4:memory:/docker/56dda9\n",
                Some("docker"),
            ),
            (
                "proc/self/cgroup",
                "0::/machine.slice/libpod-1.scope\n",
                Some("podman"),
            ),
            ("proc/self/cgroup", "0::/user.slice\n", None),
        ] {
            let fake = Fake::new(&[(file, text)]);
            assert_eq!(container(&fake.tree).as_deref(), expected, "{file} {text}");
        }
    }
}
