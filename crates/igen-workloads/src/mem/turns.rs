//! Users that run several kernels do so in turn, all the same one at a time: a barrier that users join
//! and leave.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A user that waits spins so often before it sleeps: some 100 µs.
const SPINS: u32 = 2_000;

/// Whose turn it is.
#[derive(Debug, Default)]
pub(super) struct Turns {
    users: Mutex<Users>,
    turned: Condvar,
    /// The same as in `users`, for those that spin.
    turn: AtomicU64,
}

#[derive(Debug, Default)]
struct Users {
    here: u32,
    waiting: u32,
    turn: u64,
}

impl Turns {
    fn users(&self) -> MutexGuard<'_, Users> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One user more.
    pub(super) fn join(&self) {
        self.users().here += 1;
    }

    /// One user less; the others go on if it was the last they waited for.
    pub(super) fn leave(&self) {
        let mut users = self.users();
        users.here -= 1;
        if users.here > 0 && users.waiting == users.here {
            self.advance(&mut users);
        }
    }

    /// Waits until all users are here, and returns the number of the turn, from 1.
    pub(super) fn next(&self) -> u64 {
        let mut users = self.users();
        let before = users.turn;
        users.waiting += 1;
        if users.waiting == users.here {
            self.advance(&mut users);
            return users.turn;
        }
        drop(users);
        for _ in 0..SPINS {
            let turn = self.turn.load(Ordering::Acquire);
            if turn != before {
                return turn;
            }
            spin_loop();
        }
        let waits = |users: &mut Users| users.turn == before;
        let users = self.turned.wait_while(self.users(), waits);
        users.unwrap_or_else(PoisonError::into_inner).turn
    }

    fn advance(&self, users: &mut Users) {
        users.waiting = 0;
        users.turn += 1;
        self.turn.store(users.turn, Ordering::Release);
        self.turned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use super::*;

    #[test]
    fn users_take_the_same_turns_and_none_waits_for_one_that_left() {
        let turns = Arc::new(Turns::default());
        let lengths = [5, 9, 200];
        // Before any of them starts, so that the first turn is all of them's.
        for _ in lengths {
            turns.join();
        }
        let threads = lengths.map(|length| {
            let turns = Arc::clone(&turns);
            std::thread::spawn(move || {
                let taken: Vec<u64> = (0..length).map(|_| turns.next()).collect();
                turns.leave();
                taken
            })
        });
        for (length, thread) in lengths.into_iter().zip(threads) {
            assert_eq!(thread.join().unwrap(), (1..=length).collect::<Vec<u64>>());
        }
    }
}
