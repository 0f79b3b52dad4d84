//! Levels of the instruction set of x86-64, as its psABI names them: v1 to v4.

use std::{fmt, fs};

/// A level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PsabiLevel {
    V1 = 1,
    V2,
    V3,
    V4,
}

impl PsabiLevel {
    /// `v3` of `x86-64-v3`, `GOAMD64=v3` or `-march=x86-64-v3`.
    pub(super) fn named(text: &str) -> Option<Self> {
        match text
            .strip_prefix("x86-64")
            .unwrap_or(text)
            .trim_start_matches('-')
        {
            "" | "v1" | "baseline" => Some(Self::V1),
            "v2" => Some(Self::V2),
            "v3" => Some(Self::V3),
            "v4" => Some(Self::V4),
            _ => None,
        }
    }
}

/// The level as it is written everywhere.
impl fmt::Display for PsabiLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x86-64-v{}", *self as u8)
    }
}

/// Flags of `/proc/cpuinfo` that each level adds to the one below it.
const ADDED: [(PsabiLevel, &[&str]); 3] = [
    (
        PsabiLevel::V2,
        &[
            "cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3",
        ],
    ),
    (
        PsabiLevel::V3,
        &[
            "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave",
        ],
    ),
    (
        PsabiLevel::V4,
        &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"],
    ),
];

/// The level of this host's processors; none where they are of another kind.
pub(super) fn of_host() -> Option<PsabiLevel> {
    of_flags(&fs::read_to_string("/proc/cpuinfo").ok()?)
}

fn of_flags(cpuinfo: &str) -> Option<PsabiLevel> {
    let flags = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("flags")?.split_once(':'))?
        .1;
    let flags: Vec<&str> = flags.split_ascii_whitespace().collect();
    if !flags.contains(&"lm") {
        return None;
    }
    let reached = ADDED
        .iter()
        .take_while(|(_, added)| added.iter().all(|flag| flags.contains(flag)));
    Some(reached.last().map_or(PsabiLevel::V1, |(level, _)| *level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_make_a_level() {
        let v2 = "flags\t\t: fpu lm cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 avx\n";
        assert_eq!(of_flags(v2), Some(PsabiLevel::V2));
        assert_eq!(of_flags("flags\t: fpu lm\n"), Some(PsabiLevel::V1));
        assert_eq!(of_flags("Features\t: fp asimd\n"), None);
        let v3 = v2.replace(
            " avx",
            " avx avx2 bmi1 bmi2 f16c fma abm movbe xsave avx512f",
        );
        assert_eq!(of_flags(&v3), Some(PsabiLevel::V3));
    }

    #[test]
    fn levels_are_named_in_several_ways() {
        for (text, level) in [
            ("x86-64", Some(PsabiLevel::V1)),
            ("x86-64-v3", Some(PsabiLevel::V3)),
            ("x86-64-baseline", Some(PsabiLevel::V1)),
            ("v4", Some(PsabiLevel::V4)),
            ("haswell", None),
        ] {
            assert_eq!(PsabiLevel::named(text), level, "{text}");
        }
    }
}
