//! Entry point of a fuzz target.

use std::sync::LazyLock;

use igen_net::testing::now;
use igen_net::{Password, Stream};

use super::authentication::authenticate;
use super::connection::Connection;
use super::error::Error;
use super::statement::Statement;

static PASSWORD: LazyLock<Password> = LazyLock::new(|| Password::given("secret"));

/// Reads what a server answers. The low bits of the first byte choose what is asked first, the rest of it how many
/// bytes come at a time.
pub fn answers(input: &[u8]) {
    let Some((choice, input)) = input.split_first() else {
        return;
    };
    let piece = match choice >> 3 {
        0 => usize::MAX,
        piece => piece.into(),
    };
    let mut connection = Connection {
        stream: Stream::given(input, piece),
        current: 0,
        process: None,
    };
    let mut statement = None;
    for request in (choice & 7..).take(64) {
        let asked = ask(&mut connection, request, &mut statement);
        if !matches!(now(asked), Ok(()) | Err(Error::Server(_))) {
            return;
        }
    }
}

/// Sends one of the requests that this client knows, and reads the answer.
async fn ask(
    connection: &mut Connection,
    request: u8,
    statement: &mut Option<Statement>,
) -> Result<(), Error> {
    match (request % 6, statement) {
        (0, _) => {
            authenticate(connection, "igen", Some(&PASSWORD)).await?;
            connection.ready().await
        }
        (1, statement) => {
            *statement = Some(connection.prepare("s0", "SELECT 1").await?);
            Ok(())
        }
        (2, Some(statement)) => connection.execute(statement, &[]).await.map(drop),
        (3, _) => connection.query("SELECT 1").await.map(drop),
        (4, _) => {
            connection.start_copy("COPY").await?;
            connection.end_copy().await.map(drop)
        }
        _ => connection.control(b"").await.map(drop),
    }
}
