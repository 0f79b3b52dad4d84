//! Bodies in chunks (RFC 9112, section 7.1), decoded as they come and kept nowhere. Nothing is guessed: what is no
//! chunk by the letter of the RFC ends the connection, because the next answer could begin anywhere.

use crate::error::Error;

/// Longest line before a chunk: 16 digits and extensions, which no server is known to use.
const MOST_LINE_BYTES: usize = 4 * 1024;
/// Longest trailer section.
const MOST_TRAILER_BYTES: usize = 64 * 1024;

const NO_SIZE: Error = Error::Protocol("malformed answer: a chunk without size");
const NO_END: Error = Error::Protocol("malformed answer: a chunk without end");
const LONG_LINE: Error =
    Error::Protocol("malformed answer: a size line of more than 4 KiB for a chunk");
const BAD_TRAILER: Error = Error::Protocol("malformed answer: an invalid trailer");
const LONG_TRAILER: Error = Error::Protocol("malformed answer: trailers of more than 64 KiB");

/// Where in the body the next byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// In the size, after a digit or before the first one.
    Size { digits: bool },
    /// Behind the size, in its extensions.
    Extension,
    /// Before the line feed that ends the line of the size.
    SizeEnd,
    /// In a chunk of which so many bytes are still to come.
    Data,
    /// Before the carriage return behind a chunk.
    DataReturn,
    /// Before the line feed behind it.
    DataEnd,
    /// At the begin of a line behind the last chunk.
    Trailer,
    /// In a trailer.
    TrailerLine,
    /// Before the line feed that ends a trailer.
    TrailerEnd,
    /// Before the line feed that ends the body.
    BodyEnd,
    /// Behind the body.
    End,
}

/// A body in chunks, as far as it has come.
#[derive(Debug)]
pub(crate) struct Chunked {
    at: At,
    /// Bytes of the chunk that are still to come.
    size: u64,
    /// Length of the line or trailers that are being read.
    bytes: usize,
}

impl Chunked {
    pub(crate) fn new() -> Self {
        Self {
            at: At::Size { digits: false },
            size: 0,
            bytes: 0,
        }
    }

    /// Returns true if all of it has come.
    pub(crate) fn has_ended(&self) -> bool {
        self.at == At::End
    }

    /// Bytes of the current chunk that are still to come.
    pub(crate) fn remaining(&self) -> u64 {
        if self.at == At::Data { self.size } else { 0 }
    }

    /// Reads `input` up to its end or the body's, and shows what belongs to the content to `content`; the bytes
    /// that were read.
    #[inline]
    pub(crate) fn read(
        &mut self,
        input: &[u8],
        mut content: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        let mut read = 0;
        while read < input.len() && self.at != At::End {
            if self.at == At::Data {
                let rest = &input[read..];
                let most = usize::try_from(self.size).unwrap_or(usize::MAX);
                let piece = &rest[..rest.len().min(most)];
                content(piece)?;
                read += piece.len();
                self.size -= piece.len() as u64;
                if self.size == 0 {
                    self.at = At::DataReturn;
                }
            } else {
                self.step(input[read])?;
                read += 1;
            }
        }
        Ok(read)
    }

    /// A byte outside of the content.
    fn step(&mut self, byte: u8) -> Result<(), Error> {
        self.bytes += 1;
        self.at = match (self.at, byte) {
            (At::Size { .. } | At::Extension | At::SizeEnd, _) if self.bytes > MOST_LINE_BYTES => {
                return Err(LONG_LINE);
            }
            (At::Size { .. }, byte) if byte.is_ascii_hexdigit() => {
                self.size = more(self.size, byte).ok_or(NO_SIZE)?;
                At::Size { digits: true }
            }
            (At::Size { digits: true } | At::Extension, b'\r') => At::SizeEnd,
            (At::Size { digits: true }, b';' | b' ' | b'\t') => At::Extension,
            (At::Extension, byte) if is_text(byte) => At::Extension,
            (At::SizeEnd, b'\n') => {
                self.bytes = 0;
                if self.size == 0 {
                    At::Trailer
                } else {
                    At::Data
                }
            }
            (At::Size { .. } | At::Extension | At::SizeEnd, _) => return Err(NO_SIZE),
            (At::DataReturn, b'\r') => At::DataEnd,
            (At::DataEnd, b'\n') => {
                self.bytes = 0;
                At::Size { digits: false }
            }
            (At::DataReturn | At::DataEnd, _) => return Err(NO_END),
            (At::Trailer | At::TrailerLine | At::TrailerEnd, _)
                if self.bytes > MOST_TRAILER_BYTES =>
            {
                return Err(LONG_TRAILER);
            }
            (At::Trailer, b'\r') => At::BodyEnd,
            (At::Trailer, byte) if byte.is_ascii_graphic() => At::TrailerLine,
            (At::TrailerLine, b'\r') => At::TrailerEnd,
            (At::TrailerLine, byte) if is_text(byte) => At::TrailerLine,
            (At::TrailerEnd, b'\n') => At::Trailer,
            (At::BodyEnd, b'\n') => At::End,
            (At::Trailer | At::TrailerLine | At::TrailerEnd | At::BodyEnd, _) => {
                return Err(BAD_TRAILER);
            }
            (at @ (At::Data | At::End), _) => at,
        };
        Ok(())
    }
}

