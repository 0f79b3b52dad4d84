//! A prepared statement as the bytes that run it: only the parameters change.

use super::message;
use super::row::Column;

/// Bytes of a parameter: its length, and an integer of 64 bits.
const PARAMETER_BYTES: usize = 12;

/// A prepared statement.
pub struct Statement {
    /// Bind, Execute and Sync.
    messages: Vec<u8>,
    /// Where the first parameter's length stands in them.
    parameters_at: usize,
    parameters: usize,
    pub(super) columns: Vec<Column>,
}

impl Statement {
    /// The statement that the server knows as `name`.
    pub(super) fn new(name: &str, parameters: usize, columns: Vec<Column>) -> Self {
        const BINARY: [u8; 4] = [0, 1, 0, 1];
        let mut messages = Vec::new();
        let mut parameters_at = 0;
        message::push(&mut messages, b'B', |body| {
            message::push_text(body, "");
            message::push_text(body, name);
            body.extend(BINARY);
            body.extend(u16::try_from(parameters).unwrap_or(u16::MAX).to_be_bytes());
            parameters_at = body.len();
            for _ in 0..parameters {
                body.extend(8_u32.to_be_bytes());
                body.extend([0; 8]);
            }
            body.extend(BINARY);
        });
        message::push(&mut messages, b'E', |body| {
            message::push_text(body, "");
            body.extend(0_u32.to_be_bytes());
        });
        message::push(&mut messages, b'S', |_| ());
        Self {
            messages,
            parameters_at,
            parameters,
            columns,
        }
    }

    /// The messages that run it with `parameters`; `None` if they are too many or too few.
    #[inline]
    pub(super) fn messages(&mut self, parameters: &[i64]) -> Option<&[u8]> {
        if parameters.len() != self.parameters {
            return None;
        }
        for (index, parameter) in parameters.iter().enumerate() {
            let at = self.parameters_at + index * PARAMETER_BYTES + 4;
            self.messages
                .get_mut(at..at + 8)?
                .copy_from_slice(&parameter.to_be_bytes());
        }
        Some(&self.messages)
    }
}

/// `sql` with the server's placeholders, `$1` and so on, and how many there are. Quoted texts have no
/// placeholders.
pub(super) fn numbered(sql: &str) -> (String, usize) {
    let (mut text, mut count, mut quoted) = (String::with_capacity(sql.len() + 8), 0, false);
    for character in sql.chars() {
        quoted ^= character == '\'';
        if character == '?' && !quoted {
            count += 1;
            text.push('$');
            text.push_str(&count.to_string());
        } else {
            text.push(character);
        }
    }
    (text, count)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn placeholders_are_numbered() {
        let (text, count) = numbered("SELECT '?' FROM t WHERE a = ? AND b = ?");
        assert_eq!(text, "SELECT '?' FROM t WHERE a = $1 AND b = $2");
        assert_eq!(count, 2);
    }

    #[test]
    fn only_the_parameters_change() {
        let mut statement = Statement::new("s0", 2, Vec::new());
        let one = statement.messages(&[1, -1]).unwrap().to_vec();
        let mut bind = b"\0s0\0\0\x01\0\x01\0\x02".to_vec();
        bind.extend([0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8]);
        bind.extend([0xFF; 8]);
        bind.extend([0, 1, 0, 1]);
        let mut expected = vec![b'B', 0, 0, 0, u8::try_from(bind.len() + 4).unwrap()];
        expected.extend(bind);
        expected.extend(b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04");
        assert_eq!(one, expected);
        assert_ne!(statement.messages(&[2, -1]).unwrap(), one);
        assert_eq!(statement.messages(&[1, -1]).unwrap(), one);
        assert_eq!(statement.messages(&[1]), None);
    }
}
