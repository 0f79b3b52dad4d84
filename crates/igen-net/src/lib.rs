//! What every client over a network needs: where a server is, a stream of bytes to it, under TLS where asked
//! for, and bounds of what it may say.

mod address;
mod bounds;
mod broken;
mod encrypted;
mod endpoint;
mod own_sessions;
pub mod password;
mod patience;
mod records;
mod ring;
mod said;
mod stream;
mod tcp;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tls;
mod tls_fault;
#[cfg(test)]
mod tls_server;
mod transport;

pub use address::Address;
pub use bounds::Bounds;
pub use broken::{UNKNOWN_HOST, UNKNOWN_HOST_REMEDY, broken, remedy};
pub use endpoint::{Encryption, Endpoint, PathKind, Scheme, SocketOption};
pub use password::Password;
pub use patience::Patience;
pub use said::said;
pub use stream::{CONNECTING, GRACE, Stream};
pub use tls::{Resumption, Tls, TlsMode};
pub use tls_fault::TlsFault;
pub use transport::{Traffic, Transport};
