//! A socket of a thread's ring.

use std::cell::RefCell;
use std::io::Result;
use std::rc::Rc;
use std::task::{Context, Poll};

use rustix::net::SendFlags;

use super::queue::Direction;
use super::reactor;
use super::sockets::{Connected, Ring};

/// A socket whose bytes go through the ring of its thread.
pub(crate) struct Socket {
    pub(super) ring: Rc<RefCell<Ring>>,
    pub(super) slot: usize,
}

impl Socket {
    /// Moves `socket` to the ring of the current thread, which must run a `LocalRuntime`. An error,
    /// with the socket as it was, where the system has no `io_uring`, or not for us.
    pub(crate) fn new(socket: Connected) -> std::result::Result<Self, Connected> {
        let ring = reactor::ring().and_then(|ring| socket.set_nonblocking(false).map(|()| ring));
        match ring {
            Ok(ring) => {
                let slot = ring.borrow_mut().admit(socket);
                Ok(Self { ring, slot })
            }
            Err(_) => Err(socket),
        }
    }

    /// Queues the sending of `output`, which is empty afterwards; waits for what was sent before only.
    pub(crate) fn poll_send(
        &self,
        context: &Context<'_>,
        output: &mut Vec<u8>,
    ) -> Poll<Result<()>> {
        let ring = &mut *self.ring.borrow_mut();
        let slot = &mut ring.slots[self.slot];
        if ring.queue.is_under_way(self.slot, Direction::Send) {
            slot.awaits_send = true;
            return ring.wait(self.slot, context);
        }
        if let Some(error) = slot.failed.take() {
            return Poll::Ready(Err(error));
        }
        let buffer = std::mem::replace(output, std::mem::take(&mut slot.sent));
        output.clear();
        let descriptor = slot.descriptor()?;
        ring.wake_reactor();
        Poll::Ready(ring.queue.send(self.slot, descriptor, buffer))
    }

    /// Sends without waiting and without the ring, before the socket is dropped; nothing while a send
    /// is under way.
    pub(crate) fn last_words(&self, output: &[u8]) -> Result<()> {
        let ring = self.ring.borrow();
        if ring.queue.is_under_way(self.slot, Direction::Send) {
            return Ok(());
        }
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        match &ring.slots[self.slot].socket {
            Some(Connected::Tcp(socket)) => rustix::net::send(socket, output, flags)?,
            Some(Connected::Unix(socket)) => rustix::net::send(socket, output, flags)?,
            None => 0,
        };
        Ok(())
    }

    /// Gives back the buffer of the last send, unless that is still under way.
    pub(crate) fn park(&self) {
        self.ring.borrow_mut().slots[self.slot].sent = Vec::new();
    }

    /// Reads into `input[from..]`; gives the number of bytes, 0 at the end. While it waits, `input`
    /// is empty; after it was given up in the middle the next call goes on.
    pub(crate) fn poll_receive(
        &self,
        context: &Context<'_>,
        input: &mut Vec<u8>,
        from: usize,
    ) -> Poll<Result<usize>> {
        let ring = &mut *self.ring.borrow_mut();
        let slot = &mut ring.slots[self.slot];
        if let Some((result, buffer)) = slot.received.take() {
            *input = buffer;
            return Poll::Ready(result);
        }
        if let Some(error) = slot.failed.take() {
            return Poll::Ready(Err(error));
        }
        if !ring.queue.is_under_way(self.slot, Direction::Receive) {
            let descriptor = slot.descriptor()?;
            let buffer = std::mem::take(input);
            ring.queue.receive(self.slot, descriptor, buffer, from)?;
            ring.wake_reactor();
        }
        ring.wait(self.slot, context)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.ring.borrow_mut().dismiss(self.slot);
    }
}
