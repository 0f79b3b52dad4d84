//! Packets: a header of three bytes length and one byte sequence number, then the payload.

/// Length of the header.
pub(super) const HEADER: usize = 4;
/// A payload of this length goes on in the next packet; no message of this driver is that long.
pub(super) const LONGEST_PAYLOAD: usize = 0xFF_FFFF;

/// Reads a payload from its start to its end; `None` where it is shorter than it says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(payload: &'a [u8]) -> Self {
        Self(payload)
    }

    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// An integer of variable length.
    pub(super) fn integer(&mut self) -> Option<u64> {
        match self.byte()? {
            0xFC => self.u16().map(u64::from),
            0xFD => {
                let [low, middle, high] = self.array()?;
                Some(u32::from_le_bytes([low, middle, high, 0]).into())
            }
            0xFE => self.array().map(u64::from_le_bytes),
            0xFB | 0xFF => None,
            small => Some(small.into()),
        }
    }

    /// Bytes after their length.
    pub(super) fn text(&mut self) -> Option<&'a [u8]> {
        let length = self.integer()?;
        self.bytes(usize::try_from(length).ok()?)
    }

    /// Bytes before a zero, which is skipped.
    pub(super) fn until_zero(&mut self) -> Option<&'a [u8]> {
        let length = self.0.iter().position(|byte| *byte == 0)?;
        let bytes = self.bytes(length);
        self.bytes(1)?;
        bytes
    }

    pub(super) fn rest(self) -> &'a [u8] {
        self.0
    }
}

/// Writes the header of the packet that begins at `start` of `output` and ends where it does.
pub(super) fn seal(output: &mut [u8], start: usize, sequence: u8) {
    let length = output.len().saturating_sub(start + HEADER);
    let length = u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
    if let Some(header) = output.get_mut(start..start + HEADER) {
        header.copy_from_slice(&[length[0], length[1], length[2], sequence]);
    }
}

/// Appends bytes after their length.
pub(super) fn push_text(output: &mut Vec<u8>, text: &[u8]) {
    match text.len() {
        length @ 0..=250 => output.push(u8::try_from(length).unwrap_or_default()),
        length => {
            output.push(0xFE);
            output.extend((length as u64).to_le_bytes());
        }
    }
    output.extend(text);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn integers_have_four_lengths() {
        for (bytes, integer) in [
            (&[250][..], Some(250)),
            (&[0xFC, 1, 2], Some(0x201)),
            (&[0xFD, 1, 2, 3], Some(0x30_201)),
            (&[0xFE, 1, 0, 0, 0, 0, 0, 0, 1], Some(0x100_0000_0000_0001)),
            (&[0xFB], None),
            (&[0xFF], None),
            (&[0xFC, 1], None),
            (&[], None),
        ] {
            assert_eq!(Reader::new(bytes).integer(), integer, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn texts_are_read_as_they_were_written(texts: Vec<Vec<u8>>, long in 0..70_000_usize) {
            let mut output = Vec::new();
            let long = vec![7; long];
            for text in texts.iter().chain([&long]) {
                push_text(&mut output, text);
            }
            let mut reader = Reader::new(&output);
            for text in texts.iter().chain([&long]) {
                prop_assert_eq!(reader.text(), Some(text.as_slice()));
            }
            prop_assert!(reader.rest().is_empty());
        }
    }
}
