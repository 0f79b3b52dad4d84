//! Which instructions are floating-point ones.

use iced_x86::{Instruction, Mnemonic};

/// What an instruction does to floating-point numbers. Moves, shuffles and bitwise operations are none of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Floating {
    /// Add, subtract, multiply, divide, square root, fused, minimum, maximum, rounding.
    Arithmetic(Width),
    Compare,
    /// From or to another format or integers.
    Convert,
}

/// How many numbers at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    Scalar,
    Bits128,
    Bits256,
    Bits512,
}

const ARITHMETIC: &[&str] = &[
    "add", "sub", "mul", "div", "sqrt", "min", "max", "fmadd", "fmsub", "fnmadd", "fnmsub", "hadd",
    "hsub", "dp", "rcp", "rsqrt", "round", "rndscale", "range", "reduce", "scalef", "getexp",
    "getmant", "fixupimm", "exp2",
];
const COMPARE: &[&str] = &["cmp", "comi", "ucomi", "fpclass"];
const X87_ARITHMETIC: &[&str] = &[
    "fadd", "fiadd", "fsub", "fisub", "fmul", "fimul", "fdiv", "fidiv", "fsqrt", "fsin", "fcos",
    "fptan", "fpatan", "f2xm1", "fyl2x", "fprem", "frndint", "fscale", "fxtract",
];
const X87_COMPARE: &[&str] = &["fcom", "fucom", "ficom", "ftst", "fxam"];
const X87_CONVERT: &[&str] = &["fild", "fist", "fbld", "fbstp"];

impl Floating {
    /// The kind of an instruction; none where it does not compute with floating-point numbers.
    pub(super) fn of(instruction: &Instruction) -> Option<Self> {
        // The names of copying and comparing strings are those of scalar doubles too.
        if instruction.is_string_instruction() {
            return None;
        }
        let name = name(instruction.mnemonic());
        let one_of = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        if one_of(X87_ARITHMETIC) {
            return Some(Self::Arithmetic(Width::Scalar));
        }
        if one_of(X87_COMPARE) {
            return Some(Self::Compare);
        }
        if one_of(X87_CONVERT) {
            return Some(Self::Convert);
        }
        let name = name.strip_prefix('v').unwrap_or(&name);
        if name.starts_with("cvt") {
            return Some(Self::Convert);
        }
        let scalar = ["ss", "sd", "sh"].iter().any(|end| name.ends_with(end));
        let packed = ["ps", "pd", "ph"].iter().any(|end| name.ends_with(end));
        if !(scalar || packed) {
            return None;
        }
        let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        if begins(ARITHMETIC) {
            let width = if scalar {
                Width::Scalar
            } else {
                width(instruction)
            };
            Some(Self::Arithmetic(width))
        } else if begins(COMPARE) {
            Some(Self::Compare)
        } else {
            None
        }
    }
}

/// Its name in small letters, which the enumeration itself tells.
fn name(mnemonic: Mnemonic) -> String {
    format!("{mnemonic:?}").to_ascii_lowercase()
}

fn registers(instruction: &Instruction) -> impl Iterator<Item = iced_x86::Register> {
    (0..instruction.op_count()).map(|operand| instruction.op_register(operand))
}

fn width(instruction: &Instruction) -> Width {
    if registers(instruction).any(iced_x86::Register::is_zmm) {
        Width::Bits512
    } else if registers(instruction).any(iced_x86::Register::is_ymm) {
        Width::Bits256
    } else {
        Width::Bits128
    }
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::*;

    #[test]
    fn instructions_have_their_kinds() {
        let arithmetic = |width| Some(Floating::Arithmetic(width));
        for (text, code, expected) in [
            (
                "addsd xmm0,xmm1",
                &[0xf2, 0x0f, 0x58, 0xc1][..],
                arithmetic(Width::Scalar),
            ),
            (
                "mulps xmm0,xmm1",
                &[0x0f, 0x59, 0xc1],
                arithmetic(Width::Bits128),
            ),
            (
                "vaddps ymm0,ymm0,ymm0",
                &[0xc5, 0xfc, 0x58, 0xc0],
                arithmetic(Width::Bits256),
            ),
            (
                "vaddps zmm0,zmm0,zmm0",
                &[0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc0],
                arithmetic(Width::Bits512),
            ),
            (
                "vfmadd213sd xmm0,xmm1,xmm2",
                &[0xc4, 0xe2, 0xf1, 0xa9, 0xc2],
                arithmetic(Width::Scalar),
            ),
            ("fadd st,st(1)", &[0xd8, 0xc1], arithmetic(Width::Scalar)),
            ("fild", &[0xdb, 0x00], Some(Floating::Convert)),
            ("fucomip", &[0xdf, 0xe9], Some(Floating::Compare)),
            (
                "ucomisd xmm0,xmm1",
                &[0x66, 0x0f, 0x2e, 0xc1],
                Some(Floating::Compare),
            ),
            (
                "cmpsd xmm0,xmm1,0",
                &[0xf2, 0x0f, 0xc2, 0xc1, 0],
                Some(Floating::Compare),
            ),
            ("cmpsd (strings)", &[0xa7], None),
            (
                "cvtsi2sd xmm0,eax",
                &[0xf2, 0x0f, 0x2a, 0xc0],
                Some(Floating::Convert),
            ),
            ("movsd xmm0,xmm1", &[0xf2, 0x0f, 0x10, 0xc1], None),
            ("xorps xmm0,xmm0", &[0x0f, 0x57, 0xc0], None),
            ("pmaxsd xmm0,xmm1", &[0x66, 0x0f, 0x38, 0x3d, 0xc1], None),
            ("add eax,eax", &[0x01, 0xc0], None),
        ] {
            let instruction = Decoder::new(64, code, DecoderOptions::NONE).decode();
            assert!(!instruction.is_invalid(), "{text}");
            assert_eq!(Floating::of(&instruction), expected, "{text}");
        }
    }
}
