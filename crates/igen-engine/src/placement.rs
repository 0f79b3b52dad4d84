//! Where users run: a thread for each, or many as tasks on a few threads.

use std::sync::Arc;
use std::thread::JoinHandle;

use igen_job::{JobError, Placement};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use tokio::runtime::LocalOptions;
use tokio::sync::mpsc;

use crate::drive::{Seat, drive};
use crate::failure::Failure;
use crate::load::SharedLoad;
use crate::thread_statistics::ThreadStatistics;
use crate::timer::Timer;
use crate::workload::Workload;

/// Most users of an open load that may use as many as it takes.
const MOST_TASKS: u32 = 10_000;
const MOST_THREADS: u32 = 512;

/// Starts the threads of one job.
pub(crate) struct Threads<W: Workload> {
    load: Arc<SharedLoad<W>>,
    placement: Placement,
    more: mpsc::UnboundedSender<()>,
    threads: Vec<JoinHandle<()>>,
    /// Statistics of the threads, in the order of their start.
    pub(crate) statistics: Vec<Arc<ThreadStatistics>>,
}

/// Most users that a load may grow to in `placement`.
pub(crate) fn most_users(placement: Placement) -> u32 {
    match placement {
        Placement::Thread { .. } => MOST_THREADS,
        Placement::Task { .. } => MOST_TASKS,
    }
}

impl<W: Workload> Threads<W> {
    /// Starts `users` users of `load`; users of a `stream` never think. Requests for more users that a thread
    /// cannot serve itself go to `more`.
    pub(crate) fn start(
        load: Arc<SharedLoad<W>>,
        placement: Placement,
        users: u32,
        stream: bool,
        more: mpsc::UnboundedSender<()>,
    ) -> Result<Self, JobError> {
        let mut threads = Self {
            load,
            placement,
            more,
            threads: Vec::new(),
            statistics: Vec::new(),
        };
        let crews = match placement {
            Placement::Thread { .. } => (0..users).map(|id| vec![id]).collect(),
            Placement::Task { threads, .. } => {
                let threads = threads.map_or_else(processors, |threads| threads.get().into());
                let threads = threads.min(users as usize).max(1);
                deal(users, threads)
            }
        };
        let pin = is_pinned(placement, stream, users as usize, crews.len());
        for (index, crew) in crews.into_iter().enumerate() {
            threads.start_thread(crew, pin.then_some(index))?;
        }
        Ok(threads)
    }

    /// Starts a thread for one more user of a load that grows; its statistics, unless there are as
    /// many users as there may be.
    pub(crate) fn add_user(&mut self) -> Result<Option<Arc<ThreadStatistics>>, JobError> {
        match self.load.crowd.admit() {
            Some(ordinal) => {
                let pin = matches!(self.placement, Placement::Thread { pin: true });
                self.start_thread(vec![ordinal], pin.then_some(ordinal as usize))
                    .map(Some)
            }
            None => Ok(None),
        }
    }

    /// For these users, by ordinal; bound to the `processor`-th that it may use, round robin.
    fn start_thread(
        &mut self,
        crew: Vec<u32>,
        processor: Option<usize>,
    ) -> Result<Arc<ThreadStatistics>, JobError> {
        let statistics = Arc::new(self.load.statistics());
        let (load, placement) = (Arc::clone(&self.load), self.placement);
        let (seat_statistics, more) = (Arc::clone(&statistics), self.more.clone());
        let thread = std::thread::Builder::new()
            .name(format!("user-{}", self.load.user(crew[0])))
            .spawn(move || {
                let users = crew.len();
                let ran = processor
                    .map_or(Ok(()), pin)
                    .map_err(cannot("cannot pin its thread to a processor"))
                    .and_then(|()| run_thread(&load, placement, crew, seat_statistics, more));
                if let Err(failure) = ran {
                    load.report_ready(Err(failure));
                    (0..users).for_each(|_| load.crowd.user_leaves());
                }
            })
            .map_err(|error| {
                JobError::at(
                    "load",
                    format!("cannot start thread {}: {error}", self.threads.len()),
                )
                .hint("use fewer users, or placement `task`, or raise `ulimit -u`")
            })?;
        self.threads.push(thread);
        self.statistics.push(Arc::clone(&statistics));
        Ok(statistics)
    }

    /// Waits for the threads to end. Call only when no user drives any more.
    pub(crate) fn join(self) {
        for thread in self.threads {
            // A user that panicked has been reported by its unfinished transaction.
            let _ = thread.join();
        }
    }
}

fn cannot(what: &'static str) -> impl Fn(std::io::Error) -> Failure {
    move |error| Failure::lost(format!("{what}: {error}"))
}

