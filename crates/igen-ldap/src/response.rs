//! Responses (RFC 4511, section 4): read where they were received.

use igen_net::said;

use crate::ber::{ENUMERATED, INTEGER, Reader, SEQUENCE, SET};

const BIND: u8 = 0x61;
const ENTRY: u8 = 0x64;
const SEARCH_DONE: u8 = 0x65;
const MODIFY: u8 = 0x67;
const ADD: u8 = 0x69;
const DELETE: u8 = 0x6b;
const REFERENCE: u8 = 0x73;
const EXTENDED: u8 = 0x78;
const INTERMEDIATE: u8 = 0x79;

/// The number of messages that answer no request.
pub(super) const UNSOLICITED: u32 = 0;

/// A message of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Response<'a> {
    /// Number of the request that it answers.
    pub(super) id: u32,
    pub(super) body: Body<'a>,
}

/// What it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body<'a> {
    /// An entry that a search found.
    Entry(Entry<'a>),
    /// Others that hold a part of what a search looks for.
    Reference,
    /// Something on the way.
    Intermediate,
    /// The end of an operation.
    Done(Outcome<'a>),
}

/// An entry that a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Distinguished name.
    pub dn: &'a [u8],
    attributes: &'a [u8],
}

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcome<'a> {
    /// Result code; 0 for success.
    pub(super) code: u32,
    pub(super) message: &'a [u8],
}

impl<'a> Response<'a> {
    /// Reads the content of a message; `None` where it is none.
    #[inline]
    pub(super) fn of(content: &'a [u8]) -> Option<Self> {
        let mut reader = Reader::new(content);
        let id = reader.number(INTEGER)?;
        let (tag, content) = reader.element()?;
        let mut reader = Reader::new(content);
        let body = match tag {
            ENTRY => Body::Entry(Entry {
                dn: reader.bytes()?,
                attributes: reader.expect(SEQUENCE)?,
            }),
            BIND | SEARCH_DONE | MODIFY | ADD | DELETE | EXTENDED => {
                let code = reader.number(ENUMERATED)?;
                reader.bytes()?;
                Body::Done(Outcome {
                    code,
                    message: reader.bytes()?,
                })
            }
            REFERENCE => Body::Reference,
            INTERMEDIATE => Body::Intermediate,
            _ => return None,
        };
        Some(Self { id, body })
    }
}

impl<'a> Entry<'a> {
    /// Its attributes and their values; ends early where they are broken.
    pub fn attributes(&self) -> impl Iterator<Item = (&'a [u8], impl Iterator<Item = &'a [u8]>)> {
        let mut reader = Reader::new(self.attributes);
        std::iter::from_fn(move || {
            let mut attribute = Reader::new(reader.expect(SEQUENCE)?);
            let name = attribute.bytes()?;
            let mut values = Reader::new(attribute.expect(SET)?);
            Some((name, std::iter::from_fn(move || values.bytes())))
        })
    }

    /// The values of an attribute as text, as of `said`; none where it is absent.
    #[must_use]
    pub fn texts(&self, name: &str) -> Vec<String> {
        let named = |(found, _): &(&[u8], _)| found.eq_ignore_ascii_case(name.as_bytes());
        self.attributes()
            .find(named)
            .map(|(_, values)| values.map(said).collect())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_entry_is_read_with_all_its_values() {
        let content = b"\x02\x01\x07\x64\x1e\x04\x03o=x\x30\x17\
            \x30\x0a\x04\x01o\x31\x05\x04\x01x\x04\x00\x30\x09\x04\x02cn\x31\x03\x04\x01y";
        let response = Response::of(content).unwrap();
        assert_eq!(response.id, 7);
        let Body::Entry(entry) = response.body else {
            unreachable!("{response:?}")
        };
        assert_eq!(entry.dn, b"o=x");
        assert_eq!(entry.texts("O"), ["x", ""]);
        assert_eq!(entry.texts("cn"), ["y"]);
        assert!(entry.texts("sn").is_empty());
    }

    #[test]
    fn an_outcome_has_a_code_and_a_message() {
        let response = Response::of(b"\x02\x01\x01\x61\x09\x0a\x01\x31\x04\x00\x04\x02no");
        let outcome = Outcome {
            code: 49,
            message: b"no",
        };
        assert_eq!(response.unwrap().body, Body::Done(outcome));
    }

    proptest! {
        #[test]
        fn hostile_messages_do_no_harm(content: Vec<u8>, tag in 0x60..0x7a_u8, inner: Vec<u8>) {
            let mut plausible = vec![2, 1, 1, tag, u8::try_from(inner.len().min(120)).unwrap()];
            plausible.extend(inner);
            for content in [content, plausible] {
                if let Some(Response { body: Body::Entry(entry), .. }) = Response::of(&content) {
                    let values = entry.attributes().map(|(_, values)| values.count());
                    prop_assert!(values.sum::<usize>() <= content.len());
                }
            }
        }
    }
}
