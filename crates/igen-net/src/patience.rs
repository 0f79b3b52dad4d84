//! The end of waiting for a server that says nothing any more: stopped, frozen, or cut off.
//!
//! A server ends statements that take too long by itself, so this is for one that cannot. A thread of
//! the process looks at all connections twice a second. A timer for each of them would cost every
//! round trip 200 ns, because the event loop would read the clock once more; this costs too little to
//! be measured beside a round trip of 2.5 µs.

use std::future::{Future, poll_fn};
use std::io::{Error, ErrorKind, Result};
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Time between two looks: the end of waiting is late by two of them at most.
const LOOK_EVERY: Duration = Duration::from_nanos(LOOK_EVERY_NS);
const LOOK_EVERY_NS: u64 = 500_000_000;

/// Connections that have a limit. While there are any, a thread looks at them.
static WATCHES: Mutex<Vec<Watch>> = Mutex::new(Vec::new());

/// How long something is waited for: without limit, until one is set.
#[derive(Default)]
pub struct Patience {
    waiter: Option<Waiter>,
}

/// The connection's side.
struct Waiter {
    shared: Arc<Shared>,
    turn: u32,
    /// What `shared` has.
    waker: Option<Waker>,
}

#[derive(Default)]
struct Shared {
    /// Odd while the connection waits, another number for each wait.
    turn: AtomicU32,
    /// The wait that is over.
    ended: AtomicU32,
    /// A wait ends after so many looks in vain.
    most_looks: AtomicU32,
    waker: Mutex<Option<Waker>>,
}

/// The side of the thread that looks.
struct Watch {
    shared: Weak<Shared>,
    turn: u32,
    /// Looks since the turn was another.
    looks: u32,
}

impl Patience {
    /// From now on waits no longer than `limit` at a time, and up to a second more, which the looks at it
    /// take; without `limit` for ever.
    pub fn limit(&mut self, limit: Option<Duration>) -> Result<()> {
        self.waiter = None;
        if let Some(limit) = limit {
            let (waiter, watch) = Waiter::new(looks(limit));
            let mut watches = locked(&WATCHES);
            if watches.is_empty() {
                let thread = std::thread::Builder::new().name("patience".to_owned());
                thread.spawn(look_at_all)?;
            }
            watches.push(watch);
            self.waiter = Some(waiter);
        }
        Ok(())
    }

    /// Has another limit from now on, where there is one.
    #[inline]
    pub fn change(&self, limit: Duration) {
        if let Some(waiter) = &self.waiter {
            let most_looks = &waiter.shared.most_looks;
            most_looks.store(looks(limit), Ordering::Relaxed);
        }
    }

    /// Waits for `io`; an error of kind `TimedOut` when that takes too long.
    #[inline]
    pub async fn wait<T>(&mut self, io: impl Future<Output = Result<T>>) -> Result<T> {
        match &mut self.waiter {
            Some(waiter) => waiter.wait(io).await,
            None => io.await,
        }
    }
}

impl Waiter {
    /// One whose waits end after so many looks in vain.
    fn new(most_looks: u32) -> (Self, Watch) {
        let shared = Arc::new(Shared {
            most_looks: AtomicU32::new(most_looks),
            ..Shared::default()
        });
        let watch = Watch {
            shared: Arc::downgrade(&shared),
            turn: 0,
            looks: 0,
        };
        let waiter = Self {
            shared,
            turn: 0,
            waker: None,
        };
        (waiter, watch)
    }

    #[inline]
    async fn wait<T>(&mut self, io: impl Future<Output = Result<T>>) -> Result<T> {
        let mut io = pin!(io);
        let mut waiting = false;
        let done = poll_fn(|context| match io.as_mut().poll(context) {
            Poll::Pending => {
                if !waiting {
                    waiting = true;
                    // Odd, also after a wait that was given up in the middle.
                    self.set_turn(self.turn.wrapping_add(1) | 1);
                }
                self.poll_end(context)
                    .map(|()| Err(Error::from(ErrorKind::TimedOut)))
            }
            done @ Poll::Ready(_) => done,
        });
        let done = done.await;
        if waiting {
            self.set_turn(self.turn.wrapping_add(1));
        }
        done
    }

    #[inline]
    fn set_turn(&mut self, turn: u32) {
        self.turn = turn;
        self.shared.turn.store(turn, Ordering::Relaxed);
    }

