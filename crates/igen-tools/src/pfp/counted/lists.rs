//! Events of floating-point instructions, by processor: THE list.
//!
//! Numbers from the makers' lists: Intel's github.com/intel/perfmon (`mapfile.csv`, `*_core.json`); AMD's of Zen 1 to Zen 5 as
//! Linux has them (tools/perf/pmu-events/arch), by generation as Linux tells it (arch/x86/kernel/cpu/amd.c); Arm's
//! github.com/ARM-software/data (`pmu/neoverse-*.json`). Intel's hybrid and small cores are not here: they count otherwise,
//! or not on all processors of a machine. An event that a processor does not have counts 0 and not an error: a number that
//! its maker's list lacks would say that a program has no such instructions.

use super::processor::Processor;
use crate::counters::Event;

/// What a processor can count.
#[derive(Debug, PartialEq)]
pub(super) struct List {
    pub(super) name: &'static str,
    /// All instructions; where floating-point ones count when they begin, and may be given up, so do these.
    pub(super) instructions: Event,
    pub(super) parts: &'static [Part],
    /// What of comparisons and conversions is known.
    pub(super) rest: Rest,
    /// Floating-point instructions that no event counts; empty where each is counted.
    pub(super) unseen: &'static str,
}

/// A kind of floating-point instructions.
#[derive(Debug, PartialEq)]
pub(super) struct Part {
    pub(super) event: Event,
    pub(super) sort: Sort,
    /// Instructions of a count: at least so many, and at most one.
    pub(super) at_least: f64,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Arithmetic,
    /// Comparisons and conversions.
    Other,
    /// Any of them.
    All,
}

/// What is known of comparisons and conversions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// They are counted apart.
    Apart,
    /// They are counted with arithmetic.
    Within,
    /// Nothing: they are not counted.
    Unknown,
}

const RETIRED: Event = Event::hardware("instructions", 1);

const fn part(event: Event, sort: Sort, at_least: f64) -> Part {
    Part {
        event,
        sort,
        at_least,
    }
}

/// Fused instructions count twice.
const fn intel(name: &'static str, event: u8, mask: u8) -> Part {
    part(Event::masked(name, event, mask), Sort::Arithmetic, 0.5)
}

/// `FP_ARITH_INST_RETIRED`, single and double precision together.
const SCALAR: Part = intel("arithmetic, one number at a time", 0xc7, 0x03);
const BITS_128: Part = intel("arithmetic, 128 bits", 0xc7, 0x0c);
const BITS_256: Part = intel("arithmetic, 256 bits", 0xc7, 0x30);
const BITS_512: Part = intel("arithmetic, 512 bits", 0xc7, 0xc0);
/// `FP_ARITH_INST_RETIRED2`.
const HALF: Part = intel("arithmetic, half precision", 0xcf, 0x1f);

const INTEL: List = List {
    name: "Intel FP_ARITH_INST_RETIRED",
    instructions: RETIRED,
    parts: &[SCALAR, BITS_128, BITS_256],
    rest: Rest::Unknown,
    unseen: "comparisons, conversions, x87",
};
const INTEL_512: List = List {
    name: "Intel FP_ARITH_INST_RETIRED, AVX-512",
    parts: &[SCALAR, BITS_128, BITS_256, BITS_512],
    unseen: "comparisons, conversions, x87, bfloat16",
    ..INTEL
};
const INTEL_HALF: List = List {
    name: "Intel FP_ARITH_INST_RETIRED and 2, AVX-512",
    parts: &[SCALAR, BITS_128, BITS_256, BITS_512, HALF],
    unseen: "comparisons, conversions, x87, bfloat16, AMX",
    ..INTEL
};

/// Operations: of up to 8 numbers of 32 bits, and fused ones count twice. Additions, multiplications, divisions, roots.
const ZEN: List = List {
    name: "AMD FP_RET_SSE_AVX_OPS",
    instructions: RETIRED,
    parts: &[part(
        Event::masked("arithmetic operations", 0x03, 0xff),
        Sort::Arithmetic,
        1.0 / 16.0,
    )],
    rest: Rest::Unknown,
    unseen: "comparisons, conversions, x87",
};

/// A kind of `FP_OPS_RETIRED_BY_TYPE`: of scalars in the lower half of the mask, of vectors in the upper one. These are
/// operations, of which an instruction may have two.
const fn zen_4(name: &'static str, mask: u8, sort: Sort) -> Part {
    part(Event::masked(name, 0x0a, mask), sort, 0.5)
}

