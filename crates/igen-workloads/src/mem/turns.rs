//! Users that run several kernels do so in turn, all the same one at a time: a barrier before each turn,
//! which users join and leave, and one at its end.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::yield_now;

/// A user that waits spins so often before it gives its processor away: some 100 µs.
const SPINS: u32 = 2_000;

/// Whose turn it is.
#[derive(Debug, Default)]
pub(super) struct Turns {
    users: Mutex<Users>,
    turned: Condvar,
    /// The same as in `users`, for those that spin.
    turn: AtomicU64,
    /// Users that have not ended the turn.
    running: AtomicU32,
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

    /// One user more; returns the number of the turn before its first.
    pub(super) fn join(&self) -> u64 {
        let mut users = self.users();
        users.here += 1;
        users.turn
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

    /// Ends the user's turn, and waits until all users have ended theirs: without a lock, because it is
    /// part of what is timed. None can miss it: the next turn needs all of them.
    pub(super) fn end(&self) {
        self.running.fetch_sub(1, Ordering::AcqRel);
        let mut spins = 0;
        while self.running.load(Ordering::Acquire) > 0 {
            if spins < SPINS {
                spins += 1;
                spin_loop();
            } else {
                // There may be more users than processors.
                yield_now();
            }
        }
    }

    fn advance(&self, users: &mut Users) {
        users.waiting = 0;
        users.turn += 1;
        self.running.store(users.here, Ordering::Relaxed);
        self.turn.store(users.turn, Ordering::Release);
        self.turned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use super::*;

    /// A thread for each user, which takes so many turns of `turn`; returns what `turn` returned.
    fn take<T: Send + 'static>(
        lengths: &[u64],
        turn: impl Fn(&Turns) -> T + Clone + Send + 'static,
    ) -> Vec<Vec<T>> {
        let turns = Arc::new(Turns::default());
        // Before any of them starts, so that the first turn is all of them's.
        for _ in lengths {
            assert_eq!(turns.join(), 0);
        }
        let threads: Vec<_> = lengths
            .iter()
            .map(|&length| {
                let (turns, turn) = (Arc::clone(&turns), turn.clone());
                std::thread::spawn(move || {
                    let taken = (0..length).map(|_| turn(&turns)).collect();
                    turns.leave();
                    taken
                })
            })
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join().unwrap());
        joined.collect()
    }

    #[test]
    fn users_take_the_same_turns_and_none_waits_for_one_that_left() {
        let lengths = [5, 9, 200];
        let taken = take(&lengths, |turns| {
            let turn = turns.next();
            turns.end();
            turn
        });
        for (length, taken) in lengths.into_iter().zip(taken) {
            assert_eq!(taken, (1..=length).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn a_turn_ends_when_all_have_ended_it() {
        let ended = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&ended);
        let taken = take(&[100; 3], move |turns| {
            let turn = turns.next();
            counted.fetch_add(1, Ordering::Relaxed);
            turns.end();
            (turn, counted.load(Ordering::Relaxed))
        });
        for (turn, seen) in taken.into_iter().flatten() {
            assert!(seen >= 3 * turn, "{turn}: {seen}");
        }
        assert_eq!(ended.load(Ordering::Relaxed), 300);
    }

    #[test]
    fn who_joins_later_takes_the_next_turn() {
        let turns = Turns::default();
        turns.join();
        for turn in 1..=3 {
            assert_eq!(turns.next(), turn);
            turns.end();
        }
        assert_eq!(turns.join(), 3);
    }
}
