//! An LDIF file (RFC 2849) of somebody's own tree: who is in it, and under which name.

use std::fs::File;
use std::io::{BufRead, BufReader, Result as IoResult};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use igen_job::JobError;

/// The persons of a file, one after another in one piece of memory.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct KeyFile {
    bytes: Vec<u8>,
    /// Ends of distinguished name, login and password.
    ends: Vec<[usize; 3]>,
}

/// A person.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Person<'a> {
    pub(super) dn: &'a [u8],
    pub(super) login: &'a [u8],
    /// Empty where it is not known.
    pub(super) password: &'a [u8],
}

/// What was read of an entry.
#[derive(Default)]
struct Read {
    dn: Vec<u8>,
    login: Vec<u8>,
    password: Vec<u8>,
}

impl KeyFile {
    /// The entries of the file that have `login_attribute`; an error is about the parameter `keys`.
    pub(super) fn read(path: &Path, login_attribute: &str) -> Result<Self, JobError> {
        let fault =
            |what: String| JobError::at("params.keys", format!("{}: {what}", path.display()));
        let file = File::open(path).map_err(|error| fault(error.to_string()))?;
        let keys = Self::of(BufReader::new(file), login_attribute);
        let keys = keys.map_err(|error| fault(error.to_string()))?;
        if keys.ends.is_empty() {
            return Err(
                fault(format!("no entry has the attribute {login_attribute}")).hint(
                    "set the attribute that identifies persons, such as login_attribute=mail",
                ),
            );
        }
        Ok(keys)
    }

    /// The entries of an LDIF text.
    pub(super) fn of(file: impl BufRead, login_attribute: &str) -> IoResult<Self> {
        let mut keys = Self::default();
        let mut entry = Read::default();
        let mut line: Vec<u8> = Vec::new();
        for next in file.split(b'\n') {
            let mut next = next?;
            if next.ends_with(b"\r") {
                next.pop();
            }
            if let Some(rest) = next.strip_prefix(b" ") {
                line.extend_from_slice(rest);
                continue;
            }
            entry.take(&line, login_attribute);
            if next.is_empty() {
                keys.add(&std::mem::take(&mut entry));
            }
            line = next;
        }
        entry.take(&line, login_attribute);
        keys.add(&entry);
        Ok(keys)
    }

    fn add(&mut self, entry: &Read) {
        if entry.dn.is_empty() || entry.login.is_empty() {
            return;
        }
        let ends = [&entry.dn, &entry.login, &entry.password].map(|part| {
            self.bytes.extend_from_slice(part);
            self.bytes.len()
        });
        self.ends.push(ends);
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Persons whose password is known.
    pub(super) fn passwords(&self) -> usize {
        self.ends
            .iter()
            .filter(|[_, login, password]| password > login)
            .count()
    }

    /// The person of that index, counted from 0.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Person<'_> {
        let start = match index {
            0 => 0,
            _ => self.ends[index - 1][2],
        };
        let [dn, login, password] = self.ends[index];
        Person {
            dn: &self.bytes[start..dn],
            login: &self.bytes[dn..login],
            password: &self.bytes[login..password],
        }
    }
}

impl Read {
    /// Takes what is of use of a line: the first value of each.
    fn take(&mut self, line: &[u8], login_attribute: &str) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            return;
        };
        let (name, value) = (&line[..colon], &line[colon + 1..]);
        let is = |wanted: &str| name.eq_ignore_ascii_case(wanted.as_bytes());
        let part = if is("dn") {
            &mut self.dn
        } else if is(login_attribute) {
            &mut self.login
        } else if is("userPassword") {
            &mut self.password
        } else {
            return;
        };
        let value = match value.strip_prefix(b":") {
            Some(encoded) => STANDARD.decode(encoded.trim_ascii()).unwrap_or_default(),
            None => value.trim_ascii_start().to_vec(),
        };
        // A hashed one is no use.
        if part.is_empty() && !value.starts_with(b"{") {
            *part = value;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn entries_with_the_attribute_are_found_and_others_not() {
        let file = "version: 1\n\ndn: dc=lab\ndc: lab\n\n# a comment\n\
            dn: uid=a,dc=l\n ab\nUID: a\nuid: again\nuserPassword:: c2VjcmV0\n\n\n\
            dn:: dWlkPWIsZGM9bGFi\r\nuid: b\r\nuserPassword: {SSHA}x\r\n";
        let keys = KeyFile::of(file.as_bytes(), "uid").unwrap();
        assert_eq!((keys.len(), keys.passwords()), (2, 1));
        let person = |dn: &'static str, login: &'static str, password: &'static str| Person {
            dn: dn.as_bytes(),
            login: login.as_bytes(),
            password: password.as_bytes(),
        };
        assert_eq!(keys.get(0), person("uid=a,dc=lab", "a", "secret"));
        assert_eq!(keys.get(1), person("uid=b,dc=lab", "b", ""));
    }

    proptest! {
        #[test]
        fn no_file_is_too_strange(bytes: Vec<u8>) {
            let keys = KeyFile::of(&bytes[..], "uid").unwrap();
            prop_assert!(keys.len() <= bytes.len());
        }
    }
}
