//! Sleeping until a moment of the engine's clock, for any number of users on one thread.
//!
//! tokio's own timer has a resolution of one millisecond, which a load generator would mistake for
//! response time. Here one alarm for each thread wakes the earliest sleeper; the rest wait in a heap.
//! A punctual timer sets its alarm early and spins for the rest. All sleepers wake at once when the job stops.

use std::cell::{Cell, RefCell};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::alarm::Alarm;
use crate::clock::Clock;
use crate::punctual::Punctual;
use crate::stop::Stop;

/// The alarm need not be set: the thread is awake and looks at all sleepers.
const AWAKE: u64 = 0;

/// One for each thread that drives users; copies share the heap.
#[derive(Clone)]
pub struct Timer {
    clock: Clock,
    stop: Stop,
    shared: Rc<Shared>,
}

struct Shared {
    sleepers: RefCell<BinaryHeap<Reverse<Sleeper>>>,
    /// Time for which the alarm is set; it may be in the past.
    set_to_ns: Cell<u64>,
    /// When the alarm rings.
    rings_ns: Cell<u64>,
    alarm: Alarm,
    punctual: Option<Punctual>,
}

impl Timer {
    /// A timer for the current thread, and the future that serves it, which must be spawned there.
    pub fn new(clock: Clock, stop: Stop) -> std::io::Result<(Self, impl Future<Output = ()>)> {
        Self::punctual(clock, stop, None)
    }

    /// The same, perhaps of a thread that wakes early and spins until a deadline. Not on a paused clock, which
    /// stands still while a thread spins.
    pub(crate) fn punctual(
        clock: Clock,
        stop: Stop,
        punctual: Option<Punctual>,
    ) -> std::io::Result<(Self, impl Future<Output = ()>)> {
        let shared = Rc::new(Shared {
            sleepers: RefCell::default(),
            set_to_ns: Cell::new(u64::MAX),
            rings_ns: Cell::new(u64::MAX),
            alarm: clock.alarm()?,
            punctual,
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
            self.shared.set_to_ns.set(AWAKE);
            if let Some(punctual) = &self.shared.punctual {
                let rang_ns = self.shared.rings_ns.get();
                punctual.woke(self.clock.now_ns().saturating_sub(rang_ns));
                while self.wake_due(punctual.lead_ns()) {
                    punctual.spin_once(&self.clock).await;
                }
            } else {
                self.wake_due(0);
            }
            self.shared.set_to_ns.set(u64::MAX);
            self.set_alarm();
        }
    }

    /// Wakes who is due; true if the next one is within `lead_ns`.
    fn wake_due(&self, lead_ns: u64) -> bool {
        let now_ns = self.clock.now_ns();
        let mut sleepers = self.shared.sleepers.borrow_mut();
        let waiting = sleepers.len();
        while sleepers
            .peek()
            .is_some_and(|next| next.0.deadline_ns <= now_ns)
        {
            if let Some(Reverse(sleeper)) = sleepers.pop() {
                sleeper.waker.wake();
            }
        }
        if let Some(punctual) = &self.shared.punctual
            && sleepers.len() < waiting
        {
            punctual.served();
        }
        sleepers
            .peek()
            .is_some_and(|next| next.0.deadline_ns <= now_ns + lead_ns)
    }

    /// Sets the alarm to the earliest deadline, unless it is set to that or earlier.
    fn set_alarm(&self) {
        let sleepers = self.shared.sleepers.borrow();
        let Some(Reverse(next)) = sleepers.peek() else {
            return;
        };
        let punctual = self.shared.punctual.as_ref();
        let ring_ns = next
            .deadline_ns
            .saturating_sub(punctual.map_or(0, Punctual::lead_ns));
        if ring_ns < self.shared.set_to_ns.get() {
            let now_ns = self.clock.now_ns();
            self.shared.set_to_ns.set(ring_ns);
            self.shared.rings_ns.set(ring_ns.max(now_ns));
            self.shared.alarm.set(ring_ns.saturating_sub(now_ns));
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
