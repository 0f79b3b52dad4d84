//! A census of a program's instructions: which level of the instruction set they need, and whether they were
//! optimised. It works on stripped programs.

use std::borrow::Cow;

use iced_x86::{Code, CpuidFeature, Decoder, DecoderOptions, Instruction, Mnemonic};
use igen_job::tool::Table;
use serde_json::json;

use super::psabi_level::PsabiLevel;
use super::stack::StackUse;

/// Fewer vector instructions say nothing of a whole program.
const FEW: u64 = 8;
/// Share of other encodings that hand-written or precompiled parts may bring.
const FOREIGN: f64 = 0.02;
/// One such instruction in so many is more than a few functions that are chosen at run time have.
const RARE: f64 = 1.0 / 5000.0;
/// Less of a program may look like that by chance, such as programs of Go.
const MANY_PARTS_PERCENT: f64 = 5.0;

/// Counts of instructions.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Census {
    all: u64,
    invalid: u64,
    /// Vectors and floating point as each processor of x86-64 has them.
    sse: u64,
    /// What v2 added, vectors or not.
    second: u64,
    /// Vectors of AVX, AVX2, FMA.
    avx: u64,
    /// Integer instructions of v3: BMI, MOVBE, LZCNT.
    integer: u64,
    /// AVX-512.
    avx512: u64,
    stack: StackUse,
}

impl Census {
    pub(super) fn take(sections: &[Cow<[u8]>]) -> Self {
        let mut census = Self::default();
        for code in sections {
            let mut decoder = Decoder::new(64, code, DecoderOptions::NONE);
            let mut instruction = Instruction::default();
            while decoder.can_decode() {
                decoder.decode_out(&mut instruction);
                census.count(&instruction);
            }
        }
        census
    }

    fn count(&mut self, instruction: &Instruction) {
        if instruction.code() == Code::INVALID {
            self.invalid += 1;
            return;
        }
        self.all += 1;
        self.stack.count(instruction);
        // Written `rep bsf` for every processor: those without BMI execute that.
        if instruction.mnemonic() == Mnemonic::Tzcnt {
            return;
        }
        let Some(feature) = instruction
            .cpuid_features()
            .iter()
            .find_map(|one| extension(*one))
        else {
            return;
        };
        match feature {
            Extension::Sse => self.sse += 1,
            Extension::Second => {
                self.second += 1;
                // All but POPCNT are vectors in the old encoding.
                self.sse += u64::from(instruction.mnemonic() != Mnemonic::Popcnt);
            }
            Extension::Avx => self.avx += 1,
            Extension::Integer => self.integer += 1,
            Extension::Avx512 => self.avx512 += 1,
        }
    }

    /// The level that the program as a whole was built for. A compiler that may use AVX encodes all vectors that way:
    /// a program with both has parts for newer processors.
    pub(super) fn level(&self) -> Option<PsabiLevel> {
        let vectors = self.sse + self.avx + self.avx512;
        let wide = (self.avx + self.avx512) as f64;
        Some(if self.all == 0 {
            return None;
        } else if (vectors >= FEW && self.sse as f64 <= FOREIGN * vectors as f64)
            || (self.sse == 0 && self.integer > 0)
        {
            if self.avx512 > 0 && self.avx512 as f64 >= FOREIGN * wide {
                PsabiLevel::V4
            } else {
                PsabiLevel::V3
            }
        } else if self.second as f64 >= RARE * self.all as f64
            && self.second > 0
            // Where newer ones are chosen at run time, these are too.
            && self.avx + self.avx512 == 0
        {
            PsabiLevel::V2
        } else {
            PsabiLevel::V1
        })
    }

    /// Parts for newer processors than the program as a whole: chosen at run time, or built apart.
    fn parts(&self) -> Option<PsabiLevel> {
        let level = self.level()?;
        let highest = if self.avx512 > 0 {
            PsabiLevel::V4
        } else if self.avx + self.integer > 0 {
            PsabiLevel::V3
        } else if self.second > 0 {
            PsabiLevel::V2
        } else {
            PsabiLevel::V1
        };
        (highest > level).then_some(highest)
    }

    /// Returns true if there was no code at all.
    pub(super) fn is_empty(&self) -> bool {
        self.all + self.invalid == 0
    }

