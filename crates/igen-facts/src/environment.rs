//! Facts about where and how the agent runs.
//!
//! REQUIREMENTS: none. No environment variable is shown but the locale.
//! OVERHEAD: 0.3 ms.

use std::env;

use igen_engine::FactSource;
use igen_job::Fact;
use igen_job::facts;
use igen_kernel::control_groups::ControlGroups;
use igen_kernel::limits;
use rustix::process::{Resource, geteuid, getpriority_process, getrlimit};
use serde_json::{Value, json};

use crate::container::container;
use crate::fact_list::FactList;
use crate::hypervisor::hypervisor;
use crate::topology::members;
use crate::tree::Tree;

pub(crate) struct Environment;

impl FactSource for Environment {
    fn name(&self) -> &'static str {
        "environment"
    }

    fn facts(&self) -> Vec<Fact> {
        let mut list = FactList::default();
        let tree = Tree::host();
        list.add(&facts::ENVIRONMENT_VIRTUALIZATION, hypervisor(&tree));
        from_files(&tree, &mut list);
        from_the_process(&mut list);
        list.into_facts()
    }
}

fn from_files(tree: &Tree, list: &mut FactList) {
    list.add(&facts::ENVIRONMENT_CONTAINER, container(tree));
    let groups = ControlGroups::of(tree.root(), "self");
    list.add(&facts::ENVIRONMENT_CPU_LIMIT, groups.processors());
    list.add(
        &facts::ENVIRONMENT_MEMORY_LIMIT_BYTES,
        limits::limit_bytes(tree.root()),
    );
    list.add(
        &facts::ENVIRONMENT_AVAILABLE_MEMORY_BYTES,
        limits::available_bytes(tree.root()),
    );
    list.add(
        &facts::ENVIRONMENT_OUT_OF_MEMORY_KILLS,
        groups.out_of_memory_kills(),
    );

    let status = tree.text("proc/self/status").unwrap_or_default();
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let allowed = allowed.map(str::trim);
    list.add(
        &facts::ENVIRONMENT_ALLOWED_PROCESSORS,
        allowed.map(|allowed| members(allowed).len()),
    );
    list.add(&facts::ENVIRONMENT_ALLOWED_PROCESSOR_LIST, allowed);

    let load = tree.text("proc/loadavg").unwrap_or_default();
    let mut load = load.split(' ').map_while(|word| word.parse::<f64>().ok());
    list.add(&facts::ENVIRONMENT_LOAD_AVERAGE_1, load.next());
    list.add(&facts::ENVIRONMENT_LOAD_AVERAGE_5, load.next());
    list.add(&facts::ENVIRONMENT_LOAD_AVERAGE_15, load.next());
    let names = tree.names("proc");
    let processes = names
        .iter()
        .filter(|name| name.parse::<u32>().is_ok())
        .count();
    list.add(
        &facts::ENVIRONMENT_PROCESSES,
        (processes > 0).then_some(processes),
    );
}

fn from_the_process(list: &mut FactList) {
    for (fact, resource) in [
        (&facts::ENVIRONMENT_OPEN_FILES_LIMIT, Resource::Nofile),
        (&facts::ENVIRONMENT_LOCKED_MEMORY_LIMIT, Resource::Memlock),
        (&facts::ENVIRONMENT_PROCESSES_LIMIT, Resource::Nproc),
    ] {
        let limit = getrlimit(resource).current;
        list.add(fact, Some(limit.map_or(json!("unlimited"), Value::from)));
    }
    list.add(&facts::ENVIRONMENT_NICE, getpriority_process(None).ok());
    list.add(&facts::ENVIRONMENT_ROOT, Some(geteuid().is_root()));
    list.add(
        &facts::ENVIRONMENT_LOCALE,
        Some(locale(|name| env::var(name).ok())),
    );
}

/// The first variable that is set decides, as locale(7) says.
fn locale(variable: impl Fn(&str) -> Option<String>) -> String {
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(variable)
        .find(|value| !value.is_empty())
        .unwrap_or_else(|| "C".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fact_list::tests::object;
    use crate::tree::tests::Fake;

    #[test]
    fn processors_load_and_limits() {
        let fake = Fake::new(&[
            (
                "proc/self/status",
                "Name:\tagent\nCpus_allowed:\t0d\nCpus_allowed_list:\t0,2-3\n",
            ),
            ("proc/loadavg", "0.50 1.25 2.00 3/120 4567\n"),
            ("proc/1/stat", ""),
            ("proc/20/stat", ""),
            ("proc/meminfo", "MemAvailable:  4194304 kB\n"),
            ("proc/vmstat", "oom_kill 3\n"),
            (
                "proc/self/mountinfo",
                "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n",
            ),
            ("proc/self/cgroup", "0::/user.slice\n"),
            ("sys/fs/cgroup/user.slice/cpu.max", "50000 100000\n"),
            ("sys/fs/cgroup/user.slice/memory.max", "1073741824\n"),
            ("sys/fs/cgroup/user.slice/memory.current", "73741824\n"),
        ]);
        let mut list = FactList::default();
        from_files(&fake.tree, &mut list);
        assert_eq!(
            object(list.into_facts()),
            json!({
                "environment.cpu_limit_processors": 0.5,
                "environment.memory_limit_bytes": 1_073_741_824,
                "environment.available_memory_bytes": 1_000_000_000,
                "environment.out_of_memory_kills": 3,
                "environment.allowed_processors": 3,
                "environment.allowed_processor_list": "0,2-3",
                "environment.load_average_1_minute": 0.5,
                "environment.load_average_5_minutes": 1.25,
                "environment.load_average_15_minutes": 2.0,
                "environment.processes": 2,
            })
        );
    }

    #[test]
    fn the_locale_is_the_first_that_is_set() {
        let set = |variables: &'static [(&str, &str)]| {
            move |name: &str| {
                let found = variables.iter().find(|(variable, _)| *variable == name)?;
                Some(found.1.to_owned())
            }
        };
        assert_eq!(
            locale(set(&[("LANG", "de_DE.UTF-8"), ("LC_ALL", "C.UTF-8")])),
            "C.UTF-8"
        );
        assert_eq!(
            locale(set(&[("LANG", "de_DE.UTF-8"), ("LC_ALL", "")])),
            "de_DE.UTF-8"
        );
        assert_eq!(locale(set(&[])), "C");
    }
}
