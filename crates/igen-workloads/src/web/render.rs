//! What stands in the holes of a template, for one user.

use std::time::{SystemTime, UNIX_EPOCH};

use percent_encoding::percent_encode;
use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::program::{Encoding, Hole, Piece, Program, Template, UNRESERVED};
use super::variables::Variables;
use crate::random::below;

/// What a user puts into holes.
#[derive(Debug)]
pub struct Values {
    pub id: u32,
    pub random: Xoshiro256PlusPlus,
    pub variables: Variables,
    /// The row of each table that the page has.
    pub rows: Box<[usize]>,
}

impl Values {
    /// Writes the text; an error is the place of a variable that is not set.
    pub fn write(
        &mut self,
        program: &Program,
        template: &Template,
        output: &mut Vec<u8>,
    ) -> Result<(), usize> {
        for piece in &template.0 {
            match piece {
                Piece::Text(text) => output.extend_from_slice(text),
                Piece::Hole(hole, encoding) => match *hole {
                    Hole::Variable(slot) => {
                        encode(self.variables.get(slot).ok_or(slot)?, *encoding, output);
                    }
                    Hole::Column(table, column) => {
                        let value = program.tables[table].table.value(self.rows[table], column);
                        encode(value.as_bytes(), *encoding, output);
                    }
                    Hole::Secret(secret) => {
                        encode(program.secrets[secret].as_bytes(), *encoding, output);
                    }
                    Hole::Random(low, high) => {
                        number(low + below(&mut self.random, high - low + 1), output);
                    }
                    Hole::Uuid => uuid(&mut self.random, output),
                    Hole::UserId => number(self.id.into(), output),
                    Hole::NowMs => number(now_ms(), output),
                },
            }
        }
        Ok(())
    }
}

/// Writes a number in decimal digits, without memory of its own.
pub fn number(mut number: u64, output: &mut Vec<u8>) {
    let (mut digits, mut at) = ([0_u8; 20], 20);
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            output.extend_from_slice(&digits[at..]);
            return;
        }
    }
}

/// A random UUID (version 4, RFC 9562).
fn uuid(random: &mut impl Rng, output: &mut Vec<u8>) {
    let mut bytes = [
        random.next_u64().to_be_bytes(),
        random.next_u64().to_be_bytes(),
    ]
    .concat();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    for (index, byte) in bytes.iter().enumerate() {
        if [4, 6, 8, 10].contains(&index) {
            output.push(b'-');
        }
        output.extend([byte >> 4, byte & 15].map(|half| b"0123456789abcdef"[usize::from(half)]));
    }
}

fn now_ms() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(0)
}

/// Writes a value as it stands there.
pub fn encode(value: &[u8], encoding: Encoding, output: &mut Vec<u8>) {
    match encoding {
        Encoding::Raw => output.extend_from_slice(value),
        Encoding::Header => output.extend(value.iter().filter(|byte| !byte.is_ascii_control())),
        Encoding::Percent => {
            for piece in percent_encode(value, UNRESERVED) {
                output.extend_from_slice(piece.as_bytes());
            }
        }
        Encoding::Json => {
            for byte in value {
                match byte {
                    b'"' | b'\\' => output.extend([b'\\', *byte]),
                    0..=0x1f => {
                        output.extend_from_slice(b"\\u00");
                        output.extend(
                            [byte >> 4, byte & 15]
                                .map(|half| b"0123456789abcdef"[usize::from(half)]),
                        );
                    }
                    byte => output.push(*byte),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;
    use rand_core::SeedableRng;

    use super::*;

    fn encoded(value: &str, encoding: Encoding) -> String {
        let mut output = Vec::new();
        encode(value.as_bytes(), encoding, &mut output);
        String::from_utf8(output).unwrap()
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_read_back(value in any::<String>()) {
            let json = format!("\"{}\"", encoded(&value, Encoding::Json));
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), value.clone());
            let percent = encoded(&value, Encoding::Percent);
            prop_assert_eq!(percent_encoding::percent_decode_str(&percent).decode_utf8().unwrap(), value.clone());
            prop_assert!(percent.bytes().all(|byte| byte.is_ascii_graphic() && !b"&=+#/?".contains(&byte)));
            prop_assert!(!encoded(&value, Encoding::Header).contains(['\r', '\n']));
        }

        #[test]
        fn numbers_are_decimal(value in any::<u64>()) {
            let mut output = Vec::new();
            number(value, &mut output);
            prop_assert_eq!(String::from_utf8(output).unwrap(), value.to_string());
        }
    }

    #[test]
    fn a_uuid_is_of_version_4() {
        let mut output = Vec::new();
        uuid(&mut Xoshiro256PlusPlus::seed_from_u64(1), &mut output);
        let text = String::from_utf8(output).unwrap();
        assert_eq!(
            text.split('-').map(str::len).collect::<Vec<_>>(),
            [8, 4, 4, 4, 12]
        );
        assert_eq!(&text[14..15], "4");
    }
}
