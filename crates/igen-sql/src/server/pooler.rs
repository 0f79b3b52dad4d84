//! A pooler between iGen and the server.
//!
//! A pooler that hands a server's connection to another client after each transaction would hand over
//! iGen's settings, prepared statements and locks, too. It is recognised before iGen leaves any of them.

use super::protocol::{Fault, Protocol};

/// The text of a refusal.
pub(super) const SHARED: &str =
    "a pooler shares the server's connections between its clients (transaction pooling)";
/// The remedy.
pub(super) const UNSHARED: &str = "use session pooling (pool_mode = session), or the port of the server itself: settings, prepared statements and \
     locks of iGen would remain in connections that other clients use";

/// Returns true if a pooler stands between `connection` and the server. Fails if that pooler does not keep a
/// connection of the server for each of its clients; `open` opens a second connection to see that.
///
/// Source: both protocols name the connection when it opens, and by SQL; a pooler answers the first itself.
pub(super) async fn look<P: Protocol>(
    connection: &mut P,
    open: impl AsyncFnOnce() -> Result<P, P::Error>,
) -> Result<bool, P::Error> {
    let number = number(connection).await?;
    if number.is_some() && number == connection.announced() {
        return Ok(false);
    }
    let mut other = open().await?;
    let first = self::number(&mut other).await?;
    // A pooler that takes its connections in turn gives another one to the second statement.
    let second = self::number(&mut other).await?;
    if first == number || first != second {
        return Err(P::Error::shared());
    }
    Ok(true)
}

/// Returns the number by which the server that executes statements knows this connection.
pub(super) async fn number<P: Protocol>(connection: &mut P) -> Result<Option<u32>, P::Error> {
    let rows = connection.query(P::NUMBER).await?;
    let text = rows.into_iter().flatten().flatten().next();
    let number = text.and_then(|text| text.parse::<u64>().ok());
    // A greeting has room for the lower half.
    Ok(number.and_then(|number| u32::try_from(number & u64::from(u32::MAX)).ok()))
}