/// Operations of which some may be arithmetic.
const fn maybe(name: &'static str, event: u8, mask: u8) -> Part {
    part(Event::masked(name, event, mask), Sort::Arithmetic, 0.0)
}

const ZEN_4: List = List {
    name: "AMD FP_OPS_RETIRED_BY_TYPE",
    instructions: RETIRED,
    parts: &[
        zen_4("scalar add", 0x01, Sort::Arithmetic),
        zen_4("scalar subtract", 0x02, Sort::Arithmetic),
        zen_4("scalar multiply", 0x03, Sort::Arithmetic),
        zen_4("scalar fused", 0x04, Sort::Arithmetic),
        zen_4("scalar divide", 0x05, Sort::Arithmetic),
        zen_4("scalar root", 0x06, Sort::Arithmetic),
        zen_4("scalar compare", 0x07, Sort::Other),
        zen_4("scalar convert", 0x08, Sort::Other),
        zen_4("vector add", 0x10, Sort::Arithmetic),
        zen_4("vector subtract", 0x20, Sort::Arithmetic),
        zen_4("vector multiply", 0x30, Sort::Arithmetic),
        zen_4("vector fused", 0x40, Sort::Arithmetic),
        zen_4("vector divide", 0x50, Sort::Arithmetic),
        zen_4("vector root", 0x60, Sort::Arithmetic),
        zen_4("vector compare", 0x70, Sort::Other),
        zen_4("vector convert", 0x80, Sort::Other),
        maybe("scalar, others", 0x0a, 0x0e),
        maybe("vector, others", 0x0a, 0xe0),
        maybe("scalar, bfloat16", 0x0a, 0x0c),
        maybe("vector, bfloat16", 0x0a, 0xc0),
        maybe("scalar shuffles", 0x0a, 0x0b),
        maybe("vector shuffles, and sums within a vector", 0x0a, 0xb0),
        // `FP_OPS_RETIRED_BY_WIDTH`: also loads, and a sine has many.
        maybe("x87", 0x08, 0x01),
    ],
    rest: Rest::Apart,
    unseen: "",
};

/// `INST_SPEC`: what was begun, as the others are.
const BEGUN: Event = Event::raw("instructions, including discarded ones", 0x1b);

/// `VFP_SPEC`, and `ASE_SPEC`, which has integers too.
const ONE: Part = part(Event::raw("one number at a time", 0x75), Sort::All, 1.0);
const BITS_128_ANY: Part = part(
    Event::raw("128 bits, including integers", 0x74),
    Sort::All,
    0.0,
);
/// `SVE_INST_SPEC`, also of integers, loads and stores.
const SVE_ANY: Part = part(
    Event::raw("SVE, including integers, loads and stores", 0x8006),
    Sort::All,
    0.0,
);

const NEOVERSE_N1: List = List {
    name: "Arm VFP_SPEC, ASE_SPEC",
    instructions: BEGUN,
    parts: &[ONE, BITS_128_ANY],
    rest: Rest::Within,
    unseen: "",
};

/// It has none of the three that count by precision.
const NEOVERSE_V1: List = List {
    name: "Arm VFP_SPEC, ASE_SPEC, SVE_INST_SPEC",
    parts: &[ONE, BITS_128_ANY, SVE_ANY],
    ..NEOVERSE_N1
};

/// `FP_HP_SPEC`, `FP_SP_SPEC`, `FP_DP_SPEC`.
const NEOVERSE: List = List {
    name: "Arm FP_HP_SPEC, FP_SP_SPEC, FP_DP_SPEC",
    instructions: BEGUN,
    parts: &[
        part(Event::raw("half precision", 0x8014), Sort::All, 1.0),
        part(Event::raw("single precision", 0x8018), Sort::All, 1.0),
        part(Event::raw("double precision", 0x801c), Sort::All, 1.0),
    ],
    rest: Rest::Within,
    unseen: "",
};

