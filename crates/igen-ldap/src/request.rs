//! Requests (RFC 4511, section 4), written where they are sent from.

use crate::ber::{
    BOOLEAN, ENUMERATED, INTEGER, OCTET_STRING, SEQUENCE, SET, push, push_bytes, push_number,
};

const BIND: u8 = 0x60;
const UNBIND: u8 = 0x42;
const SEARCH: u8 = 0x63;
const MODIFY: u8 = 0x66;
const ADD: u8 = 0x68;
const DELETE: u8 = 0x4a;
const EXTENDED: u8 = 0x77;

const VERSION: u32 = 3;
const SIMPLE: u8 = 0x80;
const SASL: u8 = 0xa3;
const EQUALITY: u8 = 0xa3;
const PRESENT: u8 = 0x87;
const REPLACE: u32 = 2;
const NEVER_DEREFERENCE: u32 = 0;
const REQUEST_NAME: u8 = 0x80;
const START_TLS: &[u8] = b"1.3.6.1.4.1.1466.20037";

/// How far below its base a search looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The base itself.
    Base = 0,
    /// Everything below the base, and the base.
    Subtree = 2,
}

/// Which entries a search wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter<'a> {
    /// `(attribute=value)`.
    Equality(&'a str, &'a [u8]),
    /// `(attribute=*)`.
    Present(&'a str),
}

/// A search.
#[derive(Debug, Clone, Copy)]
pub struct SearchRequest<'a, A: AsRef<str> = &'static str> {
    /// Distinguished name.
    pub base: &'a [u8],
    /// How far below it.
    pub scope: Scope,
    /// Which entries.
    pub filter: Filter<'a>,
    /// What is returned of them: all attributes of users when empty.
    pub attributes: &'a [A],
    /// Most entries that are returned; 0 for no limit.
    pub size_limit: u32,
}

impl<A: AsRef<str>> SearchRequest<'_, A> {
    /// No server that is right returns more entries.
    #[inline]
    pub(super) fn most_entries(&self) -> Option<u64> {
        match (self.scope, self.size_limit) {
            (Scope::Base, _) => Some(1),
            (Scope::Subtree, 0) => None,
            (Scope::Subtree, limit) => Some(limit.into()),
        }
    }
}

/// An attribute and its values.
pub type Attribute<'a> = (&'a str, &'a [String]);

/// Appends a message: its number, and what `write` appends.
#[inline]
fn message(output: &mut Vec<u8>, id: u32, write: impl FnOnce(&mut Vec<u8>)) {
    push(output, SEQUENCE, |output| {
        push_number(output, INTEGER, id);
        write(output);
    });
}

/// Says who asks from now on; nobody with two empty strings.
pub(super) fn bind(output: &mut Vec<u8>, id: u32, dn: &[u8], password: &[u8]) {
    message(output, id, |output| {
        push(output, BIND, |output| {
            push_number(output, INTEGER, VERSION);
            push_bytes(output, OCTET_STRING, dn);
            push_bytes(output, SIMPLE, password);
        });
    });
}

/// Asks to be `dn` from now on by SASL's EXTERNAL: the server knows who is at the other end of a Unix socket.
pub(super) fn bind_external(output: &mut Vec<u8>, id: u32, dn: &[u8]) {
    message(output, id, |output| {
        push(output, BIND, |output| {
            push_number(output, INTEGER, VERSION);
            push_bytes(output, OCTET_STRING, b"");
            push(output, SASL, |output| {
                push_bytes(output, OCTET_STRING, b"EXTERNAL");
                push_bytes(output, OCTET_STRING, &[b"dn:", dn].concat());
            });
        });
    });
}

/// Ends the connection.
pub(super) fn unbind(output: &mut Vec<u8>, id: u32) {
    message(output, id, |output| push_bytes(output, UNBIND, b""));
}

/// Asks for TLS.
pub(super) fn start_tls(output: &mut Vec<u8>, id: u32) {
    message(output, id, |output| {
        push(output, EXTENDED, |output| {
            push_bytes(output, REQUEST_NAME, START_TLS);
        });
    });
}

