//! Processors of several architectures, by files that are made after public records of such machines.

#![allow(clippy::unwrap_used)]

use std::ops::Range;

use serde_json::{Value, json};

use crate::cpu::facts;
use crate::fact_list::tests::object;
use crate::tree::tests::Fake;

const SYSTEM: &str = "sys/devices/system";

/// The files of a machine, in the order in which they are added.
#[derive(Default)]
struct Machine(Vec<(String, String)>);

impl Machine {
    fn with(mut self, path: &str, text: &str) -> Self {
        self.0.push((path.to_owned(), format!("{text}\n")));
        self
    }

    /// The same file of each of these processors.
    fn each(self, processors: Range<u32>, file: &str, text: &str) -> Self {
        processors.fold(self, |machine, processor| {
            machine.with(&format!("{SYSTEM}/cpu/cpu{processor}/{file}"), text)
        })
    }

    /// The files of each core of `threads` processors that share a file, as a list or as a mask.
    fn cores(
        self,
        processors: Range<u32>,
        threads: u32,
        file: &str,
        form: fn(Range<u32>) -> String,
    ) -> Self {
        processors.fold(self, |machine, processor| {
            let first = processor - processor % threads;
            let text = form(first..first + threads);
            machine.each(processor..processor + 1, file, &text)
        })
    }

    fn cache(self, processors: Range<u32>, index: u32, level: u32, kind: &str, size: &str) -> Self {
        let file = |name: &str| format!("cache/index{index}/{name}");
        self.each(processors.clone(), &file("level"), &level.to_string())
            .each(processors.clone(), &file("type"), kind)
            .each(processors, &file("size"), size)
    }

    fn facts(&self) -> Value {
        let files: Vec<(&str, &str)> = self
            .0
            .iter()
            .map(|(path, text)| (&**path, &**text))
            .collect();
        object(facts(&Fake::new(&files).tree))
    }
}

fn list(of: Range<u32>) -> String {
    format!("{}-{}", of.start, of.end - 1)
}

fn mask(of: Range<u32>) -> String {
    let bits = of.fold(0_u32, |bits, processor| bits | 1 << processor);
    format!("00000000,{bits:08x}")
}

/// Four small and four large cores; the head and the foot are those of kernels of telephones.
fn cpuinfo_of_a_telephone() -> String {
    let cores: Vec<String> = (0..8)
        .map(|processor| {
            let part = if processor < 4 { "0xd05" } else { "0xd0b" };
            format!(
                "processor\t: {processor}\nBogoMIPS\t: 38.40\n\
                 Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics asimddp\n\
                 CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: {part}\n\
                 CPU revision\t: 0\n\n"
            )
        })
        .collect();
    let cores = cores.concat();
    format!(
        "Processor\t: AArch64 Processor rev 14 (aarch64)\n{cores}Hardware\t: Example, Inc SM8150"
    )
}

fn telephone() -> Machine {
    Machine::default()
        .with("proc/cpuinfo", &cpuinfo_of_a_telephone())
        .with(&format!("{SYSTEM}/cpu/online"), "0-7")
        .cores(0..8, 1, "topology/thread_siblings_list", list)
        .cache(0..4, 0, 1, "Data", "32K")
        .cache(4..8, 0, 1, "Data", "64K")
        .cores(0..8, 1, "cache/index0/shared_cpu_list", list)
        // Only the large cores have a cache of this level.
        .cache(4..8, 1, 2, "Unified", "256K")
        .cores(4..8, 1, "cache/index1/shared_cpu_list", list)
}

#[test]
fn clusters_of_a_telephone_are_not_sockets() {
    let old = telephone().cores(0..8, 4, "topology/core_siblings_list", list);
    let facts_of_old = old.facts();
    let expected = json!({
        "cpu.model": "AArch64 Processor rev 14 (aarch64)",
        "cpu.vendor": "0x41",
        "cpu.part": ["0xd05", "0xd0b"],
        "cpu.flags": ["aes", "asimd", "asimddp", "atomics", "crc32", "sha2"],
        "cpu.processors": 8,
        "cpu.cores": 8,
        "cpu.clusters": 2,
        "cpu.sockets": 1,
        "cpu.threads_per_core": 1,
        "cpu.l1_data_cache_bytes": [32768, 65536],
        "cpu.l1_data_caches": 8,
        "cpu.l2_cache_bytes": 262_144,
        "cpu.l2_caches": 4,
    });
    let sorted = |mut facts: Value| {
        let flags = facts["cpu.flags"].as_array_mut().unwrap();
        flags.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
        facts
    };
    assert_eq!(sorted(facts_of_old), expected);
    // A newer kernel has files of clusters, and one package.
    let new = telephone()
        .each(0..8, "topology/core_siblings_list", "0-7")
        .each(0..4, "topology/cluster_id", "0")
        .each(4..8, "topology/cluster_id", "1")
        .cores(0..8, 4, "topology/cluster_cpus_list", list);
    assert_eq!(sorted(new.facts()), expected);
}

