//! Rows in the binary format: every value goes into the checksum as it would from the generator.

use super::message::{Field, Reader};
use crate::value::{Checksum, timestamp_text};

/// 2000-01-01, from which the server counts.
const EPOCH_UNIX_S: i64 = 946_684_800;
/// Numerics are numbers of this base.
const NUMERIC_BASE: i64 = 10_000;

/// How a column's values are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Integer,
    Numeric,
    Timestamp,
    /// Text with blanks at its end that mean nothing.
    Character,
    /// Text, and whatever else: its bytes.
    Bytes,
}

impl Column {
    fn of_type(oid: i32) -> Self {
        match oid {
            // int8, int2, int4, and bool and float8 by their bits.
            20 | 21 | 23 | 16 | 701 => Self::Integer,
            1700 => Self::Numeric,
            1114 => Self::Timestamp,
            1042 => Self::Character,
            _ => Self::Bytes,
        }
    }
}

/// Columns of a row description.
pub(super) fn columns(description: &[u8]) -> Option<Vec<Column>> {
    let mut reader = Reader::new(description);
    let count = reader.i16()?;
    (0..count)
        .map(|_| {
            let _name = reader.text()?;
            let (_table, _position) = (reader.i32()?, reader.i16()?);
            let column = Column::of_type(reader.i32()?);
            let (_size, _modifier, _format) = (reader.i16()?, reader.i32()?, reader.i16()?);
            Some(column)
        })
        .collect()
}

/// Adds the values of a row; `None` if it is malformed.
#[inline]
pub(super) fn add(row: &[u8], columns: &[Column], checksum: &mut Checksum) -> Option<()> {
    let mut reader = Reader::new(row);
    if usize::try_from(reader.i16()?) != Ok(columns.len()) {
        return None;
    }
    for column in columns {
        let Field::Bytes(value) = reader.field()? else {
            checksum.integer(i64::MIN);
            continue;
        };
        match column {
            Column::Bytes => checksum.text(value),
            Column::Character => checksum.text(value.trim_ascii_end()),
            Column::Integer => checksum.integer(integer(value)?),
            Column::Timestamp => {
                let unix_s = integer(value)?
                    .div_euclid(1_000_000)
                    .checked_add(EPOCH_UNIX_S)?;
                checksum.text(&timestamp_text(unix_s));
            }
            Column::Numeric => match whole(value) {
                Some(integer) => checksum.integer(integer),
                None => checksum.text(value),
            },
        }
    }
    Some(())
}

#[inline]
fn integer(value: &[u8]) -> Option<i64> {
    match value.len() {
        8 => value.try_into().ok().map(i64::from_be_bytes),
        4 => Some(i32::from_be_bytes(value.try_into().ok()?).into()),
        2 => Some(i16::from_be_bytes(value.try_into().ok()?).into()),
        1 => Some(value[0].into()),
        _ => None,
    }
}

/// A numeric that is a whole number: digits of base 10,000, the first one of this weight.
fn whole(value: &[u8]) -> Option<i64> {
    const NEGATIVE: i16 = 0x4000;
    let mut reader = Reader::new(value);
    let digits = reader.i16().filter(|count| *count >= 0)?;
    let weight = reader.i16()?;
    let (sign, _scale) = (reader.i16()?, reader.i16()?);
    let mut number = 0_i64;
    for place in 0..=weight.max(digits - 1) {
        let digit = if place < digits { reader.i16()? } else { 0 };
        if !(0..NUMERIC_BASE).contains(&digit.into()) {
            return None;
        }
        if place > weight {
            // After the decimal point.
            if digit != 0 {
                return None;
            }
        } else {
            number = number
                .checked_mul(NUMERIC_BASE)?
                .checked_add(digit.into())?;
        }
    }
    match sign {
        0 => Some(number),
        NEGATIVE => Some(-number),
        // Not a number, or infinite.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::value::Value;

    fn numeric(digits: &[i16], weight: i16, sign: i16) -> Vec<u8> {
        let count = i16::try_from(digits.len()).unwrap();
        let head = [count, weight, sign, 2];
        head.iter()
            .chain(digits)
            .flat_map(|word| word.to_be_bytes())
            .collect()
    }

    #[test]
    fn whole_numerics_are_integers() {
        for (value, expected) in [
            (numeric(&[], 0, 0), Some(0)),
            (numeric(&[7], 0, 0), Some(7)),
            (numeric(&[7], 1, 0x4000), Some(-70_000)),
            (numeric(&[12, 3456], 1, 0), Some(123_456)),
            (numeric(&[12, 3456, 7_800], 1, 0), None),
            (numeric(&[7_800], -1, 0), None),
            (numeric(&[1], 0, i16::MIN | 0x4000), None),
            (numeric(&[9_999; 8], 7, 0), None),
            (vec![0x80, 0, 0, 0, 0, 0, 0, 0], None),
            (vec![0, 1, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], None),
        ] {
            assert_eq!(whole(&value), expected, "{value:?}");
        }
    }

    #[test]
    fn a_row_sums_up_like_the_generators() {
        let mut row = 5_i16.to_be_bytes().to_vec();
        let micros = (951_782_400 - EPOCH_UNIX_S) * 1_000_000;
        for value in [
            17_i32.to_be_bytes().to_vec(),
            (-5_i64).to_be_bytes().to_vec(),
            b"words".to_vec(),
            micros.to_be_bytes().to_vec(),
            numeric(&[12, 3456], 1, 0),
        ] {
            row.extend(i32::try_from(value.len()).unwrap().to_be_bytes());
            row.extend(value);
        }
        let columns = [
            Column::Integer,
            Column::Integer,
            Column::Bytes,
            Column::Timestamp,
            Column::Numeric,
        ];
        let (mut found, mut expected) = (Checksum::default(), Checksum::default());
        add(&row, &columns, &mut found).unwrap();
        expected.row(&[
            Value::Integer(17),
            Value::Integer(-5),
            Value::Text("words"),
            Value::Timestamp(951_782_400),
            Value::Integer(123_456),
        ]);
        assert_eq!(found, expected);
        assert_eq!(add(&row, &columns[..4], &mut found), None);
        assert_eq!(add(&row[..row.len() - 1], &columns, &mut found), None);
    }

    proptest! {
        #[test]
        fn hostile_rows_and_descriptions_do_no_harm(bytes: Vec<u8>) {
            let all = [Column::Integer, Column::Numeric, Column::Timestamp, Column::Character, Column::Bytes];
            let _ = add(&bytes, &all, &mut Checksum::default());
            let _ = columns(&bytes);
            let _ = whole(&bytes);
        }
    }
}
