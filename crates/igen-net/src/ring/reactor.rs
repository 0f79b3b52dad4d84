//! The task of a thread that serves its ring.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io::Result;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::{Rc, Weak};
use std::task::{Context, Poll};

use rustix::event::{EventfdFlags, eventfd};
use tokio::io::unix::AsyncFd;

use super::queue::Queue;
use super::sockets::Ring;

thread_local! {
    static RING: RefCell<Weak<RefCell<Ring>>> = const { RefCell::new(Weak::new()) };
}

/// Serves a ring until the runtime ends.
struct Reactor {
    ring: Rc<RefCell<Ring>>,
    /// Rings when operations have ended while the thread sleeps.
    bell: AsyncFd<OwnedFd>,
}

/// Returns true if this process may use `io_uring`.
pub(crate) fn is_available() -> bool {
    bell().is_ok_and(|bell| Queue::new(bell.as_fd()).is_ok())
}

fn bell() -> Result<OwnedFd> {
    Ok(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)
}

/// The ring of the current thread; the first call spawns its reactor.
pub(super) fn ring() -> Result<Rc<RefCell<Ring>>> {
    let served = RING.with(|ring| ring.borrow().upgrade());
    if let Some(ring) = served.filter(|ring| ring.borrow().is_served()) {
        return Ok(ring);
    }
    let bell = bell()?;
    let ring = Rc::new(RefCell::new(Ring::new(Queue::new(bell.as_fd())?)));
    #[expect(
        deprecated,
        reason = "sound for a descriptor that is owned and never replaced"
    )]
    let bell = AsyncFd::new(bell)?;
    let reactor = Reactor {
        ring: Rc::clone(&ring),
        bell,
    };
    tokio::task::spawn_local(async move { poll_fn(|context| reactor.poll(context)).await });
    RING.with(|own| *own.borrow_mut() = Rc::downgrade(&ring));
    Ok(ring)
}

impl Reactor {
    /// One turn; ends with the ring.
    fn poll(&self, context: &mut Context<'_>) -> Poll<()> {
        while let Poll::Ready(Ok(mut rang)) = self.bell.poll_read_ready(context) {
            rang.clear_ready();
        }
        let mut ring = self.ring.borrow_mut();
        ring.waker.get_or_insert_with(|| context.waker().clone());
        match ring.turn() {
            Ok(()) => Poll::Pending,
            // Those who wait hear of it when this is dropped.
            Err(_) => Poll::Ready(()),
        }
    }
}

impl Drop for Reactor {
    fn drop(&mut self) {
        self.ring.borrow_mut().close();
    }
}
