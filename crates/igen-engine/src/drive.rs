//! The drive loop: the only place where transactions are started and timed.

use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::failure::{Failure, FailureKind, Then};
use crate::load::SharedLoad;
use crate::recorder::Recorder;
use crate::thread_statistics::ThreadStatistics;
use crate::timer::Timer;
use crate::workload::{User, Workload};

/// A user that never waits lets others on its thread run after so many transactions.
const YIELD_EVERY: u32 = 64;
/// So many failures in a row before a user waits between its tries.
const PATIENCE: u32 = 8;
const FIRST_WAIT_NS: u64 = 1_000_000;
const LONGEST_WAIT_NS: u64 = 1_000_000_000;

/// What belongs to the thread that drives the users of a load.
pub(crate) struct Seat {
    pub(crate) timer: Timer,
    pub(crate) statistics: Arc<ThreadStatistics>,
    /// Asks for one more user of the load at that place.
    pub(crate) more: mpsc::UnboundedSender<usize>,
    /// Other users share the thread.
    pub(crate) shared: bool,
}

/// Drives the agent's user `ordinal` from its creation to the end of the load.
pub(crate) fn drive<W: Workload>(
    load: Arc<SharedLoad<W>>,
    seat: Rc<Seat>,
    ordinal: u32,
) -> impl Future<Output = ()> {
    let id = load.user(ordinal);
    let mut driver = Driver {
        load,
        seat,
        id,
        replacements: 0,
    };
    // Thousands of users wait in this future: it has the driver once, where functions that take it would copy it.
    async move { driver.run().await }
}

/// Drives one user. When it is dropped, by its end or a panic in the workload, the user leaves.
struct Driver<W: Workload> {
    load: Arc<SharedLoad<W>>,
    seat: Rc<Seat>,
    /// Its number among the users of the whole job.
    id: u32,
    /// How often the user was lost and created anew.
    replacements: u32,
}

impl<W: Workload> Drop for Driver<W> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.load.report_ready(Err(Failure::anew(
                FailureKind::Other,
                "the code of the user panicked",
            )));
        }
        self.load.crowd.user_leaves();
    }
}

impl<W: Workload> Driver<W> {
    async fn run(&mut self) {
        // Boxed, so that what waits for thousands of users has it once: where it is, it stays.
        let created = self.create_user().await.map(Box::new);
        self.load
            .report_ready(created.as_ref().map(|_| ()).map_err(Clone::clone));
        match created {
            Ok(user) => self.transactions(user).await,
            Err(_) => self.load.crowd.user_fails(),
        }
    }

    /// Creates the user; a failure while the load runs is booked.
    async fn create_user(&self) -> Result<W::User, Failure> {
        let start_ns = self.load.clock.now_ns();
        let user = self
            .load
            .workload
            .user(self.load.context(self.id, self.replacements))
            .await;
        if let Err(failure) = &user
            && self.load.has_begun()
        {
            let service_ns = self.load.clock.now_ns().saturating_sub(start_ns);
            let target = self.load.target(self.id);
            self.seat
                .statistics
                .user_failed(target, service_ns, failure);
        }
        user
    }

    async fn transactions(&mut self, mut user: Box<W::User>) {
        let ready_ns = self.load.clock.now_ns();
        let Some(mut pacer) = self.load.pacer(self.id).await else {
            return;
        };
        let load = Arc::clone(&self.load);
        let statistics = Arc::clone(&self.seat.statistics);
        let target = load.target(self.id);
        let mut recorder = Recorder::new(self.seat.timer.clone(), Arc::clone(&statistics), target);
        recorder.is_ready(ready_ns);
        let mut now_ns = load.clock.now_ns();
        let mut failures_in_a_row = 0_u32;
        let mut until_yield = YIELD_EVERY;
        while !load.stop.is_set() {
            let start = pacer.next(now_ns, recorder.take_think_ns());
            statistics.gave_up(start.unsent);
            if let Some(due_ns) = start.intended_ns.filter(|due_ns| *due_ns > now_ns) {
                if !self.seat.timer.sleep_until(due_ns).await {
                    return;
                }
                now_ns = load.clock.now_ns();
            }
            statistics.thought(start.think_ns);
            if load.crowd.user_starts() {
                // Whoever takes the request lives as long as this user.
                let _ = self.seat.more.send(load.place);
            }
            // A stream starts its next transaction when the last one has ended: the clock, which
            // costs more than all else here, is not read for both.
            recorder.begin(start.intended_ns, now_ns);
            let result = user.transaction(&mut recorder).await;
            now_ns = recorder.end(&result);
            match result {
                Ok(()) => failures_in_a_row = 0,
                Err(failure) if failure.then == Then::End => return,
                Err(failure) => {
                    failures_in_a_row = failures_in_a_row.saturating_add(1);
                    if !self.recover(&mut user, failures_in_a_row, &failure).await {
                        return;
                    }
                    now_ns = load.clock.now_ns();
                    if failure.then == Then::Anew {
                        recorder.is_ready(now_ns);
                    }
                }
            }
            load.crowd.user_ends();
            if self.seat.shared {
                until_yield -= 1;
                if until_yield == 0 {
                    until_yield = YIELD_EVERY;
                    tokio::task::yield_now().await;
                    now_ns = load.clock.now_ns();
                }
            }
        }
    }

    /// Waits after repeated failures, and replaces a user that is lost, as often as it takes;
    /// `false` when the load stops first.
    async fn recover(
        &mut self,
        user: &mut W::User,
        failures_in_a_row: u32,
        failure: &Failure,
    ) -> bool {
        if failure.then != Then::Anew && failures_in_a_row < PATIENCE {
            return true;
        }
        let doublings = failures_in_a_row.saturating_sub(PATIENCE).min(10);
        let mut wait_ns = FIRST_WAIT_NS << doublings;
        loop {
            wait_ns = wait_ns.min(LONGEST_WAIT_NS);
            let deadline_ns = self.load.clock.now_ns() + wait_ns;
            if !self.seat.timer.sleep_until(deadline_ns).await {
                return false;
            }
            if failure.then != Then::Anew {
                return true;
            }
            self.replacements = self.replacements.wrapping_add(1);
            if let Ok(replacement) = self.create_user().await {
                *user = replacement;
                return true;
            }
            wait_ns *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::workload::{Setup, UserContext};

    struct Idle;

    impl Workload for Idle {
        const NAME: &'static str = "idle";
        const SUMMARY: &'static str = "nothing";
        const VERSION: u32 = 1;
        type Params = Value;
        type User = Self;

        fn new(_: Value, _: Setup) -> Result<Self, igen_job::JobError> {
            Ok(Self)
        }

        async fn user(&self, _: UserContext) -> Result<Self, Failure> {
            Ok(Self)
        }
    }

    impl User for Idle {
        async fn transaction(&mut self, _: &mut Recorder) -> Result<(), Failure> {
            Ok(())
        }
    }

    /// What a function gives that takes these.
    fn size_of_output<A, B, C, F>(_: impl Fn(A, B, C) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn a_user_waits_in_little_memory_of_the_engine() {
        let bytes = size_of_output(drive::<Idle>);
        assert!(bytes <= 800, "{bytes}");
    }
}
