//! Who we are: SCRAM-SHA-256, MD5, a password in clear, or nothing.

use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};

use igen_net::Password;

use super::connection::Connection;
use super::error::Error;
use super::message::{self, Reader};

/// PostgreSQL asks for 4,096 unless told otherwise; a million take a second.
const MOST_ITERATIONS: u32 = 1_000_000;

const MALFORMED: Error = Error::Protocol("malformed answer while connecting");

/// Answers the server's questions until it says that all is well.
pub(super) async fn authenticate(
    connection: &mut Connection,
    user: &str,
    password: Option<&Password>,
) -> Result<(), Error> {
    loop {
        let kind = connection.next().await?;
        let body = connection.body();
        match kind {
            b'R' => (),
            b'E' => return Err(Error::of_message(body)),
            // A notice, or that an older version of the protocol is spoken.
            b'N' | b'v' => continue,
            _ => return Err(MALFORMED),
        }
        let mut reader = Reader::new(body);
        match reader.i32().ok_or(MALFORMED)? {
            0 => return Ok(()),
            3 => {
                let clear = given(password)?.as_bytes().to_vec();
                if !connection.is_private() {
                    return Err(Error::Refused {
                        text: "the server requests the password unencrypted, so others could read \
                               it on the network"
                            .to_owned(),
                        hint: "use sslmode=require or better, or scram-sha-256 in pg_hba.conf",
                    });
                }
                answer(connection, &[&clear, &b"\0"[..]].concat()).await?;
            }
            5 => {
                let salt = *reader.rest().first_chunk().ok_or(MALFORMED)?;
                let hash = md5_hash(user.as_bytes(), given(password)?.as_bytes(), salt);
                answer(connection, &[hash.as_bytes(), b"\0"].concat()).await?;
            }
            10 => {
                let mut known = false;
                while let Some(mechanism) = reader.text().filter(|name| !name.is_empty()) {
                    known |= mechanism == SCRAM_SHA_256.as_bytes();
                }
                if !known {
                    return Err(unsupported("SASL"));
                }
                scram(connection, given(password)?).await?;
            }
            7..=9 => return Err(unsupported("GSSAPI or SSPI")),
            _ => return Err(unsupported("an unknown kind")),
        }
    }
}

async fn scram(connection: &mut Connection, password: &Password) -> Result<(), Error> {
    let mut exchange = ScramSha256::new(password.as_bytes(), ChannelBinding::unsupported());
    let mut first = Vec::new();
    message::push_text(&mut first, SCRAM_SHA_256);
    let opening = exchange.message();
    let length = i32::try_from(opening.len()).map_err(|_| MALFORMED)?;
    first.extend(length.to_be_bytes());
    first.extend_from_slice(opening);
    answer(connection, &first).await?;
    let asked = sasl(connection, 11).await?;
    if iterations(asked).is_some_and(|iterations| iterations > MOST_ITERATIONS) {
        return Err(Error::Refused {
            text: "the server requests more than a million hash iterations for the password"
                .to_owned(),
            hint: "lower scram_iterations in postgresql.conf",
        });
    }
    exchange.update(asked)?;
    let proof = exchange.message().to_vec();
    answer(connection, &proof).await?;
    Ok(exchange.finish(sasl(connection, 12).await?)?)
}

/// How often the password is to be hashed: `r=…,s=…,i=4096` (RFC 5802).
fn iterations(asked: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(asked).ok()?;
    let count = text.split(',').find_map(|part| part.strip_prefix("i="))?;
    count.parse().ok()
}

/// The data of the server's next message in the exchange, which must be of this kind.
async fn sasl(connection: &mut Connection, kind: i32) -> Result<&[u8], Error> {
    let message = connection.next().await?;
    let body = connection.body();
    match message {
        b'R' => {
            let mut reader = Reader::new(body);
            if reader.i32() != Some(kind) {
                return Err(MALFORMED);
            }
            Ok(reader.rest())
        }
        b'E' => Err(Error::of_message(body)),
        _ => Err(MALFORMED),
    }
}

async fn answer(connection: &mut Connection, data: &[u8]) -> Result<(), Error> {
    message::push(connection.output(), b'p', |body| {
        body.extend_from_slice(data);
    });
    connection.flush().await
}

fn given(password: Option<&Password>) -> Result<&Password, Error> {
    password.ok_or_else(|| Error::Refused {
        text: "the server requires a password, but no password is set".to_owned(),
        hint: "put the password into PGPASSWORD, or into ~/.pgpass with `chmod 600`",
    })
}

fn unsupported(kind: &str) -> Error {
    Error::Refused {
        text: format!("the server requires authentication by {kind}, which is not supported"),
        hint: "use scram-sha-256, md5, password or trust in pg_hba.conf",
    }
}
