//! The queue in front of the users of an open load: hands out the arrivals of one plan, each once and in
//! their order, to whichever user is free, without a lock for each.
//!
//! One queue for all and not one for each thread: an arrival of a thread whose users are busy would wait
//! although others are free.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::{Mutex, PoisonError};

use crate::arrivals::Plan;

/// Arrivals that are kept.
const CELLS: u64 = 2048;
/// So many are planned ahead of the next one.
const AHEAD: u64 = 1024;
/// After so many, more are planned.
const BLOCK: u64 = 64;

/// Arrivals that are planned and not handed out yet lie in a ring; whoever takes the first one of a
/// block plans the next block while others go on.
#[derive(Debug)]
pub struct ArrivalQueue {
    /// Number of the next arrival.
    next: AtomicU64,
    /// Arrivals in the ring or handed out.
    planned: AtomicU64,
    /// When arrival k is due, in cell k modulo the number of cells.
    due_ns: Box<[AtomicU64]>,
    plan: Mutex<Plan>,
}

impl ArrivalQueue {
    /// The queue of all arrivals of `plan`.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let queue = Self {
            next: AtomicU64::new(0),
            planned: AtomicU64::new(0),
            due_ns: (0..CELLS).map(|_| AtomicU64::new(0)).collect(),
            plan: Mutex::new(plan),
        };
        queue.plan_ahead(&mut queue.plan.lock().unwrap_or_else(PoisonError::into_inner));
        queue
    }

    /// When the next arrival is due; it is then the caller's.
    pub fn next_due_ns(&self) -> u64 {
        let mut number = self.next.load(Acquire);
        loop {
            if number >= self.planned.load(Acquire) {
                // Whoever was to plan has not yet.
                self.plan_ahead(&mut self.plan.lock().unwrap_or_else(PoisonError::into_inner));
            }
            // Nobody writes to this cell before another one has become the next: so if this one still
            // is, what was read is its own.
            let due_ns = self.cell(number).load(Relaxed);
            let taken = self
                .next
                .compare_exchange_weak(number, number + 1, AcqRel, Acquire);
            match taken {
                Ok(_) => {
                    if number.is_multiple_of(BLOCK)
                        && let Ok(mut plan) = self.plan.try_lock()
                    {
                        self.plan_ahead(&mut plan);
                    }
                    return due_ns;
                }
                Err(other) => number = other,
            }
        }
    }

    /// Plans until there are enough ahead of the next arrival.
    fn plan_ahead(&self, plan: &mut Plan) {
        let enough = self.next.load(Acquire) + AHEAD;
        let planned = self.planned.load(Relaxed);
        for number in planned..enough {
            self.cell(number)
                .store(plan.next().unwrap_or(u64::MAX), Relaxed);
        }
        self.planned.store(planned.max(enough), Release);
    }

    fn cell(&self, number: u64) -> &AtomicU64 {
        &self.due_ns[(number % CELLS) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use igen_job::{Arrivals, Share};

    fn plan() -> Plan {
        Plan::new(7, 1e6, Arrivals::Poisson, 5, Share::WHOLE)
    }

    #[test]
    fn one_user_gets_the_plan() {
        let queue = ArrivalQueue::new(plan());
        let taken: Vec<u64> = (0..10_000).map(|_| queue.next_due_ns()).collect();
        assert_eq!(taken, plan().take(10_000).collect::<Vec<_>>());
    }

    #[test]
    fn many_threads_get_each_arrival_once_and_in_its_order() {
        const EACH: usize = 200_000;
        let queue = ArrivalQueue::new(plan());
        let taken: Vec<Vec<u64>> = std::thread::scope(|scope| {
            let take = || (0..EACH).map(|_| queue.next_due_ns()).collect();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
            threads
                .into_iter()
                .filter_map(|thread| thread.join().ok())
                .collect()
        });
        assert!(taken.iter().all(|each| each.is_sorted()));
        let mut all = taken.concat();
        all.sort_unstable();
        assert_eq!(all, plan().take(4 * EACH).collect::<Vec<_>>());
    }
}
