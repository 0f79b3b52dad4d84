//! What a program says of itself, from several places in the file.

use igen_job::tool::Table;
use object::Object;
use serde_json::json;

use super::elf::{Elf, section};
use super::go::GoBuild;
use super::producer::{flag, producers};
use super::psabi_level::PsabiLevel;
use super::texts;
use crate::emit::Emit;

/// A text, and where it stands.
struct Found {
    source: &'static str,
    says: String,
}

/// All that was found.
#[derive(Default)]
pub(super) struct Evidence {
    found: Vec<Found>,
    compilers: Vec<String>,
    /// `-O2`; none where it is not said.
    pub(super) optimisation: Option<String>,
    /// The level that it says it was built for.
    pub(super) level: Option<PsabiLevel>,
}

impl Evidence {
    fn add(&mut self, source: &'static str, says: impl Into<String>) {
        let says = says.into();
        self.found.push(Found { source, says });
    }

    /// The one that has built most of it.
    pub(super) fn compiler(&self) -> Option<&str> {
        // The first of those that say most.
        let mut best: Option<&String> = None;
        for one in &self.compilers {
            if best.is_none_or(|best| texts::weight(one) > texts::weight(best)) {
                best = Some(one);
            }
        }
        best.map(String::as_str)
    }

    /// What was found, the strongest first.
    pub(super) fn table(&self) -> Table {
        let mut table = Table::new(
            "evidence",
            "Compiler information in the program",
            &["source", "says"],
        );
        for one in &self.found {
            table.row([json!(one.source), json!(one.says)]);
        }
        table
    }
}

/// Looks at all places.
pub(super) fn gather(elf: &Elf, emit: &mut Emit) -> Evidence {
    let mut evidence = Evidence::default();
    of_go(elf, &mut evidence);
    of_debug_information(elf, &mut evidence);
    for text in texts::comments(&section(elf, ".comment")) {
        evidence.compilers.extend(texts::compiler_in(&text));
        evidence.add("section .comment", text);
    }
    let constants = section(elf, ".rodata");
    if let Some(text) = texts::said_inside(&constants) {
        evidence.compilers.extend(texts::compiler_in(&text));
        evidence.add("a text inside", text);
    }
    let is_rust = |compiler: &String| compiler.starts_with("rustc");
    if texts::rust_inside(&constants) && !evidence.compilers.iter().any(is_rust) {
        evidence
            .compilers
            .push("rustc of an unknown version".to_owned());
        evidence.add("a text inside", "paths of Rust's standard library");
    }
    if let Some(level) = needed(&section(elf, ".note.gnu.property")) {
        evidence.add("note of what it needs", format!("{level} or more"));
    }
    if evidence.compilers.is_empty() {
        emit.note("the compiler is unknown: comments and debug information were stripped from the program");
    }
    if elf.symbols().next().is_none() {
        emit.note("symbols were stripped from the program");
    }
    evidence
}

fn of_go(elf: &Elf, evidence: &mut Evidence) {
    let Some(build) = GoBuild::parse(&section(elf, ".go.buildinfo")) else {
        return;
    };
    let version = build.version.trim_start_matches("go");
    evidence.compilers.push(format!("Go {version}"));
    evidence.level = build.setting("GOAMD64").and_then(PsabiLevel::named);
    let flags = build.setting("-gcflags").unwrap_or_default();
    // The compiler of Go optimises unless it is told not to: `-N`.
    let plain = flags
        .split_ascii_whitespace()
        .any(|flag| flag.ends_with("-N"));
    evidence.optimisation = Some(
        if plain {
            "-O0"
        } else {
            "with its optimisation"
        }
        .to_owned(),
    );
    let settings = build.settings.join(", ");
    evidence.add(
        "Go's build information",
        format!("{} {settings}", build.version),
    );
}

