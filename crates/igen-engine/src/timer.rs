//! Sleeping until a moment of the engine's clock, for any number of users on one thread.
//!
//! tokio's own timer has a resolution of one millisecond, which a load generator would mistake for
//! response time. Here one alarm for each thread wakes the earliest sleeper; the rest wait in a heap.
//! All sleepers wake at once when the job stops.

use std::cell::{Cell, RefCell};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::alarm::Alarm;
use crate::clock::Clock;
use crate::stop::Stop;

/// One for each thread that drives users; copies share the heap.
#[derive(Clone)]
pub struct Timer {
    clock: Clock,
    stop: Stop,
    shared: Rc<Shared>,
}

struct Shared {
    sleepers: RefCell<BinaryHeap<Reverse<Sleeper>>>,
    set_to_ns: Cell<u64>,
    alarm: Alarm,
}

impl Timer {
    /// A timer for the current thread, and the future that serves it, which must be spawned there.
    pub fn new(clock: Clock, stop: Stop) -> std::io::Result<(Self, impl Future<Output = ()>)> {
        let shared = Rc::new(Shared {
            sleepers: RefCell::default(),
            set_to_ns: Cell::new(u64::MAX),
            alarm: clock.alarm()?,
        });
        let timer = Self {
            clock,
            stop,
            shared,
        };
        Ok((timer.clone(), timer.serve()))
    }

    /// The clock that the timer keeps to.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Waits until `deadline_ns`; returns early, with `false`, when the job stops.
    #[must_use]
    pub fn sleep_until(&self, deadline_ns: u64) -> Sleep<'_> {
        Sleep {
            timer: self,
            deadline_ns,
            registered: false,
        }
    }

    /// Waits until the job stops.
    pub async fn stopped(&self) {
        self.stop.stopped().await;
    }

    async fn serve(self) {
        let stop = self.stop.clone();
        tokio::select! {
            () = stop.stopped() => {}
            () = self.wake_in_turn() => {}
        }
        for Reverse(sleeper) in self.shared.sleepers.borrow_mut().drain() {
            sleeper.waker.wake();
        }
    }

    async fn wake_in_turn(&self) {
        loop {
            self.shared.alarm.rang().await;
            self.shared.set_to_ns.set(u64::MAX);
            self.wake_due();
            self.set_alarm();
        }
    }

    fn wake_due(&self) {
        let now_ns = self.clock.now_ns();
        let mut sleepers = self.shared.sleepers.borrow_mut();
        while sleepers
            .peek()
            .is_some_and(|next| next.0.deadline_ns <= now_ns)
        {
            if let Some(Reverse(sleeper)) = sleepers.pop() {
                sleeper.waker.wake();
            }
        }
    }

    /// Sets the alarm to the earliest deadline, unless it is set to that or earlier.
    fn set_alarm(&self) {
        let sleepers = self.shared.sleepers.borrow();
        let Some(Reverse(next)) = sleepers.peek() else {
            return;
        };
        if next.deadline_ns < self.shared.set_to_ns.get() {
            self.shared.set_to_ns.set(next.deadline_ns);
            let wait_ns = next.deadline_ns.saturating_sub(self.clock.now_ns());
            self.shared.alarm.set(wait_ns);
        }
    }
}

/// Resolves to `true` at its deadline, to `false` when the job stops first.
pub struct Sleep<'a> {
    timer: &'a Timer,
    deadline_ns: u64,
    registered: bool,
}

impl Future for Sleep<'_> {
    type Output = bool;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<bool> {
        if self.timer.stop.is_set() {
            return Poll::Ready(false);
        }
        if self.timer.clock.now_ns() >= self.deadline_ns {
            return Poll::Ready(true);
        }
        if !self.registered {
            self.registered = true;
            let waker = context.waker().clone();
            let sleeper = Sleeper {
                deadline_ns: self.deadline_ns,
                waker,
            };
            self.timer
                .shared
                .sleepers
                .borrow_mut()
                .push(Reverse(sleeper));
            self.timer.set_alarm();
        }
        Poll::Pending
    }
}

/// Who is to be woken, ordered by when.
struct Sleeper {
    deadline_ns: u64,
    waker: Waker,
}

impl PartialEq for Sleeper {
    fn eq(&self, other: &Self) -> bool {
        self.deadline_ns == other.deadline_ns
    }
}

impl Eq for Sleeper {}

impl PartialOrd for Sleeper {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Sleeper {
    fn cmp(&self, other: &Self) -> Ordering {
        self.deadline_ns.cmp(&other.deadline_ns)
    }
}
