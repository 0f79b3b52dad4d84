//! Texts that compilers leave in a program: the section `.comment`, and what programs say of themselves.

/// A compiler as people call it: `GCC 12.2.0`, `Clang 19.1.4`, `rustc 1.95.0`; none of linkers and assemblers.
pub(super) fn compiler_in(text: &str) -> Option<String> {
    // In this order: rustc and clang name what they are built on, and rustc's own text holds clang's.
    let known = [
        ("rustc version ", "rustc"),
        ("rustc/", "rustc"),
        ("clang version ", "Clang"),
        ("[Clang ", "Clang"),
        ("GCC: (", "GCC"),
        ("gcc (", "GCC"),
        ("[GCC ", "GCC"),
        ("GNU C", "GCC"),
        ("GNU Fortran", "GCC"),
        ("GNU Ada", "GCC"),
        ("Go cmd/compile go", "Go"),
    ];
    known.iter().find_map(|(begins, name)| {
        let (_, rest) = text.split_once(begins)?;
        Some(format!("{name} {}", version_in(rest)?))
    })
}

/// How much a name says: a program of Rust or Clang is linked with parts that GCC has built.
pub(super) fn weight(compiler: &str) -> u8 {
    match compiler.split(' ').next() {
        Some("rustc" | "Go") => 3,
        Some("Clang") => 2,
        _ => 1,
    }
}

/// The first number with a dot in it that stands alone, such as `12.2.0`.
fn version_in(text: &str) -> Option<&str> {
    let line = text.lines().next()?;
    // What a distribution adds stands in brackets: `(Debian 12.2.0-14+deb12u1) 12.2.0`.
    let after = line.split_once(')').map_or(line, |(inside, after)| {
        if inside.contains('(') || line.starts_with(char::is_alphabetic) {
            after
        } else {
            line
        }
    });
    [after, line].into_iter().find_map(|text| {
        text.split(|letter: char| !(letter.is_ascii_digit() || letter == '.'))
            .find(|word| {
                word.contains('.') && word.starts_with(|letter: char| letter.is_ascii_digit())
            })
            .map(|word| word.trim_end_matches('.'))
    })
}

/// The texts of `.comment`, each once.
pub(super) fn comments(section: &[u8]) -> Vec<String> {
    let mut texts = Vec::new();
    for text in section.split(|byte| *byte == 0) {
        let text = printable(text);
        if !text.is_empty() && !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// What a program's constants say of its compiler: `PostgreSQL 15.5 … compiled by gcc (Debian 12.2.0-14) 12.2.0`.
pub(super) fn said_inside(constants: &[u8]) -> Option<String> {
    const BEGINNINGS: [&[u8]; 5] = [
        b"compiled by ",
        b"[GCC ",
        b"[Clang ",
        b"clang version ",
        b"built with gcc ",
    ];
    let place = BEGINNINGS
        .iter()
        .find_map(|begins| find(constants, begins))?;
    let end = constants[place..].iter().position(|byte| *byte == 0)?;
    let start = constants[..place]
        .iter()
        .rposition(|byte| *byte == 0)
        .map_or(0, |zero| zero + 1);
    let text = printable(&constants[start.max(place.saturating_sub(MOST))..place + end.min(MOST)]);
    compiler_in(&text).map(|_| text)
}

/// `rustc` from the paths that panics of its library hold: `/rustc/<commit>/library/…`, also of stripped programs.
pub(super) fn rust_inside(constants: &[u8]) -> bool {
    find(constants, b"/rustc/").is_some_and(|place| {
        let commit = constants[place + 7..]
            .iter()
            .take_while(|byte| byte.is_ascii_hexdigit());
        commit.count() == 40
    })
}

const MOST: usize = 160;

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len())
        .position(|window| window == wanted)
}

fn printable(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let kept = text.chars().filter(|letter| !letter.is_control());
    kept.collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_known_by_what_they_leave() {
        for (text, compiler) in [
            ("GCC: (Debian 12.2.0-14+deb12u1) 12.2.0", Some("GCC 12.2.0")),
            ("GCC: (GNU) 13.3.1 20240522", Some("GCC 13.3.1")),
            ("Debian clang version 14.0.6", Some("Clang 14.0.6")),
            (
                "clang LLVM (rustc version 1.95.0 (59807616e 2026-04-14))",
                Some("rustc 1.95.0"),
            ),
            (
                "rustc version 1.95.0 (59807616e 2026-04-14)",
                Some("rustc 1.95.0"),
            ),
            (
                "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2",
                Some("GCC 12.2.0"),
            ),
            ("GNU C++17 12.2.0 -mtune=generic", Some("GCC 12.2.0")),
            ("Go cmd/compile go1.26.1; regabi", Some("Go 1.26.1")),
            (
                "PostgreSQL 15.5 (Debian 15.5-0) on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit",
                Some("GCC 12.2.0"),
            ),
            ("[GCC 12.2.0]", Some("GCC 12.2.0")),
            ("GNU AS 2.40", None),
            ("Linker: LLD 14.0.6", None),
        ] {
            assert_eq!(compiler_in(text).as_deref(), compiler, "{text}");
        }
    }

    #[test]
    fn comments_come_once_and_without_what_a_terminal_obeys() {
        let section = b"GCC: (GNU) 12.1.0\0\0GCC: (GNU) 12.1.0\0a\x1b[2Jb\0";
        assert_eq!(comments(section), ["GCC: (GNU) 12.1.0", "a[2Jb"]);
    }

    #[test]
    fn programs_say_it_inside() {
        let constants = b"x\0PostgreSQL 15 compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit\0y\0";
        let expected = "PostgreSQL 15 compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit";
        assert_eq!(said_inside(constants).as_deref(), Some(expected));
        assert_eq!(said_inside(b"compiled by hand\0"), None);
        let path = format!("\0/rustc/{}/library/core/src/x.rs\0", "5".repeat(40));
        assert!(rust_inside(path.as_bytes()) && !rust_inside(b"/rustc/x"));
    }
}
