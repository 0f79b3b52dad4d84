//! Opening a connection whose session is known as this process's.

use std::time::Duration;

use super::protocol::{Protocol, Server};
use super::{own, pooler};

/// Opens a connection, and notes its session as one of this process. A pooler knows it by another number than the
/// server.
pub(super) async fn open<P: Protocol>(
    server: &Server,
    limit: Duration,
    pooled: bool,
) -> Result<P, P::Error> {
    let mut connection = P::open(server, limit).await?;
    let number = if pooled {
        pooler::number(&mut connection).await?
    } else {
        connection.announced()
    };
    if let Some(number) = number {
        own::note(server.endpoint.server(), number);
    }
    Ok(connection)
}
