//! Entry point of a fuzz target.

use std::sync::LazyLock;

use igen_net::Password;
use igen_net::testing::{MOST_REQUESTS, chosen, now};

use super::connection::Connection;
use super::error::Error;
use super::statement::Statement;
use crate::server::protocol::{Protocol, Server};

static SERVER: LazyLock<Option<Server>> = LazyLock::new(|| {
    let mut server = Connection::server(
        "mysql://igen@127.0.0.1/shop",
        "",
        igen_job::Credentials::Own,
    )
    .ok()?;
    server.password = Some(Password::given("secret"));
    Some(server)
});

/// Reads the answers of a server; three bits of the first byte choose the first request. If the next bit is set, the
/// server leaves out column definitions.
pub fn answers(input: &[u8]) {
    let (Some((choice, stream)), Some(server)) = (chosen(input, 4), &*SERVER) else {
        return;
    };
    let mut connection = Connection {
        stream,
        current: 0,
        sequence: 0,
        number: 0,
        mariadb: true,
        caches_metadata: choice & 8 != 0,
    };
    let mut statement = None;
    for request in (choice & 7..).take(MOST_REQUESTS) {
        let asked = ask(&mut connection, request, &mut statement, server);
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
    server: &Server,
) -> Result<(), Error> {
    match (request % 6, statement) {
        (0, _) => {
            connection.next().await?;
            connection.authenticate(server).await
        }
        (1, statement) => {
            *statement = Some(connection.prepare("SELECT 1").await?);
            Ok(())
        }
        (2, Some(statement)) => connection.execute(statement, &[]).await.map(drop),
        (3, _) => connection.query("SELECT 1").await.map(drop),
        (4, _) => {
            connection.start_load("LOAD DATA").await?;
            connection.end_load(1).await
        }
        _ => connection.control(b"").await.map(drop),
    }
}
