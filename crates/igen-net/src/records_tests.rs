#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};

use rustls::{ServerConnection, SupportedProtocolVersion, version};

use super::*;
use crate::tls::{Tls, TlsMode};
use crate::tls_server::tls_server;

/// Both sides of a connection, without a network: what the server says arrives in pieces of so many bytes.
struct Both {
    session: UnbufferedClientConnection,
    records: Records,
    server: ServerConnection,
    piece: usize,
}

impl Both {
    fn agreed(version: &'static SupportedProtocolVersion, piece: usize) -> Self {
        let config = Tls::new(TlsMode::Require).client_config().unwrap();
        let name = "localhost".try_into().unwrap();
        let mut both = Self {
            session: UnbufferedClientConnection::new(config, name).unwrap(),
            records: Records::default(),
            server: tls_server(version),
            piece,
        };
        let nobody = &mut ReadBuf::new(&mut []);
        both.records.advance(&mut both.session, nobody).unwrap();
        while both.session.is_handshaking() || both.server.is_handshaking() {
            let said = std::mem::take(&mut both.records.unsent);
            both.give_server(&said);
            both.give_client(nobody).unwrap();
        }
        both
    }

    /// What the server reads of it.
    fn give_server(&mut self, mut bytes: &[u8]) -> Vec<u8> {
        let mut read = Vec::new();
        while !bytes.is_empty() {
            self.server.read_tls(&mut bytes).unwrap();
            self.server.process_new_packets().unwrap();
            let _ = self.server.reader().read_to_end(&mut read);
        }
        read
    }

    fn give_client(&mut self, buffer: &mut ReadBuf<'_>) -> Result<()> {
        let mut bytes = Vec::new();
        while self.server.wants_write() {
            self.server.write_tls(&mut bytes).unwrap();
        }
        for piece in bytes.chunks(self.piece) {
            let mut received = [self.records.begun(), piece].concat();
            self.records
                .take_in(&mut self.session, &mut received, buffer)?;
        }
        Ok(())
    }
}

fn bytes(count: usize) -> Vec<u8> {
    (0..=250).cycle().take(count).collect()
}

#[test]
fn what_arrives_in_whichever_pieces_is_what_was_sent() {
    for version in [&version::TLS13, &version::TLS12] {
        for piece in [1, 5, 1_000, 17_000, usize::MAX] {
            let mut both = Both::agreed(version, piece);
            for count in [1, 4_096, 16 * 1024, 50_000] {
                let sent = bytes(count);
                let mut output = b"before".to_vec();
                encrypt(&mut both.session, &mut both.records, &sent, &mut output).unwrap();
                assert!(output.starts_with(b"before"));
                let received = both.give_server(&output[6..]);
                assert_eq!(received, sent);

                let mut written = 0;
                let mut received = Vec::new();
                while received.len() < count {
                    written += both.server.writer().write(&sent[written..]).unwrap();
                    let mut place = [0; 1_000];
                    let mut buffer = ReadBuf::new(&mut place);
                    both.records.hand_over(&mut buffer);
                    both.give_client(&mut buffer).unwrap();
                    received.extend_from_slice(buffer.filled());
                }
                assert_eq!(received, sent, "{version:?} in pieces of {piece}");
            }
            let Records {
                begun,
                unread,
                unsent,
                ended,
            } = both.records;
            let kept = [begun, unread, unsent].map(|each| each.capacity());
            assert_eq!(
                (kept, ended),
                ([0; 3], false),
                "a connection waits with no buffer"
            );
        }
    }
}

#[test]
fn each_side_learns_that_the_other_one_has_ended() {
    let mut both = Both::agreed(&version::TLS13, usize::MAX);
    both.server.send_close_notify();
    both.give_client(&mut ReadBuf::new(&mut [])).unwrap();
    assert!(both.records.ended);
    for _ in 0..2 {
        both.records.say_end(&mut both.session).unwrap();
    }
    let said = std::mem::take(&mut both.records.unsent);
    both.give_server(&said);
    assert_eq!(both.server.reader().read(&mut [0]).unwrap(), 0);
    let written = encrypt(
        &mut both.session,
        &mut both.records,
        b"more",
        &mut Vec::new(),
    );
    assert!(written.is_err(), "after its end nothing is sent");
}

#[test]
fn the_server_is_told_what_was_wrong_with_its_bytes() {
    let mut both = Both::agreed(&version::TLS13, usize::MAX);
    let mut garbled = *b"\x17\x03\x03\x00\x20no record of this connection!!!!!";
    let nobody = &mut ReadBuf::new(&mut []);
    let error = both
        .records
        .take_in(&mut both.session, &mut garbled, nobody)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(!both.records.unsent.is_empty(), "an alert");
    let mut alert = &both.records.unsent[..];
    both.server.read_tls(&mut alert).unwrap();
    let told = both.server.process_new_packets().unwrap_err();
    assert!(matches!(told, rustls::Error::AlertReceived(_)), "{told}");
}
