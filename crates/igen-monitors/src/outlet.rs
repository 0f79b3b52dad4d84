//! Where a thread of a monitor sends its events, until the job is over.

use std::sync::{Mutex, PoisonError};

use igen_engine::host::Emit;
use igen_job::event::Event;

/// Hands events on until it is closed; a thread may be stuck longer than the job lives.
pub(crate) struct Outlet {
    emit: Mutex<Option<Emit>>,
}

impl Outlet {
    pub(crate) fn new(emit: Emit) -> Self {
        Self {
            emit: Mutex::new(Some(emit)),
        }
    }

    /// Hands on an event; forgets it when closed.
    pub(crate) fn emit(&self, event: Event) {
        if let Some(emit) = &*self.emit.lock().unwrap_or_else(PoisonError::into_inner) {
            emit(event);
        }
    }

    /// From now on nothing is handed on.
    pub(crate) fn close(&self) {
        *self.emit.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use igen_job::JobError;

    use super::*;

    #[test]
    fn nothing_is_handed_on_after_the_end() {
        let count = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&count);
        let outlet = Outlet::new(Arc::new(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        }));
        outlet.emit(Event::Warning(JobError::new("first")));
        outlet.close();
        outlet.emit(Event::Warning(JobError::new("second")));
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }
}
