//! The server's greeting and the client's answer.

use igen_net::said;

use super::authentication::Plugin;
use super::packet::{HEADER, Reader, push_text, seal};

/// Capabilities: bits that both sides must set. (MySQL servers set the first one; MariaDB leaves
/// it out, and has 32 more bits.)
pub(super) mod capability {
    pub(in super::super) const MYSQL: u64 = 1;
    /// Updates count the rows that they found, as other databases do, not those that differ now.
    pub(in super::super) const FOUND_ROWS: u64 = 1 << 1;
    pub(in super::super) const CONNECT_WITH_DATABASE: u64 = 1 << 3;
    pub(in super::super) const LOCAL_FILES: u64 = 1 << 7;
    pub(in super::super) const PROTOCOL_41: u64 = 1 << 9;
    pub(in super::super) const TLS: u64 = 1 << 11;
    pub(in super::super) const TRANSACTIONS: u64 = 1 << 13;
    pub(in super::super) const SECURE_CONNECTION: u64 = 1 << 15;
    pub(in super::super) const MULTI_RESULTS: u64 = 1 << 17;
    pub(in super::super) const PREPARED_MULTI_RESULTS: u64 = 1 << 18;
    pub(in super::super) const AUTHENTICATION_PLUGIN: u64 = 1 << 19;
    /// The client says what it is, for the server's tables of sessions.
    pub(in super::super) const CONNECTION_ATTRIBUTES: u64 = 1 << 20;
    /// No packet between column definitions and rows; MariaDB since 10.2, MySQL since 5.7.
    pub(in super::super) const DEPRECATE_EOF: u64 = 1 << 24;
    /// Column definitions come once, when a statement is prepared; MariaDB since 10.6.
    pub(in super::super) const CACHE_METADATA: u64 = 1 << 36;
}

/// What the client asks for where the server has it.
const WANTED: u64 = capability::FOUND_ROWS
    | capability::CONNECT_WITH_DATABASE
    | capability::LOCAL_FILES
    | capability::TRANSACTIONS
    | capability::MULTI_RESULTS
    | capability::PREPARED_MULTI_RESULTS
    | capability::CONNECTION_ATTRIBUTES
    | capability::CACHE_METADATA
    | REQUIRED;
/// What the client cannot do without.
const REQUIRED: u64 = capability::PROTOCOL_41
    | capability::SECURE_CONNECTION
    | capability::AUTHENTICATION_PLUGIN
    | capability::DEPRECATE_EOF;

/// `utf8mb4_general_ci`, which all servers know.
const CHARACTER_SET: u8 = 45;

/// What the server says first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Greeting {
    pub(super) version: String,
    /// Number of the connection.
    pub(super) connection: u32,
    pub(super) capabilities: u64,
    pub(super) challenge: Vec<u8>,
    pub(super) plugin: Option<Plugin>,
}

impl Greeting {
    pub(super) fn of_packet(payload: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(payload);
        if reader.byte()? != 10 {
            return None;
        }
        let version = said(reader.until_zero()?);
        let connection = reader.u32()?;
        let mut challenge = reader.bytes(8)?.to_vec();
        let _zero = reader.byte()?;
        let low = reader.u16()?;
        let _character_set = reader.byte()?;
        let _status = reader.u16()?;
        let high = reader.u16()?;
        let challenge_length = usize::from(reader.byte()?);
        let _zeros = reader.bytes(6)?;
        let extended = reader.u32()?;
        let mut capabilities = u64::from(low) | u64::from(high) << 16;
        if capabilities & capability::MYSQL == 0 {
            capabilities |= u64::from(extended) << 32;
        }
        // With a zero at its end.
        let rest = reader.bytes(challenge_length.saturating_sub(8).max(13))?;
        challenge.extend(rest.strip_suffix(&[0]).unwrap_or(rest));
        let plugin = Plugin::of(reader.until_zero().unwrap_or(reader.rest()));
        Some(Self {
            version,
            connection,
            capabilities,
            challenge,
            plugin,
        })
    }

    pub(super) fn is_mariadb(&self) -> bool {
        self.version.contains("MariaDB")
    }

    pub(super) fn has_tls(&self) -> bool {
        self.capabilities & capability::TLS != 0
    }

