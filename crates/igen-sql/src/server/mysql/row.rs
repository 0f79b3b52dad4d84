//! Columns of a result, and rows in the binary protocol, read straight from the input.

use super::packet::Reader;
use crate::value::Checksum;

/// How the values of a column are encoded in the binary protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Signed8,
    Unsigned8,
    Signed16,
    Unsigned16,
    Signed32,
    Unsigned32,
    /// Also unsigned: above 2^63 it wraps around.
    Integer64,
    Single,
    Double,
    /// A text of digits.
    Decimal,
    /// Date, or date and time.
    Timestamp,
    /// Anything with its length before it.
    Text,
}

impl Column {
    /// Reads a column's definition.
    pub(super) fn of_packet(payload: &[u8]) -> Option<Self> {
        const UNSIGNED: u16 = 32;
        let mut reader = Reader::new(payload);
        for _catalog_schema_table_and_name in 0..6 {
            reader.text()?;
        }
        let mut fixed = Reader::new(reader.text()?);
        let _character_set_and_length = fixed.bytes(6)?;
        let kind = fixed.byte()?;
        let unsigned = fixed.u16()? & UNSIGNED != 0;
        Some(match (kind, unsigned) {
            (1, false) => Self::Signed8,
            (1, true) => Self::Unsigned8,
            (2, false) => Self::Signed16,
            // 13 is a year.
            (2, true) | (13, _) => Self::Unsigned16,
            (3 | 9, false) => Self::Signed32,
            (3 | 9, true) => Self::Unsigned32,
            (8, _) => Self::Integer64,
            (4, _) => Self::Single,
            (5, _) => Self::Double,
            (0 | 246, _) => Self::Decimal,
            (7 | 10 | 12, _) => Self::Timestamp,
            _ => Self::Text,
        })
    }

    fn add(self, reader: &mut Reader<'_>, checksum: &mut Checksum) -> Option<()> {
        match self {
            Self::Signed8 => checksum.integer(reader.array().map(i8::from_le_bytes)?.into()),
            Self::Unsigned8 => checksum.integer(reader.byte()?.into()),
            Self::Signed16 => checksum.integer(reader.array().map(i16::from_le_bytes)?.into()),
            Self::Unsigned16 => checksum.integer(reader.u16()?.into()),
            Self::Signed32 => checksum.integer(reader.array().map(i32::from_le_bytes)?.into()),
            Self::Unsigned32 => checksum.integer(reader.u32()?.into()),
            Self::Integer64 => checksum.integer(reader.array().map(i64::from_le_bytes)?),
            Self::Single => {
                let single = reader.array().map(f32::from_le_bytes)?;
                checksum.integer(f64::from(single).to_bits().cast_signed());
            }
            Self::Double => {
                let double = reader.array().map(f64::from_le_bytes)?;
                checksum.integer(double.to_bits().cast_signed());
            }
            Self::Decimal => {
                let text = reader.text()?;
                match whole_number(text) {
                    Some(integer) => checksum.integer(integer),
                    None => checksum.text(text),
                }
            }
            Self::Timestamp => checksum.text(&timestamp_text(reader.text()?)?),
            Self::Text => checksum.text(reader.text()?),
        }
        Some(())
    }
}

/// Adds the values of the row in `payload` to `checksum`; `None` if they do not fit `columns`.
pub(super) fn add_row(payload: &[u8], columns: &[Column], checksum: &mut Checksum) -> Option<()> {
    /// The first two bits of the nulls stand for nothing.
    const UNUSED_BITS: usize = 2;
    let mut reader = Reader::new(payload);
    let _zero = reader.byte()?;
    let nulls = reader.bytes((columns.len() + UNUSED_BITS).div_ceil(8))?;
    for (index, column) in columns.iter().enumerate() {
        let bit = index + UNUSED_BITS;
        if nulls[bit / 8] >> (bit % 8) & 1 == 1 {
            checksum.integer(i64::MIN);
        } else {
            column.add(&mut reader, checksum)?;
        }
    }
    Some(())
}