fn of_debug_information(elf: &Elf, evidence: &mut Evidence) {
    let (producers, source) = producers(elf);
    let compilers: Vec<&(String, usize)> = producers
        .iter()
        .filter(|(text, _)| texts::compiler_in(text).is_some())
        .collect();
    for (text, units) in compilers.iter().take(4) {
        evidence.compilers.extend(texts::compiler_in(text));
        let times = if *units == 1 {
            "1 unit".to_owned()
        } else {
            format!("{units} units")
        };
        evidence.add(source, format!("{text} ({times})"));
    }
    let Some((main, _)) = compilers.first() else {
        return;
    };
    // GCC tells its flags, unless it was told not to; Clang and rustc never do.
    if main.starts_with("GNU ") && evidence.optimisation.is_none() {
        evidence.optimisation = optimisation(main).map(str::to_owned);
        let level = flag(main, "-march=")
            .and_then(|flag| PsabiLevel::named(flag.trim_start_matches("-march=")));
        evidence.level = evidence.level.or(level);
    }
}

/// What the flags of a producer say; none where it tells none at all. Without -O among them nothing was optimised.
fn optimisation(producer: &str) -> Option<&str> {
    flag(producer, "-").map(|_| flag(producer, "-O").unwrap_or("-O0"))
}

/// The level that a linker has noted as needed: `GNU_PROPERTY_X86_ISA_1_NEEDED` of the x86-64 psABI.
fn needed(note: &[u8]) -> Option<PsabiLevel> {
    const ISA_1_NEEDED: u32 = 0xc000_8002;
    let word = |at: usize| -> Option<u32> {
        Some(u32::from_ne_bytes(note.get(at..at + 4)?.try_into().ok()?))
    };
    // Name size, description size, type, `GNU\0`; then properties: type, size, data, filled up to 8 bytes.
    let end = 16 + usize::try_from(word(4)?).ok()?;
    let mut at = 16;
    while at + 8 <= end {
        let (kind, size) = (word(at)?, usize::try_from(word(at + 4)?).ok()?);
        if kind == ISA_1_NEEDED {
            return match word(at + 8)? {
                0 => None,
                bits if bits & 8 != 0 => Some(PsabiLevel::V4),
                bits if bits & 4 != 0 => Some(PsabiLevel::V3),
                bits if bits & 2 != 0 => Some(PsabiLevel::V2),
                _ => Some(PsabiLevel::V1),
            };
        }
        at += 8 + size.next_multiple_of(8);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_that_says_most_is_named() {
        let mut evidence = Evidence::default();
        assert_eq!(evidence.compiler(), None);
        evidence.compilers = vec!["GCC 12.2.0".into(), "GCC 13.1.0".into()];
        assert_eq!(evidence.compiler(), Some("GCC 12.2.0"));
        evidence.compilers.push("rustc 1.95.0".into());
        evidence.compilers.push("Clang 14.0.6".into());
        assert_eq!(evidence.compiler(), Some("rustc 1.95.0"));
    }

    #[test]
    fn flags_that_were_not_recorded_say_nothing() {
        assert_eq!(
            optimisation("GNU C17 12.2.0 -mtune=generic -g -O2"),
            Some("-O2")
        );
        assert_eq!(
            optimisation("GNU C17 12.2.0 -mtune=generic -g"),
            Some("-O0")
        );
        assert_eq!(optimisation("GNU C17 12.2.0"), None);
    }

    #[test]
    fn the_note_of_a_linker_is_read() {
        let property = |kind: u32, bits: u32| {
            let words = [4, 16, 5, u32::from_ne_bytes(*b"GNU\0"), kind, 4, bits, 0];
            words
                .iter()
                .flat_map(|word: &u32| word.to_ne_bytes())
                .collect::<Vec<u8>>()
        };
        assert_eq!(needed(&property(0xc000_8002, 0b101)), Some(PsabiLevel::V3));
        assert_eq!(needed(&property(0xc000_8002, 1)), Some(PsabiLevel::V1));
        assert_eq!(needed(&property(0xc000_0002, 3)), None);
        for length in 0..28 {
            assert_eq!(
                needed(&property(0xc000_8002, 1)[..length]),
                None,
                "{length}"
            );
        }
    }
}
