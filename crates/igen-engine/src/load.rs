//! What all users of one load of a running job share.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use igen_job::{Job, JobLoad, Load, Share};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;
use tokio::sync::{Notify, mpsc, watch};

use crate::arrivals::Plan;
use crate::clock::{Clock, ns};
use crate::failure::Failure;
use crate::own_users::OwnUsers;
use crate::pacer::{DueStarts, Pacer};
use crate::queue::ArrivalQueue;
use crate::stop::Stop;
use crate::think::Think;
use crate::thread_statistics::ThreadStatistics;
use crate::workload::{UserContext, Workload};

/// Between the seeds of one repeat and the next: far apart, so that no user meets another's numbers.
const REPEAT_STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;
/// Between the seeds of the arrivals of one load and those of the next, which shall not come together.
const LOAD_STRIDE: u64 = 0xd1b5_4a32_d192_ed03;

/// What all users of one load share: those of a job, or of one of its personas.
pub(crate) struct SharedLoad<W> {
    /// Which of the job's loads it is.
    pub(crate) place: usize,
    /// Name of the persona.
    pub(crate) name: Option<String>,
    pub(crate) workload: Arc<W>,
    pub(crate) clock: Clock,
    pub(crate) stop: Stop,
    pub(crate) crowd: Crowd,
    /// Names of what the workload times and counts.
    pub(crate) operations: Vec<String>,
    pub(crate) counters: Vec<String>,
    model: Load,
    share: Share,
    users: OwnUsers,
    targets: usize,
    seed: u64,
    ramp_ns: u64,
    begin: watch::Sender<Option<Begin>>,
    ready: mpsc::UnboundedSender<Result<(), Failure>>,
}

/// The load begins.
#[derive(Clone)]
struct Begin {
    at_ns: u64,
    /// The arrivals of an open load.
    queue: Option<Arc<ArrivalQueue>>,
}

/// How many users there are, and how many of them wait for an arrival.
pub(crate) struct Crowd {
    /// Users that exist.
    pub(crate) users: AtomicU32,
    driving: AtomicU32,
    all_ended: Notify,
    panicked: AtomicU32,
    idle: AtomicU32,
    /// Most users; beyond those at the start only an open load without a fixed number grows.
    most: u32,
    grows: bool,
}

impl Crowd {
    fn new(first: u32, most: u32, grows: bool) -> Self {
        Self {
            users: AtomicU32::new(first),
            driving: AtomicU32::new(first),
            all_ended: Notify::new(),
            panicked: AtomicU32::new(0),
            idle: AtomicU32::new(first),
            most,
            grows,
        }
    }

    /// A user starts a transaction: is it the last idle one, so that another is needed?
    pub(crate) fn user_starts(&self) -> bool {
        self.grows && self.idle.fetch_sub(1, SeqCst) == 1
    }

    /// A user is free again.
    pub(crate) fn user_ends(&self) {
        if self.grows {
            self.idle.fetch_add(1, SeqCst);
        }
    }

    /// A user could not be created: it does not wait for an arrival.
    pub(crate) fn user_fails(&self) {
        if self.grows {
            self.idle.fetch_sub(1, SeqCst);
        }
    }

    /// The ordinal of a new user; `None` when there are as many as there may be.
    pub(crate) fn admit(&self) -> Option<u32> {
        let id = self
            .users
            .fetch_update(SeqCst, SeqCst, |n| (n < self.most).then_some(n + 1))
            .ok()?;
        self.driving.fetch_add(1, SeqCst);
        self.idle.fetch_add(1, SeqCst);
        Some(id)
    }

    /// A user leaves for good, perhaps because its code panicked.
    pub(crate) fn user_leaves(&self) {
        if std::thread::panicking() {
            self.panicked.fetch_add(1, SeqCst);
        }
        if self.driving.fetch_sub(1, SeqCst) == 1 {
            self.all_ended.notify_one();
        }
    }

    /// Users whose code panicked.
    pub(crate) fn panicked(&self) -> u32 {
        self.panicked.load(SeqCst)
    }

    /// Users that have not left.
    pub(crate) fn driving(&self) -> u32 {
        self.driving.load(SeqCst)
    }

    /// Waits until all users have left.
    pub(crate) async fn all_left(&self) {
        while self.driving() > 0 {
            self.all_ended.notified().await;
        }
    }

    /// Returns true if an open load wanted more users than there may be.
    pub(crate) fn is_full(&self) -> bool {
        self.grows && self.users.load(SeqCst) == self.most
    }
}

