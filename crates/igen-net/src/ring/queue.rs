//! The queue of operations between this process and the kernel: the only unsafe code here.
//!
//! The kernel reads and writes the buffers of operations that are under way. They belong to the queue
//! for that time, so that nobody else can touch or free them, whoever is dropped meanwhile.

#![allow(unsafe_code)]

use std::io::{Error, Result};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::sync::atomic::{Ordering, fence};

use io_uring::types::Fd;
use io_uring::{IoUring, opcode, squeue};

/// Operations that can wait to be submitted; more are submitted in several parts.
const SUBMISSIONS: u32 = 256;
/// Answers that fit between two looks; the kernel keeps more until there is room.
const COMPLETIONS: u32 = 4096;
/// Waits for the first byte before it tries to read: an answer is never there already.
const POLL_FIRST: u16 = 1;
/// Run the work that ended operations have left, so that their results appear.
const GET_EVENTS: u32 = 1;
const WAIT_ALL: i32 = 0x100;
const NO_SIGNAL: i32 = 0x4000;

/// What an operation does to its socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Send,
    Receive,
}

/// An operation that has ended: whose, which, how many bytes, and its buffer.
pub(super) struct Ended {
    pub(super) slot: usize,
    pub(super) direction: Direction,
    pub(super) result: Result<usize>,
    pub(super) buffer: Vec<u8>,
}

/// Operations on sockets, submitted and reaped together.
pub(super) struct Queue {
    ring: IoUring,
    /// Buffers of operations under way, by slot and direction.
    lent: Vec<[Option<Vec<u8>>; 2]>,
}

impl Queue {
    /// Rings `bell` when operations have ended and nobody looks. Only the thread that made it may use
    /// it. An error where the system has no `io_uring`, or not for us.
    pub(super) fn new(bell: BorrowedFd<'_>) -> Result<Self> {
        let ring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .setup_taskrun_flag()
            .setup_submit_all()
            .setup_cqsize(COMPLETIONS)
            .build(SUBMISSIONS)?;
        ring.submitter().register_eventfd(bell.as_raw_fd())?;
        Ok(Self {
            ring,
            lent: Vec::new(),
        })
    }

    /// Queues the sending of all of `buffer`.
    pub(super) fn send(&mut self, slot: usize, socket: RawFd, buffer: Vec<u8>) -> Result<()> {
        let (pointer, bytes) = (buffer.as_ptr(), length(buffer.len()));
        self.lend(slot, Direction::Send, buffer);
        let send = opcode::Send::new(Fd(socket), pointer, bytes).flags(WAIT_ALL | NO_SIGNAL);
        self.push(&send.build().user_data(tag(slot, Direction::Send)))
    }

    /// Queues a read into `buffer[from..]`.
    pub(super) fn receive(
        &mut self,
        slot: usize,
        socket: RawFd,
        mut buffer: Vec<u8>,
        from: usize,
    ) -> Result<()> {
        let space = &mut buffer[from..];
        let (pointer, bytes) = (space.as_mut_ptr(), length(space.len()));
        self.lend(slot, Direction::Receive, buffer);
        let receive = opcode::Recv::new(Fd(socket), pointer, bytes).ioprio(POLL_FIRST);
        self.push(&receive.build().user_data(tag(slot, Direction::Receive)))
    }

    /// Returns true if an operation of `slot` in this direction is under way.
    pub(super) fn is_under_way(&self, slot: usize, direction: Direction) -> bool {
        self.lent
            .get(slot)
            .is_some_and(|lent| lent[direction as usize].is_some())
    }

    /// Submits what is queued and hands over what has ended, each at once; `true` if there is more already.
    #[inline]
    pub(super) fn turn(&mut self, mut ended: impl FnMut(Ended)) -> Result<bool> {
        // The bell is for those who sleep.
        self.ring.completion().disable_eventfd();
        let submitted = self.submit();
        for entry in self.ring.completion() {
            let (slot, direction) = whose(entry.user_data());
            let result = entry.result();
            // Not there only if the kernel answered twice.
            if let Some(buffer) = self.lent[slot][direction as usize].take() {
                ended(Ended {
                    slot,
                    direction,
                    result: usize::try_from(result).map_err(|_| Error::from_raw_os_error(-result)),
                    buffer,
                });
            }
        }
        self.ring.completion().enable_eventfd();
        // What ends from here on rings the bell; what ended before is seen now.
        fence(Ordering::SeqCst);
        submitted?;
        Ok(self.ring.submission().taskrun() || !self.ring.completion().is_empty())
    }

    fn submit(&mut self) -> Result<()> {
        let queued = u32::try_from(self.ring.submission().len()).unwrap_or(u32::MAX);
        let submitter = self.ring.submitter();
        // SAFETY: no argument follows, and every queued entry refers to a buffer in `lent`.
        match unsafe { submitter.enter::<()>(queued, 0, GET_EVENTS, None) } {
            // A signal: the next turn does it.
            Err(error) if error.kind() != std::io::ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }

    fn lend(&mut self, slot: usize, direction: Direction, buffer: Vec<u8>) {
        if self.lent.len() <= slot {
            self.lent.resize_with(slot + 1, <[_; 2]>::default);
        }
        let before = self.lent[slot][direction as usize].replace(buffer);
        assert!(
            before.is_none(),
            "one operation in each direction at a time"
        );
    }

    fn push(&mut self, entry: &squeue::Entry) -> Result<()> {
        if self.ring.submission().is_full() {
            self.submit()?;
        }
        // SAFETY: the entry's buffer is in `lent` until the kernel says that the operation has ended:
        // only then `turn` takes it out, and `drop` leaves the rest to the kernel for good. A vector
        // that moves keeps its bytes where they are.
        unsafe { self.ring.submission().push(entry) }
            .map_err(|_| Error::other("the queue of operations is full"))
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // Operations of connections that were given up: the kernel may still write there.
        for buffer in self.lent.drain(..).flatten().flatten() {
            std::mem::forget(buffer);
        }
    }
}

fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

fn tag(slot: usize, direction: Direction) -> u64 {
    (slot as u64) << 1 | direction as u64
}

fn whose(tag: u64) -> (usize, Direction) {
    let direction = if tag & 1 == Direction::Send as u64 {
        Direction::Send
    } else {
        Direction::Receive
    };
    (usize::try_from(tag >> 1).unwrap_or(usize::MAX), direction)
}