/// The whole number that a decimal such as `-1200.00` is.
fn whole_number(decimal: &[u8]) -> Option<i64> {
    let (negative, digits) = match decimal {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let mut number = 0_i64;
    let mut digits = digits.iter();
    for digit in digits.by_ref() {
        match digit {
            b'0'..=b'9' => {
                number = number
                    .checked_mul(10)?
                    .checked_add(i64::from(digit - b'0'))?;
            }
            b'.' => break,
            _ => return None,
        }
    }
    let whole = digits.all(|digit| *digit == b'0');
    whole.then_some(if negative { -number } else { number })
}

/// `YYYY-MM-DD HH:MM:SS` of a date and time; fractions of a second are left out.
fn timestamp_text(encoded: &[u8]) -> Option<[u8; 19]> {
    let mut text = *b"0000-00-00 00:00:00";
    let mut reader = Reader::new(encoded);
    // A time of zero is left out, so is a date of zero.
    if !encoded.is_empty() {
        let year = reader.u16()?;
        two_digits(&mut text, 0, u8::try_from(year / 100).ok()?);
        two_digits(&mut text, 2, u8::try_from(year % 100).ok()?);
        two_digits(&mut text, 5, reader.byte()?);
        two_digits(&mut text, 8, reader.byte()?);
    }
    if encoded.len() > 4 {
        for at in [11, 14, 17] {
            two_digits(&mut text, at, reader.byte()?);
        }
    }
    Some(text)
}

fn two_digits(text: &mut [u8; 19], at: usize, number: u8) {
    text[at] = b'0' + number / 10 % 10;
    text[at + 1] = b'0' + number % 10;
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::value::Value;

    const ALL: &[Column] = &[
        Column::Signed8,
        Column::Unsigned8,
        Column::Signed16,
        Column::Unsigned16,
        Column::Signed32,
        Column::Unsigned32,
        Column::Integer64,
        Column::Single,
        Column::Double,
        Column::Decimal,
        Column::Timestamp,
        Column::Text,
    ];

    fn checksum(values: &[Value<'_>]) -> Checksum {
        let mut checksum = Checksum::default();
        checksum.row(values);
        checksum
    }

    #[test]
    fn a_row_counts_as_the_values_it_was_made_of() {
        let columns = [
            Column::Signed32,
            Column::Integer64,
            Column::Decimal,
            Column::Text,
            Column::Timestamp,
            Column::Signed8,
        ];
        let mut row = vec![0, 0];
        row.extend((-5_i32).to_le_bytes());
        row.extend(7_000_000_000_i64.to_le_bytes());
        row.extend(b"\x08-1234.00");
        row.extend(b"\x02ab");
        row.extend([7, 0xD5, 0x07, 1, 1, 23, 59, 58]);
        row.push(0xFF);
        let mut read = Checksum::default();
        add_row(&row, &columns, &mut read).expect("complete");
        assert_eq!(
            read,
            checksum(&[
                Value::Integer(-5),
                Value::Integer(7_000_000_000),
                Value::Integer(-1_234),
                Value::Text("ab"),
                Value::Timestamp(1_104_623_998),
                Value::Integer(-1),
            ])
        );
        let mut nulls = Checksum::default();
        add_row(&[0, 0b1111_1100], &columns, &mut nulls).expect("complete");
        assert_eq!(nulls, checksum(&[Value::Integer(i64::MIN); 6]));
    }

    #[test]
    fn decimals_are_whole_numbers_where_they_can_be() {
        for (text, number) in [
            ("0.00", Some(0)),
            ("-1200.00", Some(-1200)),
            ("17", Some(17)),
            ("17.10", None),
            ("1e3", None),
            ("99999999999999999999.0", None),
        ] {
            assert_eq!(whole_number(text.as_bytes()), number, "{text}");
        }
    }

    #[test]
    fn dates_and_times_have_three_lengths() {
        for (encoded, text) in [
            (&[][..], "0000-00-00 00:00:00"),
            (&[0xEA, 0x07, 11, 21], "2026-11-21 00:00:00"),
            (&[0xEA, 0x07, 11, 21, 5, 4, 3], "2026-11-21 05:04:03"),
            (
                &[0xEA, 0x07, 11, 21, 5, 4, 3, 9, 9, 9, 9],
                "2026-11-21 05:04:03",
            ),
        ] {
            assert_eq!(
                timestamp_text(encoded),
                Some(*text.as_bytes().as_array().unwrap())
            );
        }
        assert_eq!(timestamp_text(&[1]), None);
    }

    proptest! {
        #[test]
        fn no_row_and_no_column_panics(payload: Vec<u8>, columns in 0..=ALL.len()) {
            let _ = add_row(&payload, &ALL[..columns], &mut Checksum::default());
            let _ = Column::of_packet(&payload);
            let _ = timestamp_text(&payload);
        }
    }
}
