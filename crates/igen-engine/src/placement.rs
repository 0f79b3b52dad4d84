//! Where users run: a thread for each, or many as tasks on a few threads.

use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;

use igen_job::{JobError, Placement};
use igen_kernel::scheduling;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use tokio::runtime::LocalOptions;
use tokio::sync::mpsc;

use crate::drive::{Seat, drive};
use crate::failure::{Failure, FailureKind};
use crate::load::SharedLoad;
use crate::own_users::Member;
use crate::punctual::Punctual;
use crate::thread_statistics::ThreadStatistics;
use crate::timer::Timer;
use crate::workload::Workload;

/// Most users of an open load that may use as many as it takes.
const MOST_TASKS: u32 = 10_000;
const MOST_THREADS: u32 = 512;

/// Starts the threads of one job.
pub(crate) struct Threads<W: Workload> {
    loads: Vec<Arc<SharedLoad<W>>>,
    placement: Placement,
    /// Threads spin until a start is due.
    precise: bool,
    more: mpsc::UnboundedSender<usize>,
    threads: Vec<JoinHandle<()>>,
    /// Statistics of the threads by load, in the order of their start.
    pub(crate) statistics: Vec<Vec<Arc<ThreadStatistics>>>,
}

/// What a thread records for each load; `None` for those whose users it does not drive.
type OfLoads = Vec<Option<Arc<ThreadStatistics>>>;

/// Properties shared by all loads of a job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    /// Their users never think.
    pub(crate) stream: bool,
    /// One of them starts transactions by the clock.
    pub(crate) timed: bool,
    /// All targets are servers of other machines.
    pub(crate) elsewhere: bool,
}

/// Most users that a load may grow to in `placement`.
pub(crate) fn most_users(placement: Placement) -> u32 {
    if placement.task.is_some() {
        MOST_TASKS
    } else {
        MOST_THREADS
    }
}

impl<W: Workload> Threads<W> {
    /// Starts the `users` of `loads`. Requests for more users that a thread cannot serve itself go to `more`.
    pub(crate) fn start(
        loads: Vec<Arc<SharedLoad<W>>>,
        placement: Placement,
        users: &[Member],
        kind: Kind,
        more: mpsc::UnboundedSender<usize>,
    ) -> Result<Self, JobError> {
        let mut threads = Self {
            statistics: loads.iter().map(|_| Vec::new()).collect(),
            loads,
            placement,
            precise: false,
            more,
            threads: Vec::new(),
        };
        let crews = match placement.task {
            None => users.iter().map(|user| vec![*user]).collect(),
            Some(tasks) => {
                let threads = tasks.threads;
                let threads = threads.map_or_else(processors, |threads| threads.get().into());
                deal(users, threads.min(users.len()).max(1))
            }
        };
        let pin = is_pinned(placement, kind.stream, users.len(), crews.len());
        threads.precise = is_precise(placement, kind, crews.len(), processors());
        for (index, crew) in crews.into_iter().enumerate() {
            threads.start_thread(crew, pin.then_some(index))?;
        }
        Ok(threads)
    }

    /// Starts a thread for one more user of the load at `place`, which grows; its statistics, unless there are
    /// as many users as there may be.
    pub(crate) fn add_user(
        &mut self,
        place: usize,
    ) -> Result<Option<Arc<ThreadStatistics>>, JobError> {
        match self.loads[place].crowd.admit() {
            Some(ordinal) => {
                let pin = self.placement.thread.is_some_and(|thread| thread.pin);
                self.start_thread(vec![(place, ordinal)], pin.then_some(ordinal as usize))?;
                Ok(self.statistics[place].last().cloned())
            }
            None => Ok(None),
        }
    }

