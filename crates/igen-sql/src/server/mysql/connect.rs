//! Connecting: the greeting, TLS, and authentication.

use std::io::ErrorKind;
use std::time::Duration;

use igen_net::{Address, Password, Stream, TlsMode, said};

use super::authentication::Plugin;
use super::connection::{Connection, END, ERROR, OK};
use super::error::Error;
use super::handshake::{Greeting, capability, push_answer, push_tls_request};
use super::packet::Reader;
use crate::server::protocol::Server;

/// What authentication goes on with.
const MORE: u8 = 0x01;

impl Connection {
    /// Connects and authenticates within `limit`.
    pub(super) async fn connect(server: &Server, limit: Duration) -> Result<Self, Error> {
        let mut silent = false;
        let open = async {
            let stream = Stream::connect(&server.endpoint.address, limit).await?;
            let mut connection = Self {
                stream,
                current: 0,
                sequence: 0,
                number: 0,
                mariadb: false,
                caches_metadata: false,
            };
            silent = true;
            connection.next().await?;
            silent = false;
            connection.authenticate(server).await?;
            Ok(connection)
        };
        let opened = tokio::time::timeout(limit, open)
            .await
            .unwrap_or_else(|_| Err(std::io::Error::from(ErrorKind::TimedOut).into()));
        match opened {
            Err(Error::Connection(error)) if silent && error.kind() == ErrorKind::TimedOut => {
                Err(Error::NoGreeting)
            }
            opened => opened,
        }
    }

    /// Answers the greeting, which is the current packet.
    pub(super) async fn authenticate(&mut self, server: &Server) -> Result<(), Error> {
        if self.payload().first() == Some(&ERROR) {
            return Err(Error::of_packet(self.payload()));
        }
        let greeting = Greeting::of_packet(self.payload()).ok_or(Error::Protocol(
            "what answers there is not a MariaDB or MySQL server",
        ))?;
        self.number = greeting.connection;
        let tls = match server.endpoint.tls.mode {
            TlsMode::Disable => false,
            TlsMode::Prefer => greeting.has_tls(),
            _ if greeting.has_tls() => true,
            _ => return Err(Error::Unsupported("the server has no TLS".to_owned())),
        };
        let capabilities = greeting.common(tls).ok_or_else(|| {
            Error::Unsupported(format!(
                "server {} is too old: MariaDB 10.2 or MySQL 5.7 is needed",
                greeting.version
            ))
        })?;
        self.mariadb = greeting.is_mariadb();
        self.caches_metadata = capabilities & capability::CACHE_METADATA != 0;
        if tls {
            push_tls_request(self.stream.output(), capabilities, self.sequence);
            self.stream.flush().await?;
            self.stream.consume(std::mem::take(&mut self.current));
            self.stream.encrypt(&server.endpoint).await?;
            self.sequence = self.sequence.wrapping_add(1);
        }
        let password = server
            .password
            .as_ref()
            .map_or(&b""[..], Password::as_bytes);
        let plugin = greeting.plugin.unwrap_or(Plugin::Native);
        let proof = plugin.proof(password, &greeting.challenge);
        push_answer(
            self.stream.output(),
            capabilities,
            (&server.user, &server.endpoint.path),
            (plugin, &proof),
            self.sequence,
        );
        self.stream.flush().await?;
        loop {
            self.next().await?;
            match *self.payload() {
                [OK, ..] => return Ok(()),
                [END, ref switch @ ..] => {
                    let mut reader = Reader::new(switch);
                    let name = reader.until_zero().unwrap_or(b"mysql_old_password");
                    let challenge = reader.rest();
                    let challenge = challenge.strip_suffix(&[0]).unwrap_or(challenge);
                    let plugin = Plugin::of(name).ok_or_else(|| unsupported(name))?;
                    let proof = plugin.proof(password, challenge);
                    self.answer(&proof).await?;
                }
                // The server remembers the password: OK follows.
                [MORE, 3] => (),
                [MORE, 4] => {
                    if !tls && !matches!(server.endpoint.address, Address::Unix(_)) {
                        return Err(Error::Unsupported(
                            "the server asks for the password itself, which others could read on \
                             the way: use a Unix socket or TLS"
                                .to_owned(),
                        ));
                    }
                    self.answer(&[password, &[0]].concat()).await?;
                }
                [ERROR, ..] => return Err(Error::of_packet(self.payload())),
                _ => return Err(Error::Protocol("malformed answer while connecting")),
            }
        }
    }

    /// Sends the next packet of the same exchange.
    async fn answer(&mut self, payload: &[u8]) -> Result<(), Error> {
        self.send_rows(|output| output.extend_from_slice(payload))
            .await
    }
}

fn unsupported(plugin: &[u8]) -> Error {
    Error::Unsupported(format!(
        "the user's authentication plugin {} is not supported: use mysql_native_password or \
         caching_sha2_password",
        said(plugin)
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use proptest::prelude::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::super::packet::{HEADER, seal};
    use super::*;
    use crate::server::protocol::Protocol;

    const GREETING: &[u8] =
        b"\x0A10.11.19-MariaDB\0\x07\0\0\0abcdefgh\0\xFE\xF7\x2D\x02\0\xFF\x81\x15\
        \0\0\0\0\0\0\x1D\0\0\0ijklmnopqrst\0mysql_native_password\0";
    const OK_PACKET: &[u8] = &[OK, 0, 0, 2, 0, 0, 0];

    /// Says `said` to a client that connects, asks and prepares.
    async fn talk(said: Vec<u8>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let speak = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            // The client may have left.
            let _ = stream.write_all(&said).await;
            let _ = stream.shutdown().await;
            let _ = stream.read_to_end(&mut Vec::new()).await;
        };
        let listen = async {
            let server = Connection::server(&format!("mysql://igen@127.0.0.1:{port}/shop"), "");
            let limit = Duration::from_secs(5);
            if let Ok(mut connection) = Connection::connect(&server.unwrap(), limit).await {
                let _ = connection.query("SELECT 1").await;
                if let Ok(mut statement) = connection.prepare("SELECT 1").await {
                    let _ = connection.execute(&mut statement, &[]).await;
                }
            }
        };
        tokio::join!(speak, listen);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn whatever_a_server_says_it_is_an_error_at_worst(
            packets: Vec<Vec<u8>>,
            rest: Vec<u8>,
            greets: bool,
            accepts: bool,
        ) {
            let mut said = Vec::new();
            let first = [(greets, GREETING), (greets && accepts, OK_PACKET)];
            let first = first.into_iter().filter(|(says, _)| *says);
            for payload in first.map(|(_, payload)| payload.to_vec()).chain(packets) {
                let start = said.len();
                said.extend([0; HEADER]);
                said.extend(payload);
                seal(&mut said, start, 0);
            }
            said.extend(rest);
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let limit = Duration::from_secs(10);
                tokio::time::timeout(limit, talk(said)).await.expect("no hang");
            });
        }
    }
}
