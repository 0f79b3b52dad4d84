//! Connecting: TLS, who we are, and what the server says of itself.

use std::time::Duration;

use igen_net::{Bounds, Endpoint, Stream, TlsMode};

use super::authentication::authenticate;
use super::connection::{Connection, MALFORMED};
use super::error::Error;
use super::message;
use crate::server::lack::{NO_TLS, Shown, may_be_plain};
use crate::server::protocol::Server;

const PROTOCOL_3_0: u32 = 0x0003_0000;
const SSL_REQUEST: u32 = 80_877_103;

impl Connection {
    /// Connects and authenticates within `limit`.
    pub(super) async fn connect(server: &Server, limit: Duration) -> Result<Self, Error> {
        tokio::time::timeout(limit, Self::try_open(server, limit))
            .await
            .map_err(|_| std::io::Error::from(std::io::ErrorKind::TimedOut))?
    }

    async fn try_open(server: &Server, limit: Duration) -> Result<Self, Error> {
        let mut connection = Self {
            stream: Stream::connect(&server.endpoint.address, limit).await?,
            current: 0,
            process: None,
        };
        let wishes_tls = server.endpoint.tls.mode > TlsMode::Disable;
        let encrypted = wishes_tls && connection.encrypt(&server.endpoint).await?;
        let shown = Shown::of(&server.endpoint, encrypted);
        let parameters = [
            ("user", server.user.as_str()),
            ("database", &server.endpoint.path),
            ("application_name", server.application()),
            ("client_encoding", "UTF8"),
        ];
        message::push_sized(connection.output(), |body| {
            body.extend(PROTOCOL_3_0.to_be_bytes());
            for (name, value) in parameters {
                message::push_text(body, name);
                message::push_text(body, value);
            }
            body.push(0);
        });
        connection.flush().await?;
        connection.hear().await?;
        authenticate(&mut connection, &server.user, server.password.as_ref())
            .await
            .map_err(|error| error.of_connection(shown))?;
        connection.ready().await?;
        Ok(connection)
    }

    /// Returns true once the connection is encrypted; false if it continues without TLS.
    async fn encrypt(&mut self, endpoint: &Endpoint) -> Result<bool, Error> {
        message::push_sized(self.stream.output(), |body| {
            body.extend(SSL_REQUEST.to_be_bytes());
        });
        self.stream.flush().await?;
        self.stream.fill().await?;
        match *self.stream.input() {
            [b'S'] => {
                self.stream.consume(1);
                self.stream.encrypt(endpoint).await?;
                Ok(true)
            }
            [b'N'] if may_be_plain(endpoint.tls.mode) => {
                self.stream.consume(1);
                Ok(false)
            }
            [b'N'] => Err(Error::Refused {
                text: NO_TLS.to_owned(),
                hint: "enable TLS (ssl = on), or use sslmode=disable if you trust the network",
            }),
            // More than one byte would have come from somebody in between.
            [b'S' | b'N' | b'E', ..] => Err(MALFORMED),
            _ => Err(foreign()),
        }
    }

    /// Waits for the first byte of the server's answer, which tells a PostgreSQL server from others.
    async fn hear(&mut self) -> Result<(), Error> {
        if self.stream.input().is_empty() {
            self.stream.fill().await?;
        }
        match self.stream.input() {
            [b'R' | b'E' | b'N' | b'v', ..] => Ok(()),
            _ => Err(foreign()),
        }
    }

    /// Reads what the server says of itself after authentication, up to its readiness.
    pub(super) async fn ready(&mut self) -> Result<(), Error> {
        let mut bounds = Bounds::default();
        loop {
            bounds.aside().map_err(Error::Protocol)?;
            match self.next().await? {
                b'Z' => return Ok(()),
                b'K' => {
                    let number = self.body().first_chunk().copied();
                    self.process = number.map(u32::from_be_bytes);
                }
                b'E' => return Err(Error::of_message(self.body())),
                _ => (),
            }
        }
    }
}

fn foreign() -> Error {
    Error::Refused {
        text: "the server at this address is not PostgreSQL".to_owned(),
        hint: "correct host and port of the target; use mysql:// for MariaDB and MySQL",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use proptest::prelude::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(5);
    const WELCOME: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";

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
            let server = Server {
                endpoint: Endpoint::of(
                    &format!("postgresql://127.0.0.1:{port}/shop"),
                    "",
                    &super::super::protocol::TARGETS,
                    igen_job::Credentials::Own,
                )
                .unwrap(),
                user: "igen".to_owned(),
                password: None,
            };
            if let Ok(mut connection) = Connection::connect(&server, LIMIT).await {
                let _ = connection.query("SELECT 1").await;
                if let Ok(mut statement) = connection.prepare("s0", "SELECT 1").await {
                    let _ = connection.execute(&mut statement, &[]).await;
                }
            }
        };
        tokio::join!(speak, listen);
    }

    /// Types of messages that servers send, mostly.
    fn kind() -> impl Strategy<Value = u8> {
        prop_oneof![
            9 => prop::sample::select(b"RKSZTDCEN12nIG".to_vec()),
            1 => any::<u8>(),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn whatever_a_server_says_it_is_an_error_at_worst(
            messages in prop::collection::vec((kind(), any::<Vec<u8>>()), 0..12),
            rest: Vec<u8>,
            welcomes: bool,
        ) {
            let mut said = if welcomes { WELCOME.to_vec() } else { Vec::new() };
            for (kind, body) in messages {
                message::push(&mut said, kind, |message| message.extend(body));
            }
            said.extend(rest);
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                tokio::time::timeout(2 * LIMIT, talk(said)).await.expect("no hang");
            });
        }
    }
}