/// A size with one more hexadecimal digit; `None` when it is larger than any body.
fn more(size: u64, digit: u8) -> Option<u64> {
    let digit = char::from(digit).to_digit(16)?;
    size.checked_mul(16)?.checked_add(digit.into())
}

/// What may stand in a line: anything but control characters, of which a tab is none here.
fn is_text(byte: u8) -> bool {
    byte == b'\t' || !byte.is_ascii_control()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    /// Reads a body in pieces of these lengths; its content, and how much of it was read.
    fn read(body: &[u8], pieces: &[usize]) -> Result<(Vec<u8>, usize), Error> {
        let (mut chunked, mut content, mut read) = (Chunked::new(), Vec::new(), 0);
        let mut pieces = pieces.iter().copied().chain(std::iter::repeat(usize::MAX));
        while read < body.len() && !chunked.has_ended() {
            let rest = &body[read..];
            let piece = &rest[..rest.len().min(pieces.next().unwrap_or(1))];
            read += chunked.read(piece, |bytes| {
                content.extend_from_slice(bytes);
                Ok(())
            })?;
        }
        Ok((content, read))
    }

    #[test]
    fn a_body_ends_where_its_last_chunk_and_its_trailers_do() {
        for (body, content) in [
            (&b"0\r\n\r\n"[..], &b""[..]),
            (b"3\r\nabc\r\n0\r\n\r\n", b"abc"),
            (b"3;x=y\r\nabc\r\n2 ; z\r\nde\r\n000\r\n\r\n", b"abcde"),
            (
                b"a\r\n0123456789\r\n0\r\nMAC: 17\r\nX: \r\n\r\n",
                b"0123456789",
            ),
        ] {
            let with_next = [body, b"HTTP/1.1 200 OK"].concat();
            let (found, bytes) = read(&with_next, &[]).unwrap();
            assert_eq!((found.as_slice(), bytes), (content, body.len()));
        }
    }

    #[test]
    fn nothing_is_guessed() {
        for body in [
            &b"\r\n"[..],
            b"x\r\n",
            b"-1\r\n",
            b"3\nabc\r\n",
            b"3\r\nabcd\r\n",
            b"3\r\nabc0\r\n",
            b"10000000000000000\r\n",
            b"0\r\n\n",
            b"0\r\n folded\r\n\r\n",
            b"0\r\nX: \0\r\n\r\n",
            b"3;\0\r\nabc",
        ] {
            assert!(read(body, &[]).is_err(), "{body:?}");
        }
        let long = [b"1;".as_slice(), &[b'x'; 5000]].concat();
        assert!(read(&long, &[]).is_err());
        let many = [b"0\r\n".as_slice(), &b"X: y\r\n".repeat(20_000)].concat();
        assert!(read(&many, &[]).is_err());
    }

    proptest! {
        #[test]
        fn how_a_body_arrives_makes_no_difference(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..50), 0..8),
            pieces in prop::collection::vec(1_usize..20, 0..60),
        ) {
            let mut body = Vec::new();
            for chunk in &chunks {
                body.extend(format!("{:X}\r\n", chunk.len()).into_bytes());
                body.extend(chunk);
                body.extend(b"\r\n");
            }
            body.extend(b"0\r\n\r\n");
            let (content, bytes) = read(&body, &pieces).unwrap();
            prop_assert_eq!(content, chunks.concat());
            prop_assert_eq!(bytes, body.len());
        }

        #[test]
        fn garbage_ends_or_is_refused(body in prop::collection::vec(any::<u8>(), 0..2000), pieces in prop::collection::vec(1_usize..40, 0..60)) {
            prop_assert_eq!(read(&body, &pieces).is_ok(), read(&body, &[]).is_ok());
        }
    }
}
