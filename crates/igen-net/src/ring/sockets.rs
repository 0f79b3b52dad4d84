//! The sockets of a thread, and what has become of their operations.

use std::io::{Error, ErrorKind, Result};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::task::{Context, Poll, Waker};

use super::queue::{Direction, Ended, Queue};

/// A connected socket.
pub(crate) enum Connected {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// The sockets of a thread, and their operations.
pub(super) struct Ring {
    pub(super) queue: Queue,
    pub(super) slots: Vec<Slot>,
    free: Vec<usize>,
    /// Dismissed slots of which the last turn has ended an operation.
    left: Vec<usize>,
    /// Wakes the reactor, until that is gone.
    pub(super) waker: Option<Waker>,
    /// The reactor will run without being woken again.
    awake: bool,
}

/// A socket and what has become of its operations.
pub(super) struct Slot {
    /// `None` while the slot is free.
    pub(super) socket: Option<Connected>,
    /// Nobody waits any more: the slot is free when its operations have ended.
    dismissed: bool,
    waker: Option<Waker>,
    /// The buffer of the last send, to be used again.
    pub(super) sent: Vec<u8>,
    /// Somebody waits for the send under way to end: usually nobody does.
    pub(super) awaits_send: bool,
    /// Why a send failed.
    pub(super) failed: Option<Error>,
    pub(super) received: Option<(Result<usize>, Vec<u8>)>,
}

impl Ring {
    pub(super) fn new(queue: Queue) -> Self {
        Self {
            queue,
            slots: Vec::new(),
            free: Vec::new(),
            left: Vec::new(),
            waker: None,
            awake: true,
        }
    }

    pub(super) fn admit(&mut self, socket: Connected) -> usize {
        let slot = Slot {
            socket: Some(socket),
            dismissed: false,
            waker: None,
            sent: Vec::new(),
            awaits_send: false,
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
    pub(super) fn dismiss(&mut self, index: usize) {
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
        let under_way = directions
            .into_iter()
            .any(|direction| self.queue.is_under_way(index, direction));
        // Once only, also where both operations have ended in the same turn.
        if !under_way && self.slots[index].socket.take().is_some() {
            self.free.push(index);
        }
    }

    /// The reactor runs, or is about to.
    pub(super) fn is_served(&self) -> bool {
        self.awake || self.waker.is_some()
    }

    pub(super) fn wait<T>(&mut self, slot: usize, context: &Context<'_>) -> Poll<Result<T>> {
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
    pub(super) fn wake_reactor(&mut self) {
        if !self.awake
            && let Some(waker) = &self.waker
        {
            self.awake = true;
            waker.wake_by_ref();
        }
    }

    /// Submits what is queued, and wakes those whose operations have ended.
    pub(super) fn turn(&mut self) -> Result<()> {
        self.awake = false;
        let (slots, left) = (&mut self.slots, &mut self.left);
        let more = self.queue.turn(|ended| {
            let index = ended.slot;
            let slot = &mut slots[index];
            let concerns = slot.end(ended);
            if slot.dismissed {
                left.push(index);
            } else if concerns && let Some(waker) = &slot.waker {
                waker.wake_by_ref();
            }
        });
        while let Some(index) = self.left.pop() {
            self.free_if_done(index);
        }
        if more? {
            self.wake_reactor();
        }
        Ok(())
    }

    /// The reactor will not run any more: nobody may wait for it.
    pub(super) fn close(&mut self) {
        (self.waker, self.awake) = (None, false);
        for slot in &mut self.slots {
            if let Some(waker) = slot.waker.take() {
                waker.wake();
            }
        }
    }
}

impl Slot {
    pub(super) fn descriptor(&self) -> Result<RawFd> {
        let socket = self.socket.as_ref().ok_or(ErrorKind::NotConnected)?;
        Ok(match socket {
            Connected::Tcp(socket) => socket.as_raw_fd(),
            Connected::Unix(socket) => socket.as_raw_fd(),
        })
    }

    /// Takes what an operation has come to; whether who waits is to be woken. A user who has sent waits for the
    /// answer: woken for the send as well it would look twice for each request.
    fn end(&mut self, ended: Ended) -> bool {
        match (ended.direction, ended.result) {
            (Direction::Receive, result) => self.received = Some((result, ended.buffer)),
            (Direction::Send, Ok(bytes)) if bytes < ended.buffer.len() => {
                self.failed = Some(ErrorKind::WriteZero.into());
            }
            (Direction::Send, Ok(_)) => {
                self.sent = ended.buffer;
                return std::mem::take(&mut self.awaits_send);
            }
            (Direction::Send, Err(error)) => self.failed = Some(error),
        }
        true
    }
}

impl Connected {
    pub(super) fn set_nonblocking(&self, nonblocking: bool) -> Result<()> {
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
