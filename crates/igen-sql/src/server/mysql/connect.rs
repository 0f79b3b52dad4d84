//! Connecting: the greeting, TLS, and authentication.

use std::io::ErrorKind;
use std::time::Duration;

use igen_net::{Password, Stream, TlsMode, said};

use super::authentication::{Plugin, parsec};
use super::connection::{Connection, END, ERROR, OK};
use super::error::Error;
use super::handshake::{Greeting, capability, push_answer, push_tls_request};
use super::packet::Reader;
use crate::server::lack::{NO_TLS, Shown, may_be_plain};
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
            "the server at this address is not MariaDB or MySQL",
        ))?;
        self.number = greeting.connection;
        let mode = server.endpoint.tls.mode;
        let tls = mode > TlsMode::Disable && greeting.has_tls();
        if !tls && !may_be_plain(mode) {
            return Err(Error::Refused {
                text: NO_TLS.to_owned(),
                hint: "enable TLS (ssl_cert and ssl_key), or use sslmode=disable if you trust the network",
            });
        }
        let capabilities = greeting.common(tls).ok_or_else(|| Error::Refused {
            text: format!("server {} is too old", greeting.version),
            hint: "use MariaDB 10.2, MySQL 5.7 or later",
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
        let shown = Shown::of(&server.endpoint, tls);
        self.log_in(server, &greeting, capabilities, shown)
            .await
            .map_err(|error| error.of_connection(shown))
    }

    /// Says who connects, and answers what the server asks, until it says that all is well.
    async fn log_in(
        &mut self,
        server: &Server,
        greeting: &Greeting,
        capabilities: u64,
        shown: Shown,
    ) -> Result<(), Error> {
        let password = server
            .password
            .as_ref()
            .map_or(&b""[..], Password::as_bytes);
        let mut plugin = greeting
            .plugin
            .filter(|plugin| plugin.answers_greetings())
            .unwrap_or(Plugin::Native);
        let mut challenge = greeting.challenge.clone();
        let proof = plugin.proof(password, &challenge)?;
        push_answer(
            self.stream.output(),
            capabilities,
            (&server.user, &server.endpoint.path),
            (plugin, &proof),
            server.application(),
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
                    plugin = Plugin::of(name).ok_or_else(|| unsupported(name))?;
                    challenge = reader.rest().to_vec();
                    let proof = plugin.proof(password, &challenge)?;
                    self.answer(&proof).await?;
                }
                [MORE, ref salt @ ..] | ref salt @ [b'P', ..] if plugin == Plugin::Parsec => {
                    let proof = parsec(password, &challenge, salt)?;
                    self.answer(&proof).await?;
                }
                // The server remembers the password: OK follows.
                [MORE, 3] => (),
                [MORE, 4] => {
                    if shown == Shown::Plain {
                        return Err(Error::Refused {
                            text: "the server requests the password unencrypted, so others could \
                                   read it on the network"
                                .to_owned(),
                            hint: "use a Unix socket or TLS",
                        });
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
    Error::Refused {
        text: format!(
            "the user's authentication plugin {} is not supported",
            said(plugin)
        ),
        hint: "use ed25519, parsec, mysql_native_password or caching_sha2_password",
    }
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
            let server = Connection::server(
                &format!("mysql://igen@127.0.0.1:{port}/shop"),
                "",
                igen_job::Credentials::Own,
            );
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

    /// MariaDB's exchange for PARSEC, as its documentation describes it, with a server that says its salt so.
    async fn parsec_exchange(password: &str, escaped: bool) -> Result<(), Error> {
        const CHALLENGE: [u8; 32] = [9; 32];
        const SALT: &[u8] =
            b"P\0\x96\x15\xf2\x36\xfd\x5c\x23\x1a\x41\xf0\x49\xd3\xc5\x1e\xce\x37\xb4\xbb";
        const PUBLIC: [u8; 32] =
            *b"\xd6\x5d\xeb\x59\x15\xb5\xfe\x3c\x38\xe7\x2a\xef\x61\x70\x7c\x7a\
            \x1d\x36\xc3\x39\x3b\x95\xc2\x5c\xcf\x80\x8c\x71\x6c\x36\x6f\xef";
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let serve = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (mut sequence, mut heard) = (0, Vec::new());
            let switch = [&b"\xFEparsec\0"[..], &CHALLENGE].concat();
            let salt = [if escaped { &b"\x01"[..] } else { b"" }, SALT].concat();
            for payload in [GREETING, &switch, &salt] {
                let mut packet = vec![0; HEADER];
                packet.extend(payload);
                seal(&mut packet, 0, sequence);
                stream.write_all(&packet).await.unwrap();
                let mut header = [0; HEADER];
                stream.read_exact(&mut header).await.unwrap();
                heard = vec![0; usize::from(header[0]) | usize::from(header[1]) << 8];
                stream.read_exact(&mut heard).await.unwrap();
                sequence = header[3] + 1;
            }
            let (own, signed) = heard.split_at(CHALLENGE.len());
            let public = ring::signature::UnparsedPublicKey::new(&ring::signature::ED25519, PUBLIC);
            let proved = public.verify(&[&CHALLENGE, own].concat(), signed);
            let refusal = b"\xFF\x15\x04#28000no";
            let mut packet = vec![0; HEADER];
            packet.extend(if proved.is_ok() { OK_PACKET } else { refusal });
            seal(&mut packet, 0, sequence);
            stream.write_all(&packet).await.unwrap();
        };
        let target = format!("mysql://igen@127.0.0.1:{port}/shop");
        let server = Server {
            password: Some(Password::given(password)),
            ..Connection::server(&target, "", igen_job::Credentials::Own).unwrap()
        };
        let connect = Connection::connect(&server, Duration::from_secs(5));
        tokio::join!(serve, connect).1.map(|_| ())
    }

    #[tokio::test]
    async fn parsec_proves_the_password_to_a_scripted_server() {
        for escaped in [false, true] {
            parsec_exchange("MyPassword123!", escaped).await.unwrap();
        }
        let Err(Error::Server(error)) = parsec_exchange("another", false).await else {
            panic!("a wrong password");
        };
        assert_eq!(error.code, 1045);
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
