//! The part of BER that LDAP uses (RFC 4511, section 5.1): tags of one byte, definite lengths.

/// Bytes of a length, after the first one, that anybody needs.
const MOST_LENGTH_BYTES: usize = 4;

pub(super) const BOOLEAN: u8 = 0x01;
pub(super) const INTEGER: u8 = 0x02;
pub(super) const OCTET_STRING: u8 = 0x04;
pub(super) const ENUMERATED: u8 = 0x0a;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;

/// Appends an element whose content `write` appends.
#[inline]
pub(super) fn push(output: &mut Vec<u8>, tag: u8, write: impl FnOnce(&mut Vec<u8>)) {
    output.extend([tag, 0]);
    let start = output.len();
    write(output);
    let length = output.len() - start;
    match u8::try_from(length) {
        Ok(short @ 0..0x80) => output[start - 1] = short,
        _ => push_long_length(output, start, length),
    }
}

/// Makes room for a length that one byte does not hold.
#[expect(clippy::cast_possible_truncation, reason = "eight at most")]
fn push_long_length(output: &mut Vec<u8>, start: usize, length: usize) {
    let bytes = length.to_be_bytes();
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let bytes = &bytes[zeros..];
    output[start - 1] = 0x80 | bytes.len() as u8;
    output.splice(start..start, bytes.iter().copied());
}

/// Appends a string of bytes.
#[inline]
pub(super) fn push_bytes(output: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    match u8::try_from(bytes.len()) {
        Ok(short @ 0..0x80) => {
            output.extend([tag, short]);
            output.extend_from_slice(bytes);
        }
        _ => push(output, tag, |output| output.extend_from_slice(bytes)),
    }
}

/// Appends a number from 0 on.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "five at most")]
pub(super) fn push_number(output: &mut Vec<u8>, tag: u8, number: u32) {
    let bytes = number.to_be_bytes();
    let zeros = bytes[..3].iter().take_while(|byte| **byte == 0).count();
    // A first bit would be a sign.
    let sign = usize::from(bytes[zeros] >= 0x80);
    output.extend([tag, (4 - zeros + sign) as u8]);
    output.extend(std::iter::repeat_n(0, sign));
    output.extend_from_slice(&bytes[zeros..]);
}

/// Elements that follow each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Tag and content of the next element; `None` where there is none, or a broken one.
    #[inline]
    pub(super) fn element(&mut self) -> Option<(u8, &'a [u8])> {
        let (header, length) = header(self.rest)??;
        let content = self.rest.get(header..header.checked_add(length)?)?;
        let tag = self.rest[0];
        self.rest = &self.rest[header + length..];
        Some((tag, content))
    }

    /// Content of the next element, which must have this tag.
    #[inline]
    pub(super) fn expect(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.element()
            .filter(|(found, _)| *found == tag)
            .map(|(_, content)| content)
    }

    /// The next number, which must have this tag and not be below 0.
    #[inline]
    pub(super) fn number(&mut self, tag: u8) -> Option<u32> {
        let content = self.expect(tag)?;
        let negative = content.first()? & 0x80 != 0;
        let (zeros, digits) = content.split_at(content.len().saturating_sub(4));
        if negative || zeros.iter().any(|byte| *byte != 0) {
            return None;
        }
        Some(
            digits
                .iter()
                .fold(0, |number, digit| number << 8 | u32::from(*digit)),
        )
    }

    /// The next string of bytes.
    #[inline]
    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        self.expect(OCTET_STRING)
    }
}

/// Bytes of the header of the element that `input` begins with, and of its content: `None` for a
/// header that is broken, `Some(None)` where it is not complete.
#[inline]
#[expect(
    clippy::option_option,
    reason = "broken and incomplete are different things"
)]
pub(super) fn header(input: &[u8]) -> Option<Option<(usize, usize)>> {
    let [tag, first, rest @ ..] = input else {
        return Some(None);
    };
    if tag & 0x1f == 0x1f {
        return None;
    }
    if *first < 0x80 {
        return Some(Some((2, usize::from(*first))));
    }
    let bytes = usize::from(first & 0x7f);
    // None would be a length that only the content tells.
    if !(1..=MOST_LENGTH_BYTES).contains(&bytes) {
        return None;
    }
    let Some(length) = rest.get(..bytes) else {
        return Some(None);
    };
    let length = length
        .iter()
        .fold(0, |length, byte| length << 8 | usize::from(*byte));
    Some(Some((2 + bytes, length)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        for (number, expected) in [
            (0, &[2, 1, 0][..]),
            (127, &[2, 1, 0x7f]),
            (128, &[2, 2, 0, 0x80]),
            (256, &[2, 2, 1, 0]),
            (0x7fff_ffff, &[2, 4, 0x7f, 0xff, 0xff, 0xff]),
            (u32::MAX, &[2, 5, 0, 0xff, 0xff, 0xff, 0xff]),
        ] {
            let mut output = Vec::new();
            push_number(&mut output, INTEGER, number);
            assert_eq!(output, expected, "{number}");
        }
    }

    #[test]
    fn what_nobody_may_send_is_broken_and_what_is_cut_off_incomplete() {
        for (bytes, expected) in [
            (&[0x30, 5][..], Some(Some((2, 5)))),
            (&[0x30, 0x82, 1, 0], Some(Some((4, 256)))),
            (&[], Some(None)),
            (&[0x30], Some(None)),
            (&[0x30, 0x82, 1], Some(None)),
            // A length that only the end of the content tells, one of five bytes, a long tag.
            (&[0x30, 0x80], None),
            (&[0x30, 0x85, 0, 0, 0, 0, 1], None),
            (&[0x3f, 1], None),
        ] {
            assert_eq!(header(bytes), expected, "{bytes:02x?}");
        }
        assert_eq!(Reader::new(&[2, 1, 0x80]).number(INTEGER), None, "negative");
        assert_eq!(Reader::new(&[2, 0]).number(INTEGER), None, "no digits");
        assert_eq!(Reader::new(&[2, 5, 1, 0, 0, 0, 0]).number(INTEGER), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            numbers: Vec<u32>, text in prop::collection::vec(any::<u8>(), 0..70_000)
        ) {
            let mut output = Vec::new();
            push(&mut output, SEQUENCE, |output| {
                push_bytes(output, OCTET_STRING, &text);
                for number in &numbers {
                    push_number(output, ENUMERATED, *number);
                }
            });
            let mut outer = Reader::new(&output);
            let mut inner = Reader::new(outer.expect(SEQUENCE).unwrap());
            prop_assert_eq!(outer.element(), None);
            prop_assert_eq!(inner.bytes(), Some(&text[..]));
            for number in numbers {
                prop_assert_eq!(inner.number(ENUMERATED), Some(number));
            }
            prop_assert_eq!(inner.element(), None);
        }

        #[test]
        fn hostile_bytes_do_no_harm(bytes: Vec<u8>) {
            let mut reader = Reader::new(&bytes);
            while let Some((_, content)) = reader.element() {
                prop_assert!(content.len() <= bytes.len());
            }
            let _ = reader.number(INTEGER);
        }
    }
}