/// What this kind of processor can count; none where that is not known.
pub(super) fn list(processor: Processor) -> Option<&'static List> {
    Some(match processor {
        Processor::Intel { family: 6, model } => match model {
            // Broadwell; Skylake and its successors without AVX-512.
            0x3d | 0x47 | 0x4f | 0x56 | 0x4e | 0x5e | 0x8e | 0x9e | 0xa5 | 0xa6 => &INTEL,
            // Skylake and Cascade Lake servers, Ice Lake, Rocket Lake, Tiger Lake.
            0x55 | 0x6a | 0x6c | 0x7d | 0x7e | 0xa7 | 0x8c | 0x8d => &INTEL_512,
            // Sapphire, Emerald and Granite Rapids.
            0x8f | 0xcf | 0xad | 0xae => &INTEL_HALF,
            _ => return None,
        },
        Processor::Amd { family, model } => match (family, model) {
            (0x17, _) | (0x19, 0x00..=0x0f | 0x20..=0x5f) => &ZEN,
            (0x19, 0x10..=0x1f | 0x60..=0xaf) | (0x1a, 0x00..=0x2f | 0x40..=0x4f | 0x60..=0x7f) => {
                &ZEN_4
            }
            _ => return None,
        },
        Processor::Arm { part } => match part {
            0xd0c => &NEOVERSE_N1,
            0xd40 => &NEOVERSE_V1,
            // N2, V2, N3, V3, V3AE.
            0xd49 | 0xd4f | 0xd8e | 0xd84 | 0xd83 => &NEOVERSE,
            _ => return None,
        },
        Processor::Intel { .. } => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_processor_has_the_list_of_its_kind() {
        let intel = |model| Processor::Intel { family: 6, model };
        let amd = |family, model| Processor::Amd { family, model };
        for (processor, expected) in [
            (intel(0x3c), None), // Haswell counts no such instructions
            (intel(0x4f), Some(&INTEL)),
            (intel(0x55), Some(&INTEL_512)),
            (intel(0x8f), Some(&INTEL_HALF)),
            (intel(0x97), None), // two kinds of cores
            (intel(0xaf), None), // small cores
            (
                Processor::Intel {
                    family: 15,
                    model: 6,
                },
                None,
            ),
            (amd(0x17, 0x31), Some(&ZEN)),
            (amd(0x19, 0x01), Some(&ZEN)),
            (amd(0x19, 0x30), Some(&ZEN)), // Zen 3 for supercomputers
            (amd(0x19, 0x50), Some(&ZEN)),
            (amd(0x19, 0x11), Some(&ZEN_4)),
            (amd(0x19, 0xa0), Some(&ZEN_4)),
            (amd(0x19, 0xb0), None),
            (amd(0x1a, 0x02), Some(&ZEN_4)),
            (amd(0x1a, 0x50), None), // Zen 6
            (amd(0x15, 0x02), None),
            (Processor::Arm { part: 0xd0c }, Some(&NEOVERSE_N1)),
            (Processor::Arm { part: 0xd40 }, Some(&NEOVERSE_V1)),
            (Processor::Arm { part: 0xd49 }, Some(&NEOVERSE)),
            (Processor::Arm { part: 0xd4f }, Some(&NEOVERSE)),
            (Processor::Arm { part: 0xd84 }, Some(&NEOVERSE)),
            (Processor::Arm { part: 0xd8e }, Some(&NEOVERSE)),
            (Processor::Arm { part: 0xd03 }, None),
        ] {
            assert_eq!(list(processor), expected, "{processor:?}");
        }
    }

    #[test]
    fn events_have_the_makers_numbers_and_none_twice() {
        let numbers =
            |list: &List| -> Vec<u64> { list.parts.iter().map(|part| part.event.config).collect() };
        assert_eq!(
            numbers(&INTEL_HALF),
            [0x03c7, 0x0cc7, 0x30c7, 0xc0c7, 0x1fcf]
        );
        assert_eq!(numbers(&ZEN), [0xff03]);
        assert_eq!(numbers(&ZEN_4)[..3], [0x010a, 0x020a, 0x030a]);
        assert_eq!(numbers(&ZEN_4).last(), Some(&0x0108));
        assert_eq!(numbers(&NEOVERSE_N1), [0x75, 0x74]);
        assert_eq!(numbers(&NEOVERSE_V1), [0x75, 0x74, 0x8006]);
        assert_eq!(numbers(&NEOVERSE), [0x8014, 0x8018, 0x801c]);
        for list in [
            &INTEL_HALF,
            &ZEN,
            &ZEN_4,
            &NEOVERSE_N1,
            &NEOVERSE_V1,
            &NEOVERSE,
        ] {
            let numbers = numbers(list);
            let different: HashSet<u64> = numbers.iter().copied().collect();
            assert_eq!(different.len(), numbers.len(), "{}", list.name);
            assert!(list.rest != Rest::Unknown || list.unseen.starts_with("comparisons"));
        }
    }
}