    /// For these users; bound to the `processor`-th that it may use, round robin.
    fn start_thread(
        &mut self,
        crew: Vec<Member>,
        processor: Option<usize>,
    ) -> Result<(), JobError> {
        let (first_load, first) = crew[0];
        let statistics: OfLoads = self
            .loads
            .iter()
            .map(|load| {
                let drives = crew.iter().any(|(place, _)| *place == load.place);
                drives.then(|| Arc::new(load.statistics()))
            })
            .collect();
        let (loads, placement, precise) = (self.loads.clone(), self.placement, self.precise);
        let (of_seats, more) = (statistics.clone(), self.more.clone());
        let thread = std::thread::Builder::new()
            .name(format!("user-{}", self.loads[first_load].user(first)))
            .spawn(move || {
                let members = crew.clone();
                let scheduling = placement.scheduling;
                let ran = processor
                    .map_or(Ok(()), pin)
                    .map_err(cannot("cannot pin the thread to a processor"))
                    .and_then(|()| {
                        // The thread that leads the load starts this one, and is lifted.
                        scheduling
                            .map_or_else(scheduling::lower, scheduling::take)
                            .map_err(cannot("cannot set the scheduling of the thread"))
                    })
                    .and_then(|()| run_thread(&loads, (placement, precise), crew, &of_seats, more));
                if let Err(failure) = ran {
                    loads[members[0].0].report_ready(Err(failure));
                    for (place, _) in members {
                        loads[place].crowd.user_leaves();
                    }
                }
            })
            .map_err(|error| {
                JobError::at(
                    "load",
                    format!("cannot start thread {}: {error}", self.threads.len()),
                )
                .hint("use fewer users or placement `task`, or raise `ulimit -u`")
            })?;
        self.threads.push(thread);
        for (threads, statistics) in self.statistics.iter_mut().zip(statistics) {
            threads.extend(statistics);
        }
        Ok(())
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
    move |error| Failure::anew(FailureKind::Other, format!("{what}: {error}"))
}

fn run_thread<W: Workload>(
    loads: &[Arc<SharedLoad<W>>],
    (placement, precise): (Placement, bool),
    crew: Vec<Member>,
    statistics: &OfLoads,
    more_threads: mpsc::UnboundedSender<usize>,
) -> Result<(), Failure> {
    let (place, ordinal) = crew[0];
    let first = &loads[place];
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build_local(LocalOptions::default())
        .map_err(cannot("cannot create an event loop (see `ulimit -n`)"))?;
    runtime.block_on(async move {
        let punctual = statistics[place].clone().filter(|_| precise);
        let punctual = punctual.map(Punctual::new);
        let (timer, serve) = Timer::punctual(first.clock.clone(), first.stop.clone(), punctual)
            .map_err(cannot("cannot create a timer (see `ulimit -n`)"))?;
        tokio::task::spawn_local(serve);
        let shared = placement.task.is_some();
        let (more, requests) = if shared {
            mpsc::unbounded_channel()
        } else {
            (more_threads, mpsc::unbounded_channel().1)
        };
        let seats = statistics.iter().map(|statistics| {
            statistics.as_ref().map(|statistics| {
                Rc::new(Seat {
                    timer: timer.clone(),
                    statistics: Arc::clone(statistics),
                    more: more.clone(),
                    shared,
                })
            })
        });
        let seats: Vec<Option<Rc<Seat>>> = seats.collect();
        drop(more);
        if shared {
            run_tasks(loads, crew, &seats, requests).await;
        } else if let Some(seat) = seats[place].clone() {
            drive(Arc::clone(first), seat, ordinal).await;
        }
        Ok(())
    })
}

/// Drives a crew of users on the current thread, and those that join it, until their loads stop; the users of each
/// load have its seat.
pub(crate) async fn run_tasks<W: Workload>(
    loads: &[Arc<SharedLoad<W>>],
    crew: Vec<Member>,
    seats: &[Option<Rc<Seat>>],
    mut requests: mpsc::UnboundedReceiver<usize>,
) {
    let mut users = tokio::task::JoinSet::new();
    let join = |users: &mut tokio::task::JoinSet<()>, (place, ordinal): Member| {
        if let Some(seat) = &seats[place] {
            users.spawn_local(drive(Arc::clone(&loads[place]), Rc::clone(seat), ordinal));
        }
    };
    for member in crew {
        join(&mut users, member);
    }
    loop {
        tokio::select! {
            Some(place) = requests.recv() => {
                if let Some(ordinal) = loads[place].crowd.admit() {
                    join(&mut users, (place, ordinal));
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
fn deal(users: &[Member], threads: usize) -> Vec<Vec<Member>> {
    let mut crews = vec![Vec::new(); threads];
    for (index, user) in users.iter().enumerate() {
        crews[index % threads].push(*user);
    }
    crews
}

pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Whether each thread stays on a processor of its own. Where each has one, and several users that never think,
/// they do: a server on the same host then answers where it was asked, instead of waking another processor.
/// Users who think would wait for what else runs there (docs/adr/0016-client-io.md). Where a quota allows fewer
/// threads than there are processors, the scheduler chooses better ones than the first.
fn is_pinned(placement: Placement, stream: bool, users: usize, threads: usize) -> bool {
    let Some(tasks) = placement.task else {
        return placement.thread.is_some_and(|thread| thread.pin);
    };
    tasks.pin.unwrap_or_else(|| {
        let enough_users = stream && threads > 1 && users >= 2 * threads;
        enough_users && allowed_processors().is_ok_and(|allowed| allowed.len() == threads)
    })
}

/// Returns true if threads spin until a start is due: by default if they do not take a processor from a server on the
/// same host.
fn is_precise(placement: Placement, kind: Kind, threads: usize, processors: usize) -> bool {
    let by_default = kind.timed && (kind.elsewhere || threads < processors);
    placement.precise.unwrap_or(by_default)
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
    use igen_job::OnTasks;

    #[test]
    fn users_are_dealt_evenly() {
        let users = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)];
        assert_eq!(
            deal(&users, 2),
            [vec![(0, 0), (0, 2), (1, 1)], vec![(0, 1), (1, 0)]]
        );
    }

    #[test]
    fn threads_spin_by_default_only_if_they_take_no_processor_from_a_server() {
        for (said, timed, elsewhere, threads, precise) in [
            (None, true, false, 3, true),
            (None, true, false, 4, false),
            (None, true, true, 4, true),
            (None, false, true, 1, false),
            (Some(true), false, false, 4, true),
            (Some(false), true, true, 1, false),
        ] {
            let placement = Placement {
                precise: said,
                ..Placement::TASKS
            };
            let kind = Kind {
                stream: false,
                timed,
                elsewhere,
            };
            let found = is_precise(placement, kind, threads, 4);
            assert_eq!(found, precise, "{placement:?} {kind:?} {threads}");
        }
    }

    #[test]
    fn threads_with_several_users_and_a_processor_each_are_pinned() {
        let task = |pin| Placement {
            task: Some(OnTasks { threads: None, pin }),
            ..Placement::default()
        };
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
            (Placement::THREADS, true, 64 * all, all, false),
            (Placement::PINNED_THREADS, false, 1, 1, true),
        ] {
            let found = is_pinned(placement, stream, users, threads);
            assert_eq!(
                found, pinned,
                "{placement:?}, {users} users, {threads} threads"
            );
        }
    }
}
