//! A TCP connection, which neither waits to send nor stays for ever when the other side is gone.

use std::io::Result;
use std::net::SocketAddr;
use std::time::Duration;

use rustix::net::sockopt;
use tokio::net::TcpStream;

/// Silence before the system asks whether the other side is still there, then how often and how many
/// times in vain; and the longest time without an acknowledgement of what was sent.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(4);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(1);
const KEEPALIVE_PROBES: u32 = 4;
const UNACKNOWLEDGED_MS: u32 = 8_000;

/// Connects to the first of these addresses at which a server listens.
pub(crate) async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream> {
    let stream = TcpStream::connect(addresses).await?;
    stream.set_nodelay(true)?;
    notice_death(&stream)?;
    Ok(stream)
}

/// Lets the system end a connection whose other side is gone without a word, within seconds.
fn notice_death(stream: &TcpStream) -> Result<()> {
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, KEEPALIVE_IDLE)?;
    sockopt::set_tcp_keepintvl(stream, KEEPALIVE_EVERY)?;
    sockopt::set_tcp_keepcnt(stream, KEEPALIVE_PROBES)?;
    sockopt::set_tcp_user_timeout(stream, UNACKNOWLEDGED_MS)?;
    Ok(())
}
