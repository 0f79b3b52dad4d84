//! Memory that direct I/O accepts.

/// Good for every device: the largest logical block of the field, and the size of a page.
pub const ALIGNMENT_BYTES: usize = 4096;

/// Bytes at an address that is a multiple of `ALIGNMENT_BYTES`; they never move.
pub struct Buffer {
    memory: Vec<u8>,
    start: usize,
    bytes: usize,
}

impl Buffer {
    /// `bytes` zeros.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        let memory = vec![0; bytes + ALIGNMENT_BYTES];
        let start = memory.as_ptr().align_offset(ALIGNMENT_BYTES);
        Self {
            memory,
            start,
            bytes,
        }
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.bytes]
    }

    /// The bytes, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.bytes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_aligned_and_all_bytes_are_there() {
        for bytes in [1, 511, 4096, 1 << 20] {
            let mut buffer = Buffer::new(bytes);
            assert_eq!(buffer.bytes().as_ptr().align_offset(ALIGNMENT_BYTES), 0);
            assert_eq!(buffer.bytes_mut().len(), bytes);
        }
    }
}
