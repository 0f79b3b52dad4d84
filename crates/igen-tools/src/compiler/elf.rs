//! Programs and libraries as files: ELF of 64 bits, in the byte order of this host.

use std::borrow::Cow;

use object::read::elf::ElfFile64;
use object::{Object, ObjectSection, SectionKind};

/// An opened one.
pub(super) type Elf<'a> = ElfFile64<'a>;

/// All sections with instructions.
pub(super) fn code<'a>(elf: &Elf<'a>) -> Vec<Cow<'a, [u8]>> {
    let sections = elf.sections();
    sections
        .filter(|section| section.kind() == SectionKind::Text)
        .filter_map(|section| section.uncompressed_data().ok())
        .collect()
}

/// What a section holds; nothing where it is not there.
pub(super) fn section<'a>(elf: &Elf<'a>, name: &str) -> Cow<'a, [u8]> {
    let section = elf.section_by_name(name);
    section
        .and_then(|section| section.uncompressed_data().ok())
        .unwrap_or_default()
}
