//! One flag that ends the load everywhere: a relaxed load on the hot path, a wake-up for sleepers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Copies share the flag. It is never taken back.
#[derive(Clone, Default)]
pub struct Stop(Arc<Inner>);

#[derive(Default)]
struct Inner {
    set: AtomicBool,
    wake: Notify,
}

impl Stop {
    /// Ends the load.
    pub fn set(&self) {
        self.0.set.store(true, Ordering::SeqCst);
        self.0.wake.notify_waiters();
    }

    /// Returns true if the load is to end.
    #[inline]
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.set.load(Ordering::Relaxed)
    }

    /// Waits until the load is to end.
    pub async fn stopped(&self) {
        // Registered before the flag is read, so that no wake-up falls between.
        let woken = self.0.wake.notified();
        if !self.0.set.load(Ordering::SeqCst) {
            woken.await;
        }
    }
}