impl<W: Workload> SharedLoad<W> {
    /// The load at `place` of `job`, which reports each user of those at its begin as ready, and ends when all
    /// that share `stop` do.
    pub(crate) fn new(
        workload: Arc<W>,
        job: &Job,
        (place, load): (usize, JobLoad<'_>),
        users: OwnUsers,
        (clock, stop): (Clock, Stop),
        ready: mpsc::UnboundedSender<Result<(), Failure>>,
    ) -> Self {
        Self {
            place,
            name: load.name.map(str::to_owned),
            operations: workload.operations(),
            counters: workload.counters(),
            workload,
            clock,
            stop,
            crowd: Crowd::new(users.at_begin, users.most, load.load.users().is_none()),
            model: load.load.clone(),
            share: job.share(),
            users,
            targets: job.targets.len().max(1),
            seed: job
                .load_seed
                .unwrap_or(job.seed)
                .wrapping_add(u64::from(job.repeat).wrapping_mul(REPEAT_STRIDE)),
            ramp_ns: ns(job.phases.ramp_s.0),
            begin: watch::Sender::new(None),
            ready,
        }
    }

    /// Lets all users start at `at_ns`, which is the present or just past; returns the other side of the books.
    pub(crate) fn begin(&self, at_ns: u64) -> DueStarts {
        let first_users = self.crowd.users.load(SeqCst);
        let (queue, due_starts) = match &self.model {
            Load::Closed { .. } => (None, DueStarts::Closed),
            Load::Paced { .. } => {
                let first = (0..first_users).map(|it| self.paced_first_ns(self.user(it), at_ns));
                let due_starts = DueStarts::Paced {
                    first_ns: first.collect(),
                    period_ns: self.period_ns(),
                };
                (None, due_starts)
            }
            Load::Open {
                rate_per_s,
                arrivals,
                ..
            } => {
                let seed = (self.place as u64).wrapping_mul(LOAD_STRIDE);
                let seed = self.seed.wrapping_add(seed);
                let plan = Plan::new(at_ns, *rate_per_s, *arrivals, seed, self.share);
                let due_starts = DueStarts::Open {
                    plan: plan.clone().peekable(),
                    due: 0,
                };
                (Some(Arc::new(ArrivalQueue::new(plan))), due_starts)
            }
        };
        self.begin.send_replace(Some(Begin { at_ns, queue }));
        due_starts
    }

    /// Where in the job something of this load stands.
    pub(crate) fn path(&self, path: &str) -> String {
        match &self.name {
            Some(name) => format!("personas.{name}.{path}"),
            None => path.to_owned(),
        }
    }

    /// Says whether a user could be created.
    pub(crate) fn report_ready(&self, result: Result<(), Failure>) {
        // Nobody listens any more once the load has begun.
        let _ = self.ready.send(result);
    }

    /// Returns true if the load has begun.
    pub(crate) fn has_begun(&self) -> bool {
        self.begin.borrow().is_some()
    }

    /// Waits for the begin and gives user `id` its schedule; `None` when the job stops before.
    pub(crate) async fn pacer(&self, id: u32) -> Option<Pacer> {
        let mut begin = self.begin.subscribe();
        let begun = async { begin.wait_for(Option::is_some).await.ok()?.clone() };
        let begin = tokio::select! {
            begin = begun => begin?,
            () = self.stop.stopped() => return None,
        };
        let ramp_ns = self.ramp_offset_ns(id);
        Some(match (&self.model, begin.queue) {
            (Load::Open { .. }, Some(queue)) => Pacer::Open { queue },
            (Load::Closed { think_time_s, .. }, _) if !think_time_s.is_none() => Pacer::Closed {
                first_ns: Some(begin.at_ns + ramp_ns),
                think: Think::new(*think_time_s, self.context(id, 0).seed),
            },
            (Load::Closed { .. }, _) => Pacer::Stream {
                first_ns: (ramp_ns > 0).then_some(begin.at_ns + ramp_ns),
            },
            _ => Pacer::Paced {
                first_ns: self.paced_first_ns(id, begin.at_ns),
                period_ns: self.period_ns(),
                next: 0,
            },
        })
    }

    /// The number, among the users of the whole job, of the agent's user `ordinal`.
    pub(crate) fn user(&self, ordinal: u32) -> u32 {
        self.share
            .user(self.users.first_own.saturating_add(ordinal))
    }

    /// Who user `id` is, after it was replaced so many times.
    pub(crate) fn context(&self, id: u32, replacements: u32) -> UserContext {
        let place = u64::from(id) << 32 | u64::from(replacements);
        let mut seeds = SplitMix64::seed_from_u64(self.seed.wrapping_add(place));
        UserContext {
            id,
            seed: seeds.next_u64(),
            target: self.target(id),
        }
    }

    /// Which target user `id` loads.
    pub(crate) fn target(&self, id: u32) -> usize {
        id as usize % self.targets
    }

    /// Empty statistics for one thread.
    pub(crate) fn statistics(&self) -> ThreadStatistics {
        ThreadStatistics::new(self.operations.len(), self.counters.len(), self.targets)
    }

    fn period_ns(&self) -> f64 {
        match self.model {
            Load::Paced {
                rate_per_user_per_s,
                ..
            } => 1e9 / rate_per_user_per_s,
            _ => f64::INFINITY,
        }
    }

    /// The place of user `id` among the load's own, all agents together, from 0, and how many there are at most.
    fn place_of_user(&self, id: u32) -> (u32, u32) {
        let most = self.model.users().map_or(self.crowd.most, NonZeroU32::get);
        (id.saturating_sub(self.users.first), most.max(1))
    }

    fn ramp_offset_ns(&self, id: u32) -> u64 {
        let (place, most) = self.place_of_user(id);
        self.ramp_ns * u64::from(place) / u64::from(most)
    }

    /// Paced users start one after another, evenly over the ramp or at least over one period.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn paced_first_ns(&self, id: u32, begin_ns: u64) -> u64 {
        let (place, most) = self.place_of_user(id);
        let share = f64::from(place) / f64::from(most);
        begin_ns
            + self
                .ramp_offset_ns(id)
                .max((self.period_ns() * share) as u64)
    }
}