    /// Ready when this wait is over.
    #[inline]
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let waker = context.waker();
        if !self.waker.as_ref().is_some_and(|own| own.will_wake(waker)) {
            self.waker = Some(waker.clone());
            *locked(&self.shared.waker) = Some(waker.clone());
        }
        if self.shared.ended.load(Ordering::Relaxed) == self.turn {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

impl Watch {
    /// Ends the wait if it has been the same one for too many looks; `false` when the connection is
    /// gone.
    fn look(&mut self) -> bool {
        let Some(shared) = self.shared.upgrade() else {
            return false;
        };
        let turn = shared.turn.load(Ordering::Relaxed);
        if turn != self.turn || turn.is_multiple_of(2) {
            (self.turn, self.looks) = (turn, 0);
            return true;
        }
        self.looks = self.looks.saturating_add(1);
        if self.looks >= shared.most_looks.load(Ordering::Relaxed) {
            shared.ended.store(turn, Ordering::Relaxed);
            if let Some(waker) = locked(&shared.waker).as_ref() {
                waker.wake_by_ref();
            }
        }
        true
    }
}

/// In how many looks a time is over.
#[inline]
fn looks(limit: Duration) -> u32 {
    let limit_ns = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
    u32::try_from(limit_ns.div_ceil(LOOK_EVERY_NS)).unwrap_or(u32::MAX)
}

/// Looks until there is no connection any more.
fn look_at_all() {
    loop {
        std::thread::sleep(LOOK_EVERY);
        let mut watches = locked(&WATCHES);
        watches.retain_mut(Watch::look);
        if watches.is_empty() {
            return;
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::future::pending;

    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::task::yield_now;

    use super::*;

    const MOST_LOOKS: u32 = 3;

    #[tokio::test]
    async fn silence_ends_the_wait_and_only_this_one() {
        let (mut waiter, mut watch) = Waiter::new(MOST_LOOKS);
        for _ in 0..2 {
            let mut looks = 0;
            let look = async {
                loop {
                    yield_now().await;
                    looks += 1;
                    assert!(watch.look());
                }
            };
            let waited = tokio::select! {
                biased;
                waited = waiter.wait(pending::<Result<()>>()) => waited,
                () = look => unreachable!(),
            };
            assert_eq!(waited.unwrap_err().kind(), ErrorKind::TimedOut);
            // The first look sees a new wait.
            assert_eq!(looks, 1 + MOST_LOOKS);
        }
    }

    #[test]
    fn another_limit_is_another_number_of_looks() {
        for (limit, expected) in [
            (Duration::from_secs(30), 60),
            (Duration::from_millis(501), 2),
            (Duration::MAX, u32::MAX),
        ] {
            assert_eq!(looks(limit), expected);
        }
        let (mut waiter, mut watch) = Waiter::new(MOST_LOOKS);
        waiter.set_turn(1);
        let patience = Patience {
            waiter: Some(waiter),
        };
        patience.change(Duration::from_secs(1));
        let shared = Arc::clone(&patience.waiter.as_ref().unwrap().shared);
        for _ in 0..=2 {
            assert_eq!(shared.ended.load(Ordering::Relaxed), 0);
            assert!(watch.look());
        }
        assert_eq!(shared.ended.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn who_answers_now_and_then_may_take_for_ever() {
        let (mut server, mut client) = duplex(8);
        let (mut waiter, mut watch) = Waiter::new(MOST_LOOKS);
        for _ in 0..100 {
            let answer = async {
                for _ in 0..MOST_LOOKS {
                    yield_now().await;
                    watch.look();
                }
                server.write_all(b"x").await
            };
            let (byte, _) = tokio::join!(waiter.wait(client.read_u8()), answer);
            assert_eq!(byte.unwrap(), b'x');
        }
    }

    #[tokio::test]
    async fn who_does_not_wait_or_gave_up_has_all_the_time() {
        let (mut waiter, mut watch) = Waiter::new(MOST_LOOKS);
        tokio::select! {
            biased;
            _ = waiter.wait(pending::<Result<()>>()) => unreachable!(),
            () = yield_now() => (),
        }
        for _ in 0..10 * MOST_LOOKS {
            watch.look();
        }
        let second = async {
            yield_now().await;
            Ok(1)
        };
        assert_eq!(waiter.wait(second).await.unwrap(), 1);
        drop(waiter);
        assert!(!watch.look());
    }
}
