//! Entry point of a fuzz target.

use std::hint::black_box;
use std::sync::Arc;

use igen_net::testing::{MOST_REQUESTS, chosen, now};

use crate::ber::{self, INTEGER, Reader};
use crate::connection::Connection;
use crate::error::Error;
use crate::request::{Filter, Scope, SearchRequest};
use crate::sent::Sent;

const SEARCH: SearchRequest<'_> = SearchRequest {
    base: b"dc=lab",
    scope: Scope::Subtree,
    filter: Filter::Present("uid"),
    attributes: &[],
    size_limit: 0,
};

/// Leaves room for the requests that follow.
const MOST_ID: u32 = 1 << 30;

/// Reads the answers of a directory; two bits of the first byte choose the first request. The requests have the numbers
/// of the answers.
pub fn answers(input: &[u8]) {
    let Some((choice, stream)) = chosen(input, 3) else {
        return;
    };
    let mut connection = Connection::new(stream, Arc::new(Sent::default()), choice & 4 != 0);
    if let Some(id @ 1..=MOST_ID) = first_id(&input[1..]) {
        connection.id = id - 1;
    }
    for request in (choice & 3..).take(MOST_REQUESTS) {
        if !matches!(
            now(ask(&mut connection, request)),
            Ok(()) | Err(Error::Result { .. })
        ) {
            return;
        }
    }
}

/// Sends one of the requests that this client knows, and reads the answer.
async fn ask(connection: &mut Connection, request: u8) -> Result<(), Error> {
    match request % 4 {
        0 => connection.try_bind(b"cn=admin", b"secret").await.map(drop),
        1 => {
            let look = |entry: crate::Entry<'_>| {
                for (name, values) in entry.attributes() {
                    black_box((name, values.map(igen_net::said).count()));
                }
            };
            connection.try_search(&SEARCH, look).await.map(drop)
        }
        2 => connection.start_tls().await,
        _ => connection
            .try_modify(b"uid=1", "cn", &[b"x"])
            .await
            .map(drop),
    }
}

/// Returns the number of the first message.
fn first_id(input: &[u8]) -> Option<u32> {
    let (header, _) = ber::header(input)??;
    Reader::new(input.get(header..)?).number(INTEGER)
}
