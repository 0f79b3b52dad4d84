//! Connections of one thread that share their system calls (`io_uring`).
//!
//! With `epoll` each round trip takes a `send` and a `recv`. Here the sends and reads of all users
//! that are ready go to the kernel together, in one call. A task of the thread, the reactor, makes
//! that call after all users that can run have run: whoever queues the first operation wakes it, and
//! it comes after those who are awake already. One connection alone shares with nobody: it uses `epoll`.

mod queue;
mod reactor;
mod sharing;
mod socket;
mod sockets;
#[cfg(test)]
mod tests;

pub(crate) use reactor::is_available;
pub(crate) use sharing::Sharing;
pub(crate) use socket::Socket;
pub(crate) use sockets::Connected;
