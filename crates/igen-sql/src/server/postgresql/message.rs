//! Messages: a byte for the type, four for the length, then the body.

/// Bytes before a message's body.
pub(super) const HEADER: usize = 5;
/// No answer to what this driver asks is longer; a server that says so is none.
const LONGEST_BODY: usize = 16 << 20;

/// Type of a message and the bytes of its body; `None` until its header is there.
pub(super) fn header(input: &[u8]) -> Result<Option<(u8, usize)>, &'static str> {
    let Some(&[kind, a, b, c, d]) = input.first_chunk() else {
        return Ok(None);
    };
    // The length counts itself.
    let body = (u32::from_be_bytes([a, b, c, d]) as usize).checked_sub(4);
    match body {
        Some(body) if body <= LONGEST_BODY => Ok(Some((kind, body))),
        _ => Err("malformed message"),
    }
}

/// Appends a message whose body `write` appends.
pub(super) fn push(output: &mut Vec<u8>, kind: u8, write: impl FnOnce(&mut Vec<u8>)) {
    output.push(kind);
    push_sized(output, write);
}

/// Appends a body and its length, such as the first message of a connection, which has no type.
pub(super) fn push_sized(output: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = output.len();
    output.extend([0; 4]);
    write(output);
    // Nothing that this driver sends comes near 4 GiB.
    let length = u32::try_from(output.len() - start).unwrap_or(u32::MAX);
    output[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

/// Appends a text and the zero that ends it.
pub(super) fn push_text(output: &mut Vec<u8>, text: &str) {
    output.extend_from_slice(text.as_bytes());
    output.push(0);
}

/// A value of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field<'a> {
    Null,
    Bytes(&'a [u8]),
}

/// Reads a body from front to back; `None` where it is too short.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(body: &'a [u8]) -> Self {
        Self(body)
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    #[inline]
    pub(super) fn i16(&mut self) -> Option<i16> {
        self.array().map(i16::from_be_bytes)
    }

    #[inline]
    pub(super) fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_be_bytes)
    }

    /// A value with its length before it.
    #[inline]
    pub(super) fn field(&mut self) -> Option<Field<'a>> {
        match self.i32()? {
            -1 => Some(Field::Null),
            length => {
                let (value, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
                self.0 = rest;
                Some(Field::Bytes(value))
            }
        }
    }

    /// Up to the next zero.
    pub(super) fn text(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let text = &self.0[..end];
        self.0 = &self.0[end + 1..];
        Some(text)
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_message_has_type_length_and_body() {
        let mut output = Vec::new();
        push(&mut output, b'Q', |body| push_text(body, "BEGIN"));
        assert_eq!(output, b"Q\0\0\0\x0ABEGIN\0");
        assert_eq!(header(&output), Ok(Some((b'Q', 6))));
        assert_eq!(header(&output[..4]), Ok(None));
    }

    #[test]
    fn impossible_lengths_are_noticed() {
        assert!(header(b"T\0\0\0\x03").is_err());
        assert!(header(b"T\xFF\xFF\xFF\xFF").is_err());
    }

    proptest! {
        #[test]
        fn hostile_bodies_end_the_reading(body: Vec<u8>) {
            let mut reader = Reader::new(&body);
            while reader.field().is_some() {}
            let mut reader = Reader::new(&body);
            while reader.text().is_some() {}
        }
    }
}
