//! How many connections of a thread would share their system calls.

use std::cell::Cell;
use std::marker::PhantomData;

thread_local! {
    static CONNECTIONS: Cell<usize> = const { Cell::new(0) };
}

/// A connection's part in the count, until it is dropped on the same thread.
pub(crate) struct Sharing {
    /// The count is of the thread.
    _thread: PhantomData<*const ()>,
}

impl Sharing {
    /// Counts one more connection on this thread.
    pub(crate) fn begin() -> Self {
        CONNECTIONS.with(|count| count.set(count.get() + 1));
        Self {
            _thread: PhantomData,
        }
    }

    /// Returns true if there are at least two.
    #[inline]
    #[expect(clippy::unused_self, reason = "only who counts may ask")]
    pub(crate) fn has_others(&self) -> bool {
        CONNECTIONS.with(Cell::get) > 1
    }
}

impl Drop for Sharing {
    fn drop(&mut self) {
        CONNECTIONS.with(|count| count.set(count.get() - 1));
    }
}