#[inline]
pub(super) fn search<A: AsRef<str>>(output: &mut Vec<u8>, id: u32, search: &SearchRequest<'_, A>) {
    message(output, id, |output| {
        push(output, SEARCH, |output| {
            push_bytes(output, OCTET_STRING, search.base);
            push_number(output, ENUMERATED, search.scope as u32);
            push_number(output, ENUMERATED, NEVER_DEREFERENCE);
            push_number(output, INTEGER, search.size_limit);
            // No limit of time, which the connection watches; values, too, not only types.
            push_number(output, INTEGER, 0);
            push_bytes(output, BOOLEAN, &[0]);
            match search.filter {
                Filter::Equality(attribute, value) => push(output, EQUALITY, |output| {
                    push_bytes(output, OCTET_STRING, attribute.as_bytes());
                    push_bytes(output, OCTET_STRING, value);
                }),
                Filter::Present(attribute) => push_bytes(output, PRESENT, attribute.as_bytes()),
            }
            push(output, SEQUENCE, |output| {
                for attribute in search.attributes {
                    push_bytes(output, OCTET_STRING, attribute.as_ref().as_bytes());
                }
            });
        });
    });
}

/// Replaces the values of an attribute.
#[inline]
pub(super) fn modify(output: &mut Vec<u8>, id: u32, dn: &[u8], attribute: &str, values: &[&[u8]]) {
    message(output, id, |output| {
        push(output, MODIFY, |output| {
            push_bytes(output, OCTET_STRING, dn);
            push(output, SEQUENCE, |output| {
                push(output, SEQUENCE, |output| {
                    push_number(output, ENUMERATED, REPLACE);
                    push(output, SEQUENCE, |output| {
                        push_bytes(output, OCTET_STRING, attribute.as_bytes());
                        push(output, SET, |output| {
                            for value in values {
                                push_bytes(output, OCTET_STRING, value);
                            }
                        });
                    });
                });
            });
        });
    });
}

/// Adds an entry.
pub(super) fn add<'a>(
    output: &mut Vec<u8>,
    id: u32,
    dn: &str,
    attributes: impl IntoIterator<Item = Attribute<'a>>,
) {
    message(output, id, |output| {
        push(output, ADD, |output| {
            push_bytes(output, OCTET_STRING, dn.as_bytes());
            push(output, SEQUENCE, |output| {
                for (name, values) in attributes {
                    push(output, SEQUENCE, |output| {
                        push_bytes(output, OCTET_STRING, name.as_bytes());
                        push(output, SET, |output| {
                            for value in values {
                                push_bytes(output, OCTET_STRING, value.as_bytes());
                            }
                        });
                    });
                }
            });
        });
    });
}

/// Deletes an entry without children.
pub(super) fn delete(output: &mut Vec<u8>, id: u32, dn: &[u8]) {
    message(output, id, |output| push_bytes(output, DELETE, dn));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let (mut output, mut text) = (Vec::new(), String::new());
        write(&mut output);
        for byte in output {
            let _ = std::fmt::Write::write_fmt(&mut text, format_args!("{byte:02x}"));
        }
        text
    }

    /// Worked out by hand from RFC 4511.
    #[test]
    fn requests_are_those_of_the_standard() {
        assert_eq!(
            written(|output| bind(output, 1, b"cn=a", b"b")),
            "3011020101600c0201030404636e3d61800162"
        );
        assert_eq!(written(|output| unbind(output, 2)), "30050201024200");
        assert_eq!(
            written(|output| search(
                output,
                3,
                &SearchRequest {
                    base: b"o=x",
                    scope: Scope::Subtree,
                    filter: Filter::Equality("uid", b"u.1"),
                    attributes: &["cn"],
                    size_limit: 0,
                }
            )),
            "302b0201036326\
             04036f3d780a01020a0100020100020100010100\
             a30a04037569640403752e31\
             30040402636e"
        );
        assert_eq!(
            written(|output| modify(output, 4, b"o=x", "d", &[b"v"])),
            "301b0201046616\
             04036f3d78\
             300f300d0a01023008040164310304\
             0176"
        );
        assert_eq!(
            written(|output| delete(output, 5, b"o=x")),
            "30080201054a036f3d78"
        );
        assert_eq!(
            written(|output| add(output, 6, "o=x", [("o", &["x".to_owned()][..])])),
            "30160201066811\
             04036f3d78\
             300a300804016f3103040178"
        );
    }
}
