//! The first processor's block of `/proc/cpuinfo`; its keys depend on the architecture.

use crate::fact_list::FactList;
use igen_job::facts;

/// Instructions and properties that decide how fast a benchmark runs, on x86 and Arm.
const FLAGS: &[&str] = &[
    "sse4_2",
    "avx",
    "avx2",
    "fma",
    "avx512f",
    "avx512bw",
    "avx512vl",
    "avx512_vnni",
    "amx_tile",
    "aes",
    "vaes",
    "pclmulqdq",
    "sha_ni",
    "erms",
    "fsrm",
    "constant_tsc",
    "nonstop_tsc",
    "tsc_known_freq",
    "asimd",
    "asimddp",
    "sve",
    "sve2",
    "atomics",
    "crc32",
    "sha2",
];

/// Keys and values of one block.
pub(crate) struct CpuInfo<'a> {
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> CpuInfo<'a> {
    pub(crate) fn parse(text: &'a str) -> Self {
        let block = text.lines().take_while(|line| !line.is_empty());
        let pairs = block.filter_map(|line| line.split_once(':'));
        Self {
            pairs: pairs
                .map(|(key, value)| (key.trim(), value.trim()))
                .collect(),
        }
    }

    fn value(&self, key: &str) -> Option<&'a str> {
        let (_, value) = self.pairs.iter().find(|(found, _)| *found == key)?;
        (!value.is_empty()).then_some(*value)
    }

    pub(crate) fn add_to(&self, list: &mut FactList) {
        let number = |key| self.value(key)?.parse::<u64>().ok();
        list.add(&facts::CPU_MODEL, self.value("model name"));
        list.add(
            &facts::CPU_VENDOR,
            self.value("vendor_id").or(self.value("CPU implementer")),
        );
        list.add(&facts::CPU_PART, self.value("CPU part"));
        list.add(&facts::CPU_FAMILY, number("cpu family"));
        list.add(&facts::CPU_MODEL_NUMBER, number("model"));
        list.add(&facts::CPU_STEPPING, number("stepping"));
        list.add(&facts::CPU_MICROCODE, self.value("microcode"));
        let megahertz = self
            .value("cpu MHz")
            .and_then(|value| value.parse::<f64>().ok());
        list.add(&facts::CPU_CURRENT_MHZ, megahertz);
        if let Some(flags) = self.value("flags").or(self.value("Features")) {
            let flags: Vec<&str> = flags.split(' ').collect();
            let known = FLAGS.iter().copied().filter(|flag| flags.contains(flag));
            list.add(&facts::CPU_FLAGS, Some(known.collect::<Vec<_>>()));
        }
    }
}

#[cfg(test)]
mod tests {
    use igen_job::Fact;
    use serde_json::{Value, json};

    use super::*;
    use crate::fact_list::tests::object;

    fn facts(text: &str) -> Value {
        let mut list = FactList::default();
        CpuInfo::parse(text).add_to(&mut list);
        let facts: Vec<Fact> = list.into_facts();
        object(facts)
    }

    #[test]
    fn x86() {
        let text = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 167\n\
            model name\t: Intel(R) Xeon(R) Processor\nstepping\t: 1\nmicrocode\t: 0x1\n\
            cpu MHz\t\t: 2599.998\nflags\t\t: fpu avx2 aes pse constant_tsc\n\
            power management:\n\nprocessor\t: 1\nmicrocode\t: 0x2\n";
        assert_eq!(
            facts(text),
            json!({
                "cpu.model": "Intel(R) Xeon(R) Processor",
                "cpu.vendor": "GenuineIntel",
                "cpu.family": 6,
                "cpu.model_number": 167,
                "cpu.stepping": 1,
                "cpu.microcode": "0x1",
                "cpu.current_mhz": 2599.998,
                "cpu.flags": ["avx2", "aes", "constant_tsc"],
            })
        );
    }

    #[test]
    fn arm() {
        let text = "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd aes atomics\n\
            CPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n";
        assert_eq!(
            facts(text),
            json!({
                "cpu.vendor": "0x41",
                "cpu.part": "0xd0c",
                "cpu.flags": ["aes", "asimd", "atomics"],
            })
        );
    }

    #[test]
    fn odd_text_gives_no_facts() {
        assert_eq!(facts(""), json!({}));
        assert_eq!(
            facts("model name\nflags\t\t:\ncpu family\t: six\n"),
            json!({})
        );
    }
}
