//! The drive loop: the only place where transactions are started and timed.

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::failure::Failure;
use crate::load::Load;
use crate::recorder::Recorder;
use crate::shard::Shard;
use crate::timer::Timer;
use crate::workload::{User, Workload};

/// A user that never waits lets others on its thread run after so many transactions.
const YIELD_EVERY: u32 = 64;
/// So many failures in a row before a user waits between its tries.
const PATIENCE: u32 = 8;
const FIRST_WAIT_NS: u64 = 1_000_000;
const LONGEST_WAIT_NS: u64 = 1_000_000_000;

/// What belongs to the thread that drives a user.
#[derive(Clone)]
pub(crate) struct Seat {
    pub(crate) timer: Timer,
    pub(crate) shard: Arc<Shard>,
    /// Asks for one more user.
    pub(crate) more: mpsc::UnboundedSender<()>,
    /// Other users share the thread.
    pub(crate) shared: bool,
}

/// Drives user `id` from its creation to the end of the load.
pub(crate) async fn drive<W: Workload>(load: Arc<Load<W>>, seat: Seat, id: u32) {
    if let Some(user) = first_user(&load, id).await {
        transactions(&load, &seat, id, user).await;
    }
    load.crowd.user_leaves();
}

async fn first_user<W: Workload>(load: &Load<W>, id: u32) -> Option<W::User> {
    match load.workload.user(load.context(id)).await {
        Ok(user) => {
            load.report_ready(Ok(()));
            Some(user)
        }
        Err(failure) => {
            load.report_ready(Err(failure));
            None
        }
    }
}

async fn transactions<W: Workload>(load: &Load<W>, seat: &Seat, id: u32, mut user: W::User) {
    let Some(mut pacer) = load.pacer(id).await else {
        return;
    };
    let mut recorder = Recorder::new(seat.timer.clone(), Arc::clone(&seat.shard));
    let mut now_ns = load.clock.now_ns();
    let mut failures_in_a_row = 0_u32;
    let mut until_yield = YIELD_EVERY;
    while !load.stop.is_set() {
        let start = pacer.next(now_ns);
        if let Some(due_ns) = start.intended_ns.filter(|due_ns| *due_ns > now_ns)
            && !seat.timer.sleep_until(due_ns).await
        {
            return;
        }
        if load.crowd.user_starts() {
            // The thread that takes the request lives as long as its users.
            let _ = seat.more.send(());
        }
        recorder.begin(start);
        let result = user.transaction(&mut recorder).await;
        now_ns = recorder.end(&result);
        load.crowd.user_ends();

        match result {
            Ok(()) => failures_in_a_row = 0,
            Err(failure) => {
                failures_in_a_row = failures_in_a_row.saturating_add(1);
                let recovered = recover(load, seat, id, &mut user, failures_in_a_row, &failure);
                if !recovered.await {
                    return;
                }
                now_ns = load.clock.now_ns();
            }
        }
        if seat.shared {
            until_yield -= 1;
            if until_yield == 0 {
                until_yield = YIELD_EVERY;
                tokio::task::yield_now().await;
            }
        }
    }
}

/// Waits after repeated failures, and replaces a user that is lost, as often as it takes; `false`
/// when the load stops first.
async fn recover<W: Workload>(
    load: &Load<W>,
    seat: &Seat,
    id: u32,
    user: &mut W::User,
    failures_in_a_row: u32,
    failure: &Failure,
) -> bool {
    if !failure.lost && failures_in_a_row < PATIENCE {
        return true;
    }
    let doublings = failures_in_a_row.saturating_sub(PATIENCE).min(10);
    let mut wait_ns = FIRST_WAIT_NS << doublings;
    loop {
        wait_ns = wait_ns.min(LONGEST_WAIT_NS);
        if !seat.timer.sleep_until(load.clock.now_ns() + wait_ns).await {
            return false;
        }
        if !failure.lost {
            return true;
        }
        match load.workload.user(load.context(id)).await {
            Ok(replacement) => {
                *user = replacement;
                return true;
            }
            Err(again) => seat.shard.failed(&again),
        }
        wait_ns *= 2;
    }
}
