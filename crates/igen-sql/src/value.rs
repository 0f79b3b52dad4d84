//! Values on their way into and out of a database, whatever its engine.

/// A column's value as a loader writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// Any integer type; a decimal column takes it as a whole number.
    Integer(i64),
    /// A text of fixed or variable length.
    Text(&'a str),
    /// A timestamp without time zone, in seconds since 1970 (UTC), 0000 to 9999.
    Timestamp(i64),
}

/// What a select returned: every column of every row was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rows {
    /// Number of rows.
    pub count: u64,
    /// Checksum of all their values, in order.
    pub checksum: Checksum,
}

/// What commits have written to a log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogWritten {
    /// Pages.
    pub writes: u64,
    /// Times that the disk was told to keep what was written.
    pub flushes: u64,
    /// Bytes of the pages and of the headers of the log before each.
    pub bytes: u64,
}

/// An order-dependent checksum of values: equal whether they come from the generator or from a
/// database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checksum(u64);

impl Checksum {
    /// Adds the values of a generated row.
    pub fn row(&mut self, values: &[Value<'_>]) {
        for value in values {
            match *value {
                Value::Integer(integer) => self.integer(integer),
                Value::Text(text) => self.text(text.as_bytes()),
                Value::Timestamp(unix_s) => self.text(&timestamp_text(unix_s)),
            }
        }
    }

    /// Adds an integer.
    pub fn integer(&mut self, integer: i64) {
        self.word(integer.cast_unsigned());
    }

    /// Adds a text; a timestamp counts as its text `YYYY-MM-DD HH:MM:SS`.
    pub fn text(&mut self, text: &[u8]) {
        let (words, rest) = text.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
        self.word(text.len() as u64);
    }

    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(23);
    }
}

/// `YYYY-MM-DD HH:MM:SS` of a time in seconds since 1970 (UTC), without allocation.
#[must_use]
pub fn timestamp_text(unix_s: i64) -> [u8; 19] {
    const SECONDS_PER_DAY: i64 = 86_400;
    let (year, month, day) = civil_date(unix_s.div_euclid(SECONDS_PER_DAY));
    let second = unix_s.rem_euclid(SECONDS_PER_DAY);
    let mut text = *b"0000-00-00 00:00:00";
    for (at, width, number) in [
        (0, 4, year),
        (5, 2, month),
        (8, 2, day),
        (11, 2, second / 3_600),
        (14, 2, second / 60 % 60),
        (17, 2, second % 60),
    ] {
        let mut rest = number;
        for digit in text[at..at + width].iter_mut().rev() {
            *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
        }
    }
    text
}

/// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
///
/// Years are counted from 1 March, so that the leap day is the last of its year and the months
/// before it have a regular length: month m starts on day (153 m + 2) / 5.
fn civil_date(unix_day: i64) -> (i64, i64, i64) {
    const DAYS_PER_400_YEARS: i64 = 146_097;
    const DAYS_FROM_MARCH_0000_TO_1970: i64 = 719_468;
    let day = unix_day + DAYS_FROM_MARCH_0000_TO_1970;
    let cycle = day.div_euclid(DAYS_PER_400_YEARS);
    let day = day.rem_euclid(DAYS_PER_400_YEARS);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (400 * cycle + year + carry, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_read_as_the_calendar_says() {
        for (unix_s, text) in [
            (0, "1970-01-01 00:00:00"),
            (951_782_399, "2000-02-28 23:59:59"),
            (951_782_400, "2000-02-29 00:00:00"),
            (951_868_800, "2000-03-01 00:00:00"),
            (1_104_537_600, "2005-01-01 00:00:00"),
            (4_107_542_399, "2100-02-28 23:59:59"),
            (4_107_542_400, "2100-03-01 00:00:00"),
            (-1, "1969-12-31 23:59:59"),
        ] {
            assert_eq!(timestamp_text(unix_s), *text.as_bytes(), "{unix_s}");
        }
    }

    #[test]
    fn a_checksum_sees_order_length_and_boundaries() {
        let of = |values: &[Value<'_>]| {
            let mut checksum = Checksum::default();
            checksum.row(values);
            checksum
        };
        let text = Value::Text;
        let different = [
            of(&[text("ab"), text("c")]),
            of(&[text("a"), text("bc")]),
            of(&[text("c"), text("ab")]),
            of(&[text("abc")]),
            of(&[text("abc\0")]),
            of(&[Value::Integer(1), Value::Integer(2)]),
            of(&[Value::Integer(2), Value::Integer(1)]),
        ];
        for (i, one) in different.iter().enumerate() {
            assert!(different[..i].iter().all(|other| other != one), "{i}");
        }
        assert_eq!(
            of(&[Value::Timestamp(0)]),
            of(&[text("1970-01-01 00:00:00")])
        );
    }
}