#[test]
fn sockets_of_an_arm_server_are_sockets() {
    let cpuinfo = "processor\t: 0\nCPU implementer\t: 0x48\nCPU part\t: 0xd01\n";
    let server = |known: &str| {
        Machine::default()
            .with("proc/cpuinfo", cpuinfo)
            .with(&format!("{SYSTEM}/cpu/online"), "0-7")
            .with(known, "0-1")
            .cores(0..8, 1, "topology/thread_siblings_list", list)
            .cores(0..8, 4, "topology/core_siblings_list", list)
            .each(0..8, "topology/cluster_id", "65535")
            .facts()
    };
    // By the table of the firmware, or by the memory that each has.
    for known in [
        "sys/firmware/acpi/tables/PPTT",
        "sys/devices/system/node/online",
    ] {
        let facts = server(known);
        assert_eq!(facts["cpu.sockets"], 2, "{known}");
        assert_eq!(facts.get("cpu.clusters"), None, "{known}");
    }
    assert_eq!(server("sys/other")["cpu.sockets"], 1);
}

#[test]
fn power() {
    let cores: Vec<String> = (0..16)
        .map(|processor| {
            format!(
                "processor\t: {processor}\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 2300.000000MHz\n\
                 revision\t: 2.2 (pvr 004e 1202)\n\n"
            )
        })
        .collect();
    let cores = cores.concat();
    let machine = "timebase\t: 512000000\nplatform\t: PowerNV\nmodel\t\t: 8335-GTH\n\
                   machine\t\t: PowerNV 8335-GTH\nfirmware\t: OPAL\nMMU\t\t: Radix\n";
    let facts = Machine::default()
        .with("proc/cpuinfo", &format!("{cores}{machine}"))
        .with(&format!("{SYSTEM}/cpu/online"), "0-15")
        .with(&format!("{SYSTEM}/node/online"), "0,8")
        .cores(0..16, 4, "topology/thread_siblings", mask)
        .cores(0..16, 8, "topology/core_siblings", mask)
        .cache(0..16, 0, 1, "Data", "32K")
        .cores(0..16, 4, "cache/index0/shared_cpu_map", mask)
        .cache(0..16, 2, 2, "Unified", "512K")
        .cores(0..16, 8, "cache/index2/shared_cpu_map", mask)
        .facts();
    assert_eq!(
        facts,
        json!({
            "cpu.model": "POWER9",
            "cpu.current_mhz": 2300.0,
            "cpu.processors": 16,
            "cpu.cores": 4,
            "cpu.sockets": 2,
            "cpu.threads_per_core": 4,
            "cpu.numa_nodes": 2,
            "cpu.l1_data_cache_bytes": 32768,
            "cpu.l1_data_caches": 4,
            "cpu.l2_cache_bytes": 524_288,
            "cpu.l2_caches": 2,
        })
    );
}

#[test]
fn loongarch() {
    let cores: Vec<String> = (0..8)
        .map(|processor| {
            format!(
                "processor\t\t: {processor}\npackage\t\t\t: 0\ncore\t\t\t: {}\n\
                 CPU Family\t\t: Loongson-64bit\nModel Name\t\t: Loongson-3A6000\nCPU Revision\t\t: 0x00\n\
                 CPU MHz\t\t\t: 2500.00\nFeatures\t\t: cpucfg lam ual fpu lsx lasx crc32 lvz\n\n",
                processor / 2
            )
        })
        .collect();
    let cores = cores.concat();
    let facts = Machine::default()
        .with(
            "proc/cpuinfo",
            &format!("system type\t\t: generic-loongson-machine\n\n{cores}"),
        )
        .with(&format!("{SYSTEM}/cpu/online"), "0-7")
        .cores(0..8, 2, "topology/thread_siblings_list", list)
        .cores(0..8, 8, "topology/core_siblings_list", list)
        .cache(0..8, 3, 3, "Unified", "16384K")
        .cores(0..8, 8, "cache/index3/shared_cpu_list", list)
        .facts();
    assert_eq!(
        facts,
        json!({
            "cpu.model": "Loongson-3A6000",
            "cpu.current_mhz": 2500.0,
            "cpu.flags": ["crc32", "lsx", "lasx"],
            "cpu.processors": 8,
            "cpu.cores": 4,
            "cpu.sockets": 1,
            "cpu.threads_per_core": 2,
            "cpu.l3_cache_bytes": 16_777_216,
            "cpu.l3_caches": 1,
        })
    );
}