    /// What both sides can do; `None` if that is too little. With `tls` what comes next is TLS.
    pub(super) fn common(&self, tls: bool) -> Option<u64> {
        let tls = if tls { capability::TLS } else { 0 };
        (self.capabilities & REQUIRED == REQUIRED).then_some(self.capabilities & WANTED | tls)
    }
}

/// Appends the fields with which the client's answer begins; alone, they ask for TLS.
fn push_capabilities(output: &mut Vec<u8>, capabilities: u64) {
    const LONGEST_PACKET_BYTES: u32 = 1 << 24;
    let [a, b, c, d, extended @ ..] = capabilities.to_le_bytes();
    output.extend([a, b, c, d]);
    output.extend(LONGEST_PACKET_BYTES.to_le_bytes());
    output.push(CHARACTER_SET);
    output.extend([0; 19]);
    output.extend(extended);
}

/// Appends a packet that asks for TLS.
pub(super) fn push_tls_request(output: &mut Vec<u8>, capabilities: u64, sequence: u8) {
    let start = output.len();
    output.extend([0; HEADER]);
    push_capabilities(output, capabilities);
    seal(output, start, sequence);
}

/// Appends the client's answer to the greeting.
pub(super) fn push_answer(
    output: &mut Vec<u8>,
    capabilities: u64,
    (user, database): (&str, &str),
    (plugin, proof): (Plugin, &[u8]),
    application: &str,
    sequence: u8,
) {
    let start = output.len();
    output.extend([0; HEADER]);
    push_capabilities(output, capabilities);
    output.extend(user.bytes());
    output.push(0);
    // Shorter than 251 bytes: its length is one byte.
    push_text(output, proof);
    output.extend(database.bytes());
    output.push(0);
    output.extend(plugin.name());
    output.push(0);
    if capabilities & capability::CONNECTION_ATTRIBUTES != 0 {
        let mut attributes = Vec::new();
        for text in ["program_name", application, "_client_name", "igen"] {
            push_text(&mut attributes, text.as_bytes());
        }
        push_text(output, &attributes);
    }
    seal(output, start, sequence);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use proptest::prelude::*;

    use super::*;

    fn greeting(low: u16, high: u16, extended: u32) -> Vec<u8> {
        let mut packet = b"\x0A10.11.19-MariaDB\0".to_vec();
        packet.extend(7_u32.to_le_bytes());
        packet.extend(b"abcdefgh\0");
        packet.extend(low.to_le_bytes());
        packet.extend([45, 2, 0]);
        packet.extend(high.to_le_bytes());
        packet.push(21);
        packet.extend([0; 6]);
        packet.extend(extended.to_le_bytes());
        packet.extend(b"ijklmnopqrst\0mysql_native_password\0");
        packet
    }

    #[test]
    fn a_greeting_is_read() {
        let read = Greeting::of_packet(&greeting(0xF7FE, 0x81FF, 0x1D)).unwrap();
        assert_eq!(read.version, "10.11.19-MariaDB");
        assert_eq!(read.challenge, b"abcdefghijklmnopqrst");
        assert_eq!(read.plugin, Some(Plugin::Native));
        let common = read.common(false).unwrap();
        assert_ne!(common & capability::CACHE_METADATA, 0);
        assert_eq!(common & (capability::MYSQL | capability::TLS), 0);
    }

    #[test]
    fn mysql_has_no_extended_capabilities_and_old_servers_are_refused() {
        let mysql = Greeting::of_packet(&greeting(0xF7FF, 0x81FF, 0x1D)).unwrap();
        assert_eq!(mysql.common(false).unwrap() & capability::CACHE_METADATA, 0);
        let old = Greeting::of_packet(&greeting(0xF7FE, 0x00FF, 0)).unwrap();
        assert_eq!(old.common(false), None);
    }

    proptest! {
        #[test]
        fn no_greeting_panics(cut in 0..90_usize, at in 0..90_usize, byte: u8) {
            let mut packet = greeting(0xF7FE, 0x81FF, 0x1D);
            if let Some(old) = packet.get_mut(at) {
                *old = byte;
            }
            packet.truncate(cut);
            let _ = Greeting::of_packet(&packet);
        }
    }
}
