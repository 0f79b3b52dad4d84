//! Whether an entry that a search has found is the one that was asked for.

/// Whether two distinguished names are of one entry (RFC 4514): without regard to case, to spaces around names
/// and values, and to the way in which a character is escaped.
#[inline]
pub(super) fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.eq_ignore_ascii_case(other) || normalised(one) == normalised(other)
}

/// Between the parts of a name, where no text can hold it.
const SEPARATOR: u8 = 0;

#[cold]
fn normalised(dn: &[u8]) -> String {
    let mut parts: Vec<Vec<u8>> = vec![Vec::new()];
    let mut rest = dn.iter().copied();
    while let Some(byte) = rest.next() {
        let part = match byte {
            b',' | b';' | b'+' | b'=' => {
                parts.push(vec![SEPARATOR, byte]);
                parts.push(Vec::new());
                continue;
            }
            b'\\' => unescaped(&mut rest),
            byte => Some(byte),
        };
        if let Some(last) = parts.last_mut() {
            last.extend(part);
        }
    }
    let trimmed: Vec<u8> = parts
        .iter()
        .flat_map(|part| part.trim_ascii())
        .copied()
        .collect();
    String::from_utf8_lossy(&trimmed).to_lowercase()
}

/// What a backslash stands before: a character, or two hexadecimal digits.
fn unescaped(rest: &mut (impl Iterator<Item = u8> + Clone)) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let mut ahead = rest.clone();
    if let (Some(high), Some(low)) = (ahead.next().and_then(digit), ahead.next().and_then(digit)) {
        *rest = ahead;
        return u8::try_from(high * 16 + low).ok();
    }
    rest.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_of_one_entry_however_they_are_written() {
        for (one, other) in [
            ("uid=user.1,ou=People,dc=lab", "UID=user.1,OU=people,DC=LAB"),
            (
                "uid=user.1, ou=People , dc = lab",
                "uid=user.1,ou=People,dc=lab",
            ),
            ("cn=M\\C3\\BCller\\, Eva,dc=lab", "cn=MÜLLER\\2c Eva,dc=lab"),
            ("cn=a;dc=lab", "cn=a;dc=lab"),
        ] {
            assert!(is_same(one.as_bytes(), other.as_bytes()), "{one} {other}");
        }
        for (one, other) in [
            (
                "uid=user.1,ou=People,dc=lab",
                "uid=user.11,ou=People,dc=lab",
            ),
            ("uid=user.1,ou=People,dc=lab", "uid=user.1,dc=lab"),
            ("cn=a\\,b=c", "cn=a,b=c"),
            ("uid=a", ""),
        ] {
            assert!(!is_same(one.as_bytes(), other.as_bytes()), "{one} {other}");
        }
    }
}
