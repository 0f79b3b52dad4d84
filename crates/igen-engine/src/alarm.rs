//! Wakes one thread at one moment: a `timerfd` of the operating system, or a paused tokio clock in
//! tests.

use std::os::fd::OwnedFd;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::unix::AsyncFd;

pub(crate) enum Alarm {
    Timerfd(AsyncFd<OwnedFd>),
    #[cfg(feature = "paused-clock")]
    Paused(tokio::sync::watch::Sender<Option<tokio::time::Instant>>),
}

impl Alarm {
    /// An alarm of the operating system.
    pub(crate) fn timerfd() -> std::io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let descriptor = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        #[expect(
            deprecated,
            reason = "sound for a descriptor that is owned and never replaced; keeps this crate free of unsafe"
        )]
        let descriptor = AsyncFd::new(descriptor)?;
        Ok(Self::Timerfd(descriptor))
    }

    /// Rings once, `wait_ns` from now, instead of when it was set to ring before.
    pub(crate) fn set(&self, wait_ns: u64) {
        match self {
            Self::Timerfd(descriptor) => {
                let once = Itimerspec {
                    it_interval: Timespec {
                        tv_sec: 0,
                        tv_nsec: 0,
                    },
                    it_value: Timespec {
                        tv_sec: i64::try_from(wait_ns / 1_000_000_000).unwrap_or(i64::MAX),
                        // A time of zero would disarm it.
                        tv_nsec: i64::try_from(wait_ns % 1_000_000_000).unwrap_or(1).max(1),
                    },
                };
                // It can only fail for a bad descriptor or an invalid time; both are excluded.
                let _ = timerfd_settime(descriptor.get_ref(), TimerfdTimerFlags::empty(), &once);
            }
            #[cfg(feature = "paused-clock")]
            Self::Paused(moment) => {
                let wait = std::time::Duration::from_nanos(wait_ns);
                moment.send_replace(Some(tokio::time::Instant::now() + wait));
            }
        }
    }

    /// Waits until it rings.
    pub(crate) async fn rang(&self) {
        match self {
            Self::Timerfd(descriptor) => {
                if let Ok(mut ready) = descriptor.readable().await {
                    ready.clear_ready();
                }
                let mut expirations = [0; 8];
                // Nothing to read means that it was set anew in between.
                let _ = rustix::io::read(descriptor.get_ref(), &mut expirations);
            }
            #[cfg(feature = "paused-clock")]
            Self::Paused(moment) => {
                let mut changes = moment.subscribe();
                loop {
                    let until = *changes.borrow_and_update();
                    let Some(until) = until else {
                        let _ = changes.changed().await;
                        continue;
                    };
                    tokio::select! {
                        () = tokio::time::sleep_until(until) => break,
                        _ = changes.changed() => {}
                    }
                }
                moment.send_replace(None);
            }
        }
    }
}
