//! Entry point of a fuzz target.

use std::sync::LazyLock;

use igen_net::testing::now;
use igen_net::{Password, Stream};

use super::connection::Connection;
use super::error::Error;
use super::statement::Statement;
use crate::server::protocol::{Protocol, Server};

static SERVER: LazyLock<Option<Server>> = LazyLock::new(|| {
    let mut server = Connection::server("mysql://igen@127.0.0.1/shop", "").ok()?;
    server.password = Some(Password::given("secret"));
    Some(server)
});

/// Reads what a server answers. The low bits of the first byte choose what is asked first, the next one whether the
/// server leaves out column definitions, and the rest how many bytes come at a time.
pub fn answers(input: &[u8]) {
    let (Some((choice, input)), Some(server)) = (input.split_first(), &*SERVER) else {
        return;
    };
    let piece = match choice >> 4 {
        0 => usize::MAX,
        piece => piece.into(),
    };
    let mut connection = Connection {
        stream: Stream::given(input, piece),
        current: 0,
        sequence: 0,
        number: 0,
        mariadb: true,
        caches_metadata: choice & 8 != 0,
    };
    let mut statement = None;
    for request in (choice & 7..).take(64) {
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
