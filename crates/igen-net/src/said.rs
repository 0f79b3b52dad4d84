//! What a server or a program says in words of its own, made fit for errors and reports where it enters.

/// More of a text is cut off: an error that is longer helps nobody.
const MOST_BYTES: usize = 4096;

/// Text of a server or a program: at most 4 KiB of it, in one line, and without characters that a terminal would obey.
#[must_use]
pub fn said(bytes: &[u8]) -> String {
    let (begin, more) = match bytes.get(..MOST_BYTES) {
        Some(begin) if bytes.len() > MOST_BYTES => (begin, "…"),
        _ => (bytes, ""),
    };
    let mut text: String = String::from_utf8_lossy(begin)
        .chars()
        .map(|character| match character {
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
            character if is_obeyed(character) => char::REPLACEMENT_CHARACTER,
            character => character,
        })
        .collect();
    text.push_str(more);
    text
}

/// Control characters, and those that change the direction of what follows.
fn is_obeyed(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_text_stays_as_it_is() {
        let text = "Zeile »1«: relation \"a\" does not exist";
        assert_eq!(said(text.as_bytes()), text);
        let whole = "x".repeat(MOST_BYTES);
        assert_eq!(said(whole.as_bytes()), whole);
    }

    #[test]
    fn nothing_is_left_that_a_terminal_obeys() {
        assert_eq!(
            said(b"no\x1b[2Jthing\r\nmore\0 \xff\xc2\x9b31m"),
            "no\u{fffd}[2Jthing  more\u{fffd} \u{fffd}\u{fffd}31m"
        );
        assert_eq!(said("a\u{202e}b".as_bytes()), "a\u{fffd}b");
    }

    proptest! {
        #[test]
        fn it_is_short_and_clean(bytes in prop::collection::vec(any::<u8>(), 0..20_000)) {
            let text = said(&bytes);
            // A broken byte becomes a character of three.
            prop_assert!(text.len() <= 3 * MOST_BYTES + 3);
            prop_assert!(!text.chars().any(is_obeyed));
        }
    }
}
