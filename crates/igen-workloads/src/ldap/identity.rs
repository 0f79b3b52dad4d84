//! Whether an entry that a search has found is the one that was asked for.

/// Returns true if two distinguished names are of one entry (RFC 4514): without regard to case, to spaces around names
/// and values, to the order of the values that a name has several of, and to the way in which a character is escaped.
#[inline]
pub(super) fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.eq_ignore_ascii_case(other) || normalised(one) == normalised(other)
}

/// Between a type and its value, where no text can hold it.
const SEPARATOR: u8 = 0;

/// The names of which a distinguished name consists, from the entry up; of each its types with their values, whose
/// order says nothing.
#[cold]
fn normalised(dn: &[u8]) -> Vec<Vec<String>> {
    let (mut names, mut name) = (Vec::new(), Vec::new());
    let (mut part, mut text): (Vec<u8>, Vec<u8>) = (Vec::new(), Vec::new());
    let mut rest = dn.iter().copied();
    loop {
        let byte = rest.next();
        match byte {
            Some(b'\\') => text.extend(unescaped(&mut rest)),
            Some(b',' | b';' | b'+' | b'=') | None => {
                part.extend_from_slice(text.trim_ascii());
                text.clear();
                if byte == Some(b'=') {
                    part.extend([SEPARATOR, b'=']);
                    continue;
                }
                name.push(String::from_utf8_lossy(&part).to_lowercase());
                part.clear();
                if byte == Some(b'+') {
                    continue;
                }
                name.sort_unstable();
                names.push(std::mem::take(&mut name));
                if byte.is_none() {
                    return names;
                }
            }
            Some(byte) => text.push(byte),
        }
    }
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
            ("cn=a;dc=lab", "cn=a,dc=lab"),
            ("cn=Eva+uid=user.1,dc=lab", "UID=user.1 + cn=eva,dc=lab"),
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
            ("cn=a+sn=b,dc=lab", "cn=a,sn=b,dc=lab"),
            ("cn=a+sn=b,dc=lab", "cn=a+sn=c,dc=lab"),
            ("cn=a\\+sn=b,dc=lab", "cn=a+sn=b,dc=lab"),
            ("cn=a,dc=lab", "dc=lab,cn=a"),
            ("uid=a", ""),
        ] {
            assert!(!is_same(one.as_bytes(), other.as_bytes()), "{one} {other}");
        }
    }
}
