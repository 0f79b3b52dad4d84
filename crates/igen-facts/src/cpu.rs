//! Facts about the processors.
//!
//! REQUIREMENTS: none. A virtual machine reports what its hypervisor says, caches and sockets above
//! all, and seldom a frequency control. `current_mhz` is the first processor's at this moment.
//! OVERHEAD: 0.4 ms with 2 processors, 0.1 ms for each further core.

use igen_engine::FactSource;
use igen_job::Fact;
use igen_job::facts;

use crate::cpu_info::CpuInfo;
use crate::fact_list::{FactList, distinct};
use crate::topology::{Topology, nodes};
use crate::tree::Tree;

pub(crate) struct Cpu;

impl FactSource for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn facts(&self) -> Vec<Fact> {
        facts(&Tree::host())
    }
}

const SYSTEM: &str = "sys/devices/system/cpu";

pub(crate) fn facts(tree: &Tree) -> Vec<Fact> {
    let mut list = FactList::default();
    let text = tree.text("proc/cpuinfo").unwrap_or_default();
    let info = CpuInfo::parse(&text);
    info.add_to(&mut list);
    Topology::read(tree, info.is_arm()).add_to(&mut list);
    frequency(tree, &mut list);
    list.add(&facts::CPU_SMT, tree.text(&format!("{SYSTEM}/smt/control")));
    list.add(
        &facts::CPU_IDLE_DRIVER,
        tree.text(&format!("{SYSTEM}/cpuidle/current_driver")),
    );
    list.add(
        &facts::CPU_IDLE_GOVERNOR,
        tree.text(&format!("{SYSTEM}/cpuidle/current_governor")),
    );
    list.add(&facts::CPU_NUMA_NODES, nodes(tree));
    list.add(
        &facts::CPU_ISOLATED,
        tree.text(&format!("{SYSTEM}/isolated")),
    );
    let mitigations: Vec<String> = tree
        .names(&format!("{SYSTEM}/vulnerabilities"))
        .into_iter()
        .filter_map(|name| {
            let state = tree.text(&format!("{SYSTEM}/vulnerabilities/{name}"))?;
            Some(format!("{name}: {state}"))
        })
        .collect();
    list.add(
        &facts::CPU_MITIGATIONS,
        (!mitigations.is_empty()).then_some(mitigations),
    );
    list.into_facts()
}

/// Each policy is a set of processors whose frequency changes together.
fn frequency(tree: &Tree, list: &mut FactList) {
    let policies: Vec<String> = tree.names(&format!("{SYSTEM}/cpufreq"));
    let policies: Vec<&String> = policies
        .iter()
        .filter(|name| name.starts_with("policy"))
        .collect();
    let texts = |file: &str| {
        let paths = policies
            .iter()
            .map(|policy| format!("{SYSTEM}/cpufreq/{policy}/{file}"));
        distinct(paths.filter_map(|path| tree.text(&path)))
    };
    let megahertz = |file: &str| {
        let paths = policies
            .iter()
            .map(|policy| format!("{SYSTEM}/cpufreq/{policy}/{file}"));
        distinct(
            paths
                .filter_map(|path| tree.number(&path))
                .map(|kilohertz| kilohertz as f64 / 1e3),
        )
    };
    list.add(&facts::CPU_MAX_MHZ, megahertz("cpuinfo_max_freq"));
    list.add(&facts::CPU_BASE_MHZ, megahertz("base_frequency"));
    list.add(&facts::CPU_FREQUENCY_DRIVER, texts("scaling_driver"));
    list.add(&facts::CPU_GOVERNOR, texts("scaling_governor"));
    list.add(
        &facts::CPU_ENERGY_PREFERENCE,
        texts("energy_performance_preference"),
    );
    let no_turbo = tree.switch(&format!("{SYSTEM}/intel_pstate/no_turbo"));
    let boost = tree.switch(&format!("{SYSTEM}/cpufreq/boost"));
    list.add(&facts::CPU_TURBO, no_turbo.map(|off| !off).or(boost));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fact_list::tests::object;
    use crate::tree::tests::Fake;

    #[test]
    fn frequency_control_and_mitigations() {
        let at = |path: &str| format!("{SYSTEM}/{path}");
        let files = [
            (at("cpufreq/policy0/cpuinfo_max_freq"), "3800000\n"),
            (at("cpufreq/policy0/base_frequency"), "2600000\n"),
            (at("cpufreq/policy0/scaling_driver"), "intel_pstate\n"),
            (at("cpufreq/policy0/scaling_governor"), "powersave\n"),
            (at("cpufreq/policy1/cpuinfo_max_freq"), "3800000\n"),
            (at("cpufreq/policy1/scaling_driver"), "intel_pstate\n"),
            (at("cpufreq/policy1/scaling_governor"), "performance\n"),
            (at("intel_pstate/no_turbo"), "1\n"),
            (at("smt/control"), "on\n"),
            (at("isolated"), "\n"),
            (at("vulnerabilities/mds"), "Not affected\n"),
            (
                at("vulnerabilities/retbleed"),
                "Mitigation: Enhanced IBRS\n",
            ),
            ("sys/devices/system/node/online".to_owned(), "0-1\n"),
        ];
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
        let fake = Fake::new(&files);
        assert_eq!(
            object(facts(&fake.tree)),
            json!({
                "cpu.max_mhz": 3800.0,
                "cpu.base_mhz": 2600.0,
                "cpu.frequency_driver": "intel_pstate",
                "cpu.governor": ["powersave", "performance"],
                "cpu.turbo": false,
                "cpu.smt": "on",
                "cpu.numa_nodes": 2,
                "cpu.mitigations": ["mds: Not affected", "retbleed: Mitigation: Enhanced IBRS"],
            })
        );
    }

    #[test]
    fn without_intel_pstate_boost_says_whether_there_is_turbo() {
        let fake = Fake::new(&[("sys/devices/system/cpu/cpufreq/boost", "1\n")]);
        assert_eq!(object(facts(&fake.tree)), json!({"cpu.turbo": true}));
    }

    #[test]
    fn nothing_readable_gives_no_facts() {
        assert_eq!(facts(&Fake::new(&[]).tree), []);
    }
}