fn run_thread<W: Workload>(
    load: &Arc<SharedLoad<W>>,
    placement: Placement,
    crew: Vec<u32>,
    statistics: Arc<ThreadStatistics>,
    more_threads: mpsc::UnboundedSender<()>,
) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build_local(LocalOptions::default())
        .map_err(cannot("no event loop (see `ulimit -n`)"))?;
    runtime.block_on(async move {
        let (timer, serve) = Timer::new(load.clock.clone(), load.stop.clone())
            .map_err(cannot("no timer (see `ulimit -n`)"))?;
        tokio::task::spawn_local(serve);
        if let Placement::Thread { .. } = placement {
            let seat = Seat {
                timer,
                statistics,
                more: more_threads,
                shared: false,
            };
            drive(Arc::clone(load), seat, crew[0]).await;
        } else {
            let (more, requests) = mpsc::unbounded_channel();
            run_tasks(
                load,
                crew,
                Seat {
                    timer,
                    statistics,
                    more,
                    shared: true,
                },
                requests,
            )
            .await;
        }
        Ok(())
    })
}

/// Drives a crew of users, by ordinal, on the current thread, and those that join it, until the load stops.
pub(crate) async fn run_tasks<W: Workload>(
    load: &Arc<SharedLoad<W>>,
    crew: Vec<u32>,
    seat: Seat,
    mut requests: mpsc::UnboundedReceiver<()>,
) {
    let mut users = tokio::task::JoinSet::new();
    for ordinal in crew {
        users.spawn_local(drive(Arc::clone(load), seat.clone(), ordinal));
    }
    loop {
        tokio::select! {
            Some(()) = requests.recv() => {
                if let Some(ordinal) = load.crowd.admit() {
                    users.spawn_local(drive(Arc::clone(load), seat.clone(), ordinal));
                }
            }
            ended = users.join_next() => {
                if ended.is_none() {
                    return;
                }
            }
        }
    }
}

/// Deals users to threads like cards.
fn deal(users: u32, threads: usize) -> Vec<Vec<u32>> {
    let mut crews = vec![Vec::new(); threads];
    for id in 0..users {
        crews[id as usize % threads].push(id);
    }
    crews
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Whether each thread stays on a processor of its own. Where each has one, and several users that never think,
/// they do: a server on the same host then answers where it was asked, instead of waking another processor.
/// Users who think would wait for what else runs there (docs/adr/0016-client-io.md). Where a quota allows fewer
/// threads than there are processors, the scheduler chooses better ones than the first.
fn is_pinned(placement: Placement, stream: bool, users: usize, threads: usize) -> bool {
    match placement {
        Placement::Thread { pin } => pin,
        Placement::Task { pin, .. } => pin.unwrap_or_else(|| {
            let enough_users = stream && threads > 1 && users >= 2 * threads;
            enough_users && allowed_processors().is_ok_and(|allowed| allowed.len() == threads)
        }),
    }
}

/// Binds the current thread to the `index`-th processor that it may use, round robin.
fn pin(index: usize) -> std::io::Result<()> {
    let allowed = allowed_processors()?;
    let mut one = CpuSet::new();
    one.set(allowed[index % allowed.len()]);
    Ok(sched_setaffinity(None, &one)?)
}

/// The processors that the current thread may use, whatever a quota allows.
fn allowed_processors() -> std::io::Result<Vec<usize>> {
    let allowed = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|processor| allowed.is_set(*processor))
        .collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn users_are_dealt_evenly() {
        assert_eq!(deal(5, 2), [vec![0, 2, 4], vec![1, 3]]);
    }

    #[test]
    fn threads_with_several_users_and_a_processor_each_are_pinned() {
        let task = |pin| Placement::Task { threads: None, pin };
        let all = allowed_processors().unwrap().len();
        let several = all > 1;
        for (placement, stream, users, threads, pinned) in [
            (task(None), true, 2 * all, all, several),
            (task(None), true, 64 * all, all, several),
            (task(None), false, 64 * all, all, false),
            (task(None), true, 2 * all - 1, all, false),
            (task(None), true, 64, all + 1, false),
            (task(None), true, 64, 1, false),
            (task(Some(false)), true, 64 * all, all, false),
            (task(Some(true)), false, 1, 1, true),
            (Placement::Thread { pin: false }, true, 64 * all, all, false),
            (Placement::Thread { pin: true }, false, 1, 1, true),
        ] {
            let found = is_pinned(placement, stream, users, threads);
            assert_eq!(
                found, pinned,
                "{placement:?}, {users} users, {threads} threads"
            );
        }
    }
}
