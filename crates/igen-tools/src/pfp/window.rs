//! A short window in which a thread executes its instructions one by one.

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic};

use super::floating::{Floating, Width};
use super::threads::runs;
use super::trace::{Step, Stopped};

/// Instructions of a window, where nothing ends it earlier.
pub(super) const STEPS: u64 = 200;
/// From so many on it ends where it began. Windows begin where the program spends its time: at a division, of which a part of a
/// round would meet more than their share, or just behind it.
pub(super) const FEWEST: u64 = 100;
const LONGEST: Duration = Duration::from_millis(10);
const LONGEST_INSTRUCTION: usize = 15;

/// Counts of executed instructions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) all: u64,
    pub(super) scalar: u64,
    pub(super) bits_128: u64,
    pub(super) bits_256: u64,
    pub(super) bits_512: u64,
    pub(super) compare: u64,
    pub(super) convert: u64,
}

impl Counts {
    pub(super) fn arithmetic(&self) -> u64 {
        self.scalar + self.bits_128 + self.bits_256 + self.bits_512
    }

    /// Arithmetic, comparisons and conversions.
    pub(super) fn floating(&self) -> u64 {
        self.arithmetic() + self.compare + self.convert
    }

    /// Long windows count alike: how many instructions make a round says nothing of how often a piece of code is executed.
    pub(super) fn weight(&self) -> f64 {
        self.all.min(FEWEST) as f64
    }

    fn count(&mut self, floating: Option<Floating>) {
        self.all += 1;
        match floating {
            Some(Floating::Arithmetic(Width::Scalar)) => self.scalar += 1,
            Some(Floating::Arithmetic(Width::Bits128)) => self.bits_128 += 1,
            Some(Floating::Arithmetic(Width::Bits256)) => self.bits_256 += 1,
            Some(Floating::Arithmetic(Width::Bits512)) => self.bits_512 += 1,
            Some(Floating::Compare) => self.compare += 1,
            Some(Floating::Convert) => self.convert += 1,
            None => {}
        }
    }
}

/// What one window saw, and for how long the thread stood still.
pub(super) struct Window {
    pub(super) seen: Seen,
    pub(super) stopped: Duration,
}

/// What one window saw.
pub(super) enum Seen {
    /// With the addresses where they are, each once, in ascending order.
    Instructions(Counts, Vec<u64>),
    /// The same, cut short since the machine is busy: in the middle of a round, of which what is slow is then met more
    /// or less often than it is executed.
    Cut(Counts, Vec<u64>),
    /// The thread was in the kernel, or about to call it.
    Kernel,
    /// It got no processor for a single step.
    Waiting,
}

/// Stops a thread, counts its next instructions and lets it go on.
pub(super) fn look(thread: u32) -> io::Result<Window> {
    let stopped = Stopped::stop(thread, runs)?;
    // Until it stopped, it went on.
    let start = Instant::now();
    let seen = match stopped {
        // It may wait in the system call that it begins again: that must not be stepped into.
        Some(stopped) if stopped.in_system_call()? => Seen::Kernel,
        Some(stopped) => steps(stopped, start)?,
        None => Seen::Kernel,
    };
    Ok(Window {
        seen,
        stopped: start.elapsed(),
    })
}

fn steps(mut stopped: Stopped, start: Instant) -> io::Result<Seen> {
    let bits = stopped.bits()?;
    let mut known: BTreeMap<u64, Decoded> = BTreeMap::new();
    let mut counts = Counts::default();
    let (mut begin, mut before) = (None, None);
    let mut cut = false;
    for _ in 0..STEPS {
        if start.elapsed() > LONGEST {
            cut = true;
            break;
        }
        let address = stopped.address()?;
        let again = before != Some(address) && *begin.get_or_insert(address) == address;
        if again && counts.all >= FEWEST {
            break;
        }
        let decoded = match known.get(&address) {
            Some(decoded) => *decoded,
            None => *known
                .entry(address)
                .or_insert(decode(&stopped, address, bits)?),
        };
        if decoded.must_not_be_stepped || stopped.step()? == Step::Ended {
            break;
        }
        // Each round of a repeated instruction is a step of the same instruction.
        if !(decoded.repeats && before == Some(address)) {
            counts.count(decoded.floating);
        }
        before = Some(address);
    }
    Ok(match (counts.all, cut) {
        (0, true) => Seen::Waiting,
        (0, false) => Seen::Kernel,
        (_, true) => Seen::Cut(counts, known.into_keys().collect()),
        (_, false) => Seen::Instructions(counts, known.into_keys().collect()),
    })
}

#[derive(Clone, Copy)]
struct Decoded {
    floating: Option<Floating>,
    repeats: bool,
    must_not_be_stepped: bool,
}

fn decode(stopped: &Stopped, address: u64, bits: u32) -> io::Result<Decoded> {
    let mut bytes = [0; LONGEST_INSTRUCTION];
    let length = stopped.read(address, &mut bytes)?;
    let instruction = Decoder::new(bits, &bytes[..length], DecoderOptions::NONE).decode();
    Ok(Decoded {
        floating: Floating::of(&instruction),
        repeats: instruction.is_string_instruction(),
        must_not_be_stepped: must_not_be_stepped(&instruction),
    })
}

/// System calls may wait, and the program must not meet the trap flag: it would save it, and trap when it is restored.
fn must_not_be_stepped(instruction: &Instruction) -> bool {
    matches!(
        instruction.mnemonic(),
        Mnemonic::INVALID
            | Mnemonic::Syscall
            | Mnemonic::Sysenter
            | Mnemonic::Int
            | Mnemonic::Int1
            | Mnemonic::Int3
            | Mnemonic::Into
            | Mnemonic::Pushf
            | Mnemonic::Pushfd
            | Mnemonic::Pushfq
            | Mnemonic::Popf
            | Mnemonic::Popfd
            | Mnemonic::Popfq
            | Mnemonic::Iret
            | Mnemonic::Iretd
            | Mnemonic::Iretq
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_meet_the_trap_flag_or_wait_is_not_stepped() {
        for (code, expected) in [
            (&[0x0f, 0x05][..], true), // syscall
            (&[0xcd, 0x80], true),     // int 0x80
            (&[0x9c], true),           // pushfq
            (&[0x9d], true),           // popfq
            (&[0x01, 0xc0], false),    // add eax,eax
            (&[0x06], true),           // nothing in 64 bits
        ] {
            let instruction = Decoder::new(64, code, DecoderOptions::NONE).decode();
            assert_eq!(must_not_be_stepped(&instruction), expected, "{code:?}");
        }
    }
}