    /// How it uses the stack, which says whether it was optimised.
    pub(super) fn stack(&self) -> &StackUse {
        &self.stack
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(level) = self.parts() {
            notes.push(format!(
                "some parts use instructions of {level}: they are selected at run time, or were built separately"
            ));
        }
        let wrong = 100.0 * self.invalid as f64 / (self.all + self.invalid).max(1) as f64;
        if wrong >= 1.0 {
            notes.push(format!(
                "{wrong:.0} % of the code could not be decoded: it is data, or newer instructions"
            ));
        }
        if self.stack.unoptimised_percent() >= MANY_PARTS_PERCENT && !self.stack.unoptimised() {
            notes.push(format!(
                "{:.1} % of the code looks not optimised",
                self.stack.unoptimised_percent()
            ));
        }
        if self.is_empty() {
            notes.push(
                "the file has only data or debug information, so the level of instructions and -O0 are unknown"
                    .to_owned(),
            );
        } else if !self.stack.long_enough() {
            notes.push("the program is too short to detect if it was optimised".to_owned());
        }
        notes
    }

    pub(super) fn table(&self) -> Table {
        let columns = ["instructions", "count", "of_all_percent"];
        let mut table = Table::new("instructions", "Instructions of the program", &columns);
        for (name, count) in [
            ("all", self.all),
            ("vectors and floating point, SSE to SSE4.2", self.sse),
            ("new in v2: SSE3 to SSE4.2, POPCNT", self.second),
            ("vectors of v3: AVX, AVX2, FMA", self.avx),
            ("integers of v3: BMI, MOVBE, LZCNT", self.integer),
            ("vectors of v4: AVX-512", self.avx512),
            (
                "places of the stack that are touched again",
                self.stack.counts().0,
            ),
            (
                "in functions that were not optimised",
                self.stack.counts().1,
            ),
        ] {
            let share = 100.0 * count as f64 / self.all.max(1) as f64;
            table.row([json!(name), json!(count), json!(share)]);
        }
        table
    }
}

enum Extension {
    Sse,
    Second,
    Avx,
    Integer,
    Avx512,
}

fn extension(feature: CpuidFeature) -> Option<Extension> {
    use CpuidFeature as F;
    Some(match feature {
        F::SSE | F::SSE2 => Extension::Sse,
        F::SSE3 | F::SSSE3 | F::SSE4_1 | F::SSE4_2 | F::POPCNT => Extension::Second,
        F::AVX | F::AVX2 | F::FMA | F::F16C => Extension::Avx,
        F::BMI1 | F::BMI2 | F::LZCNT | F::MOVBE => Extension::Integer,
        F::AVX512F | F::AVX512BW | F::AVX512CD | F::AVX512DQ | F::AVX512VL => Extension::Avx512,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_counted_by_what_needs_them() {
        // addps xmm0,xmm1; popcnt eax,eax; vaddps ymm0,ymm0,ymm0; andn eax,eax,eax; vaddps zmm0,zmm0,zmm0; rep bsf
        let code = [
            0x0f, 0x58, 0xc1, 0xf3, 0x0f, 0xb8, 0xc0, 0xc5, 0xfc, 0x58, 0xc0, 0xc4, 0xe2, 0x78,
            0xf2, 0xc0, 0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc0, 0xf3, 0x0f, 0xbc, 0xc0,
        ];
        let census = Census::take(&[Cow::Borrowed(&code)]);
        assert_eq!(census.all, 6);
        let counts = [
            census.sse,
            census.second,
            census.avx,
            census.integer,
            census.avx512,
        ];
        assert_eq!(counts, [1; 5]);
    }

    #[test]
    fn levels_follow_from_the_counts() {
        let level = |sse, second, avx, integer, avx512| {
            let census = Census {
                all: 10_000,
                sse,
                second,
                avx,
                integer,
                avx512,
                ..Census::default()
            };
            (census.level(), census.parts())
        };
        assert_eq!(level(500, 0, 0, 0, 0), (Some(PsabiLevel::V1), None));
        assert_eq!(
            level(500, 1, 0, 0, 0),
            (Some(PsabiLevel::V1), Some(PsabiLevel::V2))
        );
        assert_eq!(level(500, 20, 0, 0, 0), (Some(PsabiLevel::V2), None));
        assert_eq!(level(0, 0, 500, 30, 0), (Some(PsabiLevel::V3), None));
        assert_eq!(level(0, 0, 500, 30, 100), (Some(PsabiLevel::V4), None));
        assert_eq!(
            level(5, 0, 500, 30, 2),
            (Some(PsabiLevel::V3), Some(PsabiLevel::V4))
        );
        assert_eq!(
            level(500, 0, 100, 30, 0),
            (Some(PsabiLevel::V1), Some(PsabiLevel::V3))
        );
        assert_eq!(level(0, 0, 0, 3, 0), (Some(PsabiLevel::V3), None));
        assert_eq!(Census::default().level(), None);
    }
}
