//! Which processor this is, as far as lists of its events go by it.

use std::fs;

/// A kind of processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Processor {
    Intel { family: u32, model: u32 },
    Amd { family: u32, model: u32 },
    Arm { part: u32 },
}

/// The number of Arm among those who make processors (`MIDR_EL1.Implementer`).
const ARM: u32 = 0x41;
/// That of Microsoft, whose Azure Cobalt 100 is a Neoverse N2 with Arm's number of it (Linux, arch/arm64/include/asm/cputype.h).
const MICROSOFT: u32 = 0x6d;
const NEOVERSE_N2: u32 = 0xd49;

impl Processor {
    /// That of this machine; none where another one makes it.
    pub(super) fn here() -> Option<Self> {
        Self::of(&fs::read_to_string("/proc/cpuinfo").ok()?)
    }

    /// By the first processor of `/proc/cpuinfo`. Processors of several kinds in one machine have several parts
    /// there: then nothing is known.
    fn of(text: &str) -> Option<Self> {
        let values = |name: &'static str| {
            let lines = text.lines().filter_map(|line| line.split_once(':'));
            let of_name = lines.filter(move |(key, _)| key.trim() == name);
            of_name.map(|(_, value)| value.trim())
        };
        let decimal = |name| values(name).next()?.parse().ok();
        let hexadecimal = |text: &str| u32::from_str_radix(text.strip_prefix("0x")?, 16).ok();
        match values("vendor_id").next() {
            Some("GenuineIntel") => Some(Self::Intel {
                family: decimal("cpu family")?,
                model: decimal("model")?,
            }),
            Some("AuthenticAMD") => Some(Self::Amd {
                family: decimal("cpu family")?,
                model: decimal("model")?,
            }),
            Some(_) => None,
            None => {
                let first = values("CPU part").next()?;
                let part = hexadecimal(first)?;
                let maker = hexadecimal(values("CPU implementer").next()?)?;
                let of_arm = maker == ARM || (maker, part) == (MICROSOFT, NEOVERSE_N2);
                let same = values("CPU part").all(|other| other == first);
                (of_arm && same).then_some(Self::Arm { part })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_is_known_by_its_numbers() {
        let x86 = |vendor: &str| {
            format!(
                "processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: X\n"
            )
        };
        let arm = |maker: &str, parts: [&str; 2]| {
            parts
                .map(|part| {
                    format!("processor\t: 0\nCPU implementer\t: {maker}\nCPU part\t: {part}\n\n")
                })
                .concat()
        };
        let (family, model) = (6, 143);
        for (text, expected) in [
            (
                x86("GenuineIntel"),
                Some(Processor::Intel { family, model }),
            ),
            (x86("AuthenticAMD"), Some(Processor::Amd { family, model })),
            (x86("Other"), None),
            (
                arm("0x41", ["0xd0c", "0xd0c"]),
                Some(Processor::Arm { part: 0xd0c }),
            ),
            (
                arm("0x6d", ["0xd49", "0xd49"]),
                Some(Processor::Arm { part: 0xd49 }),
            ),
            (arm("0x6d", ["0xd4f", "0xd4f"]), None),
            (arm("0x41", ["0xd0c", "0xd05"]), None),
            (arm("0x61", ["0x022", "0x022"]), None),
            (String::new(), None),
        ] {
            assert_eq!(Processor::of(&text), expected, "{text}");
        }
    }
}
