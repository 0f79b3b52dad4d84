//! What every client over a network needs: where a server is, a stream of bytes to it, under TLS where asked
//! for, and bounds of what it may say.

mod address;
mod bounds;
mod broken;
mod encrypted;
mod endpoint;
mod option_file;
mod own_sessions;
pub mod password;
mod patience;
mod records;
mod ring;
mod said;
mod scheme;
mod stream;
pub mod surroundings;
mod tcp;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tls;
mod tls_fault;
mod tls_options;
#[cfg(test)]
mod tls_server;
mod transport;

pub use address::Address;
pub use bounds::Bounds;
pub use broken::{UNKNOWN_HOST, UNKNOWN_HOST_REMEDY, broken, remedy};
pub use endpoint::Endpoint;
pub use password::Password;
pub use patience::Patience;
pub use said::said;
pub use scheme::{Encryption, PathKind, Scheme, SocketOption};
pub use stream::{CONNECTING, GRACE, Stream};
pub use tls::{Identity, Resumption, Tls, TlsMode};
pub use tls_fault::TlsFault;
pub use transport::{Traffic, Transport};
