//! How a long step tells how far it is.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use igen_job::event::{Phase, Progress};

/// At most one progress event in this time, and one at the end.
const EVERY: Duration = Duration::from_millis(200);

/// Handed to `Workload::prepare` and `read_back`; may be called as often as one likes.
pub struct ProgressReporter {
    emit: Box<dyn Fn(Progress) + Send + Sync>,
    last: Mutex<Option<Instant>>,
}

impl ProgressReporter {
    /// A reporter that hands its events to `emit`.
    pub fn new(emit: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self {
            emit: Box::new(emit),
            last: Mutex::new(None),
        }
    }

    /// A reporter that nobody hears.
    #[must_use]
    pub fn silent() -> Self {
        Self::new(|_| ())
    }

    /// `done` of `total` `unit` (a plural such as `rows`) of `text` (such as `loading orders`).
    pub fn report(&self, text: &str, done: u64, total: u64, unit: &str) {
        let Ok(mut last) = self.last.lock() else {
            return;
        };
        if done < total && last.is_some_and(|last| last.elapsed() < EVERY) {
            return;
        }
        *last = Some(Instant::now());
        (self.emit)(Progress {
            phase: Phase::Prepare,
            text: text.to_owned(),
            done,
            total,
            unit: unit.to_owned(),
        });
    }
}
