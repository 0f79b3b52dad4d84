//! Entry point of a fuzz target.

use std::sync::LazyLock;

use igen_net::Password;
use igen_net::testing::{MOST_REQUESTS, chosen, now};

use super::authentication::authenticate;
use super::connection::Connection;
use super::error::Error;
use super::statement::Statement;

static PASSWORD: LazyLock<Password> = LazyLock::new(|| Password::given("secret"));

/// Reads the answers of a server; three bits of the first byte choose the first request.
pub fn answers(input: &[u8]) {
    let Some((choice, stream)) = chosen(input, 3) else {
        return;
    };
    let mut connection = Connection {
        stream,
        current: 0,
        process: None,
    };
    let mut statement = None;
    for request in (choice..).take(MOST_REQUESTS) {
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
