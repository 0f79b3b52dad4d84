//! Connections of one thread that share their system calls (`io_uring`).
//!
//! With `epoll` each round trip takes a `send` and a `recv`. Here the sends and reads of all users
//! that are ready go to the kernel together, in one call. A task of the thread, the reactor, makes
//! that call after all users that can run have run: whoever queues the first operation wakes it, and
//! it comes after those who are awake already.

mod queue;
mod reactor;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::io::{Error, ErrorKind, Result};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use queue::{Direction, Ended, Queue};
pub(crate) use reactor::is_available;
use rustix::net::SendFlags;

/// A connected socket.
pub(crate) enum Connected {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// A socket whose bytes go through the ring of its thread.
pub(crate) struct Socket {
    ring: Rc<RefCell<Ring>>,
    slot: usize,
}

/// The sockets of a thread, and their operations.
struct Ring {
    queue: Queue,
    slots: Vec<Slot>,
    free: Vec<usize>,
    /// What the last turn has found.
    ended: Vec<Ended>,
    /// Of the reactor, until that is gone.
    waker: Option<Waker>,
    /// The reactor will run without being woken again.
    awake: bool,
}

/// A socket and what has become of its operations.
struct Slot {
    /// `None` while the slot is free.
    socket: Option<Connected>,
    /// Nobody waits any more: the slot is free when its operations have ended.
    dismissed: bool,
    waker: Option<Waker>,
    /// The buffer of the last send, to be used again.
    sent: Vec<u8>,
    /// Why a send failed.
    failed: Option<Error>,
    received: Option<(Result<usize>, Vec<u8>)>,
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
        if ring.queue.is_under_way(self.slot, Direction::Send) {
            return ring.wait(self.slot, context);
        }
        let slot = &mut ring.slots[self.slot];
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

impl Ring {
    fn new(queue: Queue) -> Self {
        Self {
            queue,
            slots: Vec::new(),
            free: Vec::new(),
            ended: Vec::new(),
            waker: None,
            awake: true,
        }
    }

    fn admit(&mut self, socket: Connected) -> usize {
        let slot = Slot {
            socket: Some(socket),
            dismissed: false,
            waker: None,
            sent: Vec::new(),
            failed: None,
            received: None,
        };
        if let Some(free) = self.free.pop() {
            self.slots[free] = slot;
            return free;
        }
        self.slots.push(slot);
        self.slots.len() - 1
    }

    /// Takes leave of a socket, at once or when its operations have ended.
    fn dismiss(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        slot.dismissed = true;
        if let Some(socket) = &slot.socket {
            // This ends its operations.
            let _ = socket.shut_down();
        }
        self.free_if_done(index);
    }

    fn free_if_done(&mut self, index: usize) {
        let directions = [Direction::Send, Direction::Receive];
        if !directions
            .into_iter()
            .any(|direction| self.queue.is_under_way(index, direction))
        {
            self.slots[index].socket = None;
            self.free.push(index);
        }
    }

    /// The reactor runs, or is about to.
    fn is_served(&self) -> bool {
        self.awake || self.waker.is_some()
    }

    fn wait<T>(&mut self, slot: usize, context: &Context<'_>) -> Poll<Result<T>> {
        if !self.is_served() {
            return Poll::Ready(Err(Error::from(ErrorKind::NotConnected)));
        }
        let (own, given) = (&mut self.slots[slot].waker, context.waker());
        if !own.as_ref().is_some_and(|own| own.will_wake(given)) {
            *own = Some(given.clone());
        }
        Poll::Pending
    }

    #[inline]
    fn wake_reactor(&mut self) {
        if !self.awake
            && let Some(waker) = &self.waker
        {
            self.awake = true;
            waker.wake_by_ref();
        }
    }

    /// Submits what is queued, and wakes those whose operations have ended.
    fn turn(&mut self) -> Result<()> {
        self.awake = false;
        let mut ended = std::mem::take(&mut self.ended);
        let more = self.queue.turn(&mut ended);
        for each in ended.drain(..) {
            let index = each.slot;
            let slot = &mut self.slots[index];
            slot.end(each);
            if slot.dismissed {
                self.free_if_done(index);
            } else if let Some(waker) = &slot.waker {
                waker.wake_by_ref();
            }
        }
        self.ended = ended;
        if more? {
            self.wake_reactor();
        }
        Ok(())
    }

    /// The reactor will not run any more: nobody may wait for it.
    fn close(&mut self) {
        (self.waker, self.awake) = (None, false);
        for slot in &mut self.slots {
            if let Some(waker) = slot.waker.take() {
                waker.wake();
            }
        }
    }
}

impl Slot {
    fn descriptor(&self) -> Result<RawFd> {
        let socket = self.socket.as_ref().ok_or(ErrorKind::NotConnected)?;
        Ok(match socket {
            Connected::Tcp(socket) => socket.as_raw_fd(),
            Connected::Unix(socket) => socket.as_raw_fd(),
        })
    }

    fn end(&mut self, ended: Ended) {
        match (ended.direction, ended.result) {
            (Direction::Receive, result) => self.received = Some((result, ended.buffer)),
            (Direction::Send, Ok(bytes)) if bytes < ended.buffer.len() => {
                self.failed = Some(ErrorKind::WriteZero.into());
            }
            (Direction::Send, Ok(_)) => self.sent = ended.buffer,
            (Direction::Send, Err(error)) => self.failed = Some(error),
        }
    }
}

impl Connected {
    pub(crate) fn set_nonblocking(&self, nonblocking: bool) -> Result<()> {
        match self {
            Self::Tcp(socket) => socket.set_nonblocking(nonblocking),
            Self::Unix(socket) => socket.set_nonblocking(nonblocking),
        }
    }

    fn shut_down(&self) -> Result<()> {
        match self {
            Self::Tcp(socket) => socket.shutdown(Shutdown::Both),
            Self::Unix(socket) => socket.shutdown(Shutdown::Both),
        }
    }
}
