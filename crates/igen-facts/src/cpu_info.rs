//! `/proc/cpuinfo`; its keys, and what stands before and after the processors, depend on the architecture.

use crate::fact_list::{FactList, distinct};
use igen_job::facts;
use serde_json::Value;

/// Instructions and properties that decide how fast a benchmark runs, on x86, Arm and `LoongArch`.
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
    "lsx",
    "lasx",
];
/// Names of the model: of most architectures; POWER and SPARC; MIPS; RISC-V; 32-bit Arm before Linux 3.8, where numbers of
/// processors have the same key.
const MODEL: &[&str] = &["model name", "cpu", "cpu model", "uarch", "processor"];
const ARM: &str = "cpu implementer";

/// Keys and values of all blocks; the case of a key differs between architectures.
pub(crate) struct CpuInfo<'a> {
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> CpuInfo<'a> {
    pub(crate) fn parse(text: &'a str) -> Self {
        let pairs = text.lines().filter_map(|line| line.split_once(':'));
        let pairs = pairs.map(|(key, value)| (key.trim(), value.trim()));
        Self {
            pairs: pairs.filter(|(_, value)| !value.is_empty()).collect(),
        }
    }

    /// Returns true for Arm processors of 32 and 64 bits.
    pub(crate) fn is_arm(&self) -> bool {
        self.values(ARM).next().is_some()
    }

    /// The values of a key in lower case, one for each block that has it.
    fn values(&self, key: &str) -> impl Iterator<Item = &'a str> {
        let pairs = self.pairs.iter();
        let of_key = pairs.filter(move |(found, _)| found.eq_ignore_ascii_case(key));
        of_key.map(|(_, value)| *value)
    }

    /// The value that all processors have, or a list: cores of one machine may differ.
    fn text(&self, key: &str) -> Option<Value> {
        distinct(self.values(key))
    }

    /// The same for a number; a machine may have a text under the same key.
    fn number(&self, key: &str) -> Option<Value> {
        distinct(
            self.values(key)
                .filter_map(|value| value.parse::<u64>().ok()),
        )
    }

    fn model(&self) -> Option<Value> {
        MODEL.iter().find_map(|key| {
            let names = self.values(key).filter(|name| name.parse::<u64>().is_err());
            // POWER adds `, altivec supported`.
            distinct(names.map(|name| name.split(", ").next().unwrap_or(name)))
        })
    }

    pub(crate) fn add_to(&self, list: &mut FactList) {
        list.add(&facts::CPU_MODEL, self.model());
        list.add(
            &facts::CPU_VENDOR,
            self.text("vendor_id").or(self.text(ARM)),
        );
        list.add(&facts::CPU_PART, self.text("cpu part"));
        list.add(&facts::CPU_FAMILY, self.number("cpu family"));
        list.add(&facts::CPU_MODEL_NUMBER, self.number("model"));
        list.add(&facts::CPU_STEPPING, self.number("stepping"));
        list.add(&facts::CPU_MICROCODE, self.text("microcode"));
        let clock = self.values("cpu mhz").chain(self.values("clock")).next();
        let megahertz = clock.and_then(|clock| clock.trim_end_matches("MHz").parse::<f64>().ok());
        list.add(&facts::CPU_CURRENT_MHZ, megahertz);
        if let Some(flags) = self.values("flags").chain(self.values("features")).next() {
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
                "cpu.microcode": ["0x1", "0x2"],
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
