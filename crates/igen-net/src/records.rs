//! The records of a TLS connection: what of them is not decrypted, not read, and not sent yet.

use std::io::{Error, ErrorKind, Result};

use rustls::client::{ClientConnectionData, UnbufferedClientConnection};
use rustls::unbuffered::{
    ConnectionState, EncodeError, EncodeTlsData, EncryptError, UnbufferedStatus,
};
use tokio::io::ReadBuf;

/// More than what TLS adds to a record, and to a message of its own.
const MORE_PER_RECORD: usize = 64;
const RECORD_BYTES: usize = 16 * 1024;

/// What is there of the records of a connection.
#[derive(Default)]
pub(crate) struct Records {
    /// Received, and not decrypted: the begin of a record, or of a message that several records make up.
    begun: Vec<u8>,
    /// Decrypted, and not read.
    unread: Vec<u8>,
    /// Encrypted, and not sent.
    pub(crate) unsent: Vec<u8>,
    /// The server has said that it sends no more.
    pub(crate) ended: bool,
}

/// How a connection goes on when a state of it was dealt with.
enum Next {
    /// At once.
    Now,
    /// When more was received, or something is to be sent.
    Later,
}

impl Records {
    /// What was received and is not decrypted.
    pub(crate) fn begun(&self) -> &[u8] {
        &self.begun
    }

    /// Puts what was decrypted earlier into `buffer`, as far as it fits.
    pub(crate) fn hand_over(&mut self, buffer: &mut ReadBuf<'_>) {
        let fit = self.unread.len().min(buffer.remaining());
        buffer.put_slice(&self.unread[..fit]);
        take(&mut self.unread, fit);
    }

    /// Takes off what was sent.
    pub(crate) fn sent(&mut self, bytes: usize) {
        take(&mut self.unsent, bytes);
    }

    /// Goes on with what is there.
    pub(crate) fn advance(
        &mut self,
        session: &mut UnbufferedClientConnection,
        buffer: &mut ReadBuf<'_>,
    ) -> Result<()> {
        let mut begun = std::mem::take(&mut self.begun);
        self.take_in(session, &mut begun, buffer)
    }

    /// Goes on with `received`, which begins with what was begun before.
    pub(crate) fn take_in(
        &mut self,
        session: &mut UnbufferedClientConnection,
        received: &mut [u8],
        buffer: &mut ReadBuf<'_>,
    ) -> Result<()> {
        let mut done = 0;
        let result = loop {
            let status = session.process_tls_records(&mut received[done..]);
            let UnbufferedStatus { discard, state } = status;
            let next = state
                .map_err(invalid)
                .and_then(|state| self.carry_out(state, buffer));
            done += discard;
            match next {
                Ok(Next::Now) => {}
                Ok(Next::Later) => break Ok(()),
                Err(error) => {
                    self.keep_alert(session, &mut received[done..]);
                    break Err(error);
                }
            }
        };
        self.begun = received[done..].to_vec();
        result
    }

    fn carry_out(
        &mut self,
        state: ConnectionState<'_, '_, ClientConnectionData>,
        buffer: &mut ReadBuf<'_>,
    ) -> Result<Next> {
        match state {
            ConnectionState::ReadTraffic(mut traffic) => {
                while let Some(record) = traffic.next_record() {
                    let payload = record.map_err(invalid)?.payload;
                    let fit = if self.unread.is_empty() {
                        payload.len().min(buffer.remaining())
                    } else {
                        0
                    };
                    buffer.put_slice(&payload[..fit]);
                    self.unread.extend_from_slice(&payload[fit..]);
                }
            }
            ConnectionState::EncodeTlsData(mut message) => encode(&mut message, &mut self.unsent)?,
            ConnectionState::TransmitTlsData(messages) => messages.done(),
            ConnectionState::PeerClosed => self.ended = true,
            ConnectionState::BlockedHandshake
            | ConnectionState::WriteTraffic(_)
            | ConnectionState::Closed => return Ok(Next::Later),
            other => {
                return Err(Error::other(format!(
                    "TLS is in an unknown state: {other:?}"
                )));
            }
        }
        Ok(Next::Now)
    }

    /// Keeps what the server is to be told of an error, where there is something.
    fn keep_alert(&mut self, session: &mut UnbufferedClientConnection, received: &mut [u8]) {
        // Asked again, the session would look at the same bytes again.
        let next = session.process_tls_records(received).state;
        if let Ok(ConnectionState::EncodeTlsData(mut alert)) = next {
            // The error is told, and not that nobody hears of it.
            let _ = encode(&mut alert, &mut self.unsent);
        }
    }

    /// Tells the server once that nothing more comes.
    pub(crate) fn say_end(&mut self, session: &mut UnbufferedClientConnection) -> Result<()> {
        let status = session.process_tls_records(&mut self.begun);
        if let Ok(ConnectionState::WriteTraffic(mut traffic)) = status.state {
            return encrypted(&mut self.unsent, MORE_PER_RECORD, |place| {
                traffic.queue_close_notify(place)
            });
        }
        Ok(())
    }
}

/// Encrypts `plain`, and whatever must go before it, behind `output`.
pub(crate) fn encrypt(
    session: &mut UnbufferedClientConnection,
    records: &mut Records,
    plain: &[u8],
    output: &mut Vec<u8>,
) -> Result<()> {
    if plain.is_empty() {
        return Ok(());
    }
    // Answers that are due go first.
    records.advance(session, &mut ReadBuf::new(&mut []))?;
    output.append(&mut records.unsent);
    let most = plain.len() + MORE_PER_RECORD * (2 + plain.len() / RECORD_BYTES);
    match session.process_tls_records(&mut records.begun).state {
        Ok(ConnectionState::WriteTraffic(mut traffic)) => {
            encrypted(output, most, |place| traffic.encrypt(plain, place))
        }
        Ok(_) => Err(Error::from(ErrorKind::BrokenPipe)),
        Err(error) => Err(invalid(error)),
    }
}

/// Puts a message of the handshake behind `output`.
fn encode(
    message: &mut EncodeTlsData<'_, ClientConnectionData>,
    output: &mut Vec<u8>,
) -> Result<()> {
    let begin = output.len();
    let mut encoded = message.encode(&mut []);
    if let Err(EncodeError::InsufficientSize(needed)) = encoded {
        output.resize(begin + needed.required_size, 0);
        encoded = message.encode(&mut output[begin..]);
    }
    encoded.map(|_| ()).map_err(Error::other)
}

/// Puts what `encrypt` makes behind `output`: `most` bytes, or more if it says so.
fn encrypted(
    output: &mut Vec<u8>,
    most: usize,
    mut encrypt: impl FnMut(&mut [u8]) -> std::result::Result<usize, EncryptError>,
) -> Result<()> {
    let begin = output.len();
    output.resize(begin + most, 0);
    let mut done = encrypt(&mut output[begin..]);
    if let Err(EncryptError::InsufficientSize(needed)) = done {
        output.resize(begin + needed.required_size, 0);
        done = encrypt(&mut output[begin..]);
    }
    output.truncate(begin + done.as_ref().map_or(0, |bytes| *bytes));
    done.map(|_| ()).map_err(Error::other)
}

/// Takes bytes off the begin, and gives the memory back where nothing is left: a connection waits with none.
fn take(of: &mut Vec<u8>, bytes: usize) {
    if bytes == of.len() {
        *of = Vec::new();
    } else {
        of.drain(..bytes);
    }
}

/// What `TlsFault` knows.
fn invalid(error: rustls::Error) -> Error {
    Error::new(ErrorKind::InvalidData, error)
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
