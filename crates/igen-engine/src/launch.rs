//! What all loads of a job need before their first user: channels, a timer, and then the control loop.

use std::sync::Arc;

use igen_job::{Job, JobError};
use tokio::sync::mpsc;

use crate::control::{AddThread, Control};
use crate::failure::Failure;
use crate::host::Host;
use crate::load::SharedLoad;
use crate::own_users::Member;
use crate::report::Report;
use crate::stop::Stop;
use crate::thread_statistics::ThreadStatistics;
use crate::timer::Timer;
use crate::users::own_users;
use crate::workload::Workload;

/// The loads of a job without users yet. Whoever seats the users takes requests for more from `more`, or leaves
/// them to `lead`.
pub(crate) struct Launch<W> {
    /// In the order of the job's.
    pub(crate) loads: Vec<Arc<SharedLoad<W>>>,
    /// Users to begin with: of which load, and which of its own.
    pub(crate) crew: Vec<Member>,
    /// For requests of one more user on a thread of its own.
    pub(crate) more_sender: mpsc::UnboundedSender<usize>,
    more: mpsc::UnboundedReceiver<usize>,
    ready: mpsc::UnboundedReceiver<Result<(), Failure>>,
    stop: Stop,
    timer: Timer,
}

impl<W: Workload> Launch<W> {
    /// The loads of `job`, a workload for each. Call on the local task set that will lead them.
    pub(crate) fn new(job: &Job, host: &Host, workloads: &[Arc<W>]) -> Result<Self, JobError> {
        let (ready_sender, ready) = mpsc::unbounded_channel();
        let (more_sender, more) = mpsc::unbounded_channel();
        let (clock, stop) = (host.clock.clone(), Stop::default());
        let users = own_users::<W>(job);
        let loads = job.loads().into_iter().enumerate().zip(workloads);
        let loads = loads.zip(&users).map(|((load, workload), users)| {
            let both = (clock.clone(), stop.clone());
            let workload = Arc::clone(workload);
            let load = SharedLoad::new(workload, job, load, *users, both, ready_sender.clone());
            Arc::new(load)
        });
        let loads = loads.collect();
        let crew = users.iter().enumerate();
        let crew = crew.flat_map(|(place, users)| (0..users.at_begin).map(move |it| (place, it)));
        let (timer, serve) = Timer::new(clock, Stop::default())
            .map_err(|error| JobError::new(format!("no timer: {error}")))?;
        tokio::task::spawn_local(serve);
        Ok(Self {
            loads,
            crew: crew.collect(),
            more_sender,
            more,
            ready,
            stop,
            timer,
        })
    }

    /// Leads the loads from their first user to their last transaction; `statistics` are those of the threads of
    /// each.
    pub(crate) async fn lead(
        self,
        job: &Job,
        host: &mut Host,
        statistics: Vec<Vec<Arc<ThreadStatistics>>>,
        add_thread: AddThread<'_>,
    ) -> Result<Report, JobError> {
        let Self {
            loads,
            crew,
            more,
            ready,
            stop,
            timer,
            ..
        } = self;
        let mut control = Control {
            clock: host.clock.clone(),
            loads,
            stop,
            phases: &job.phases,
            host,
            timer,
            ready,
            more,
            add_thread,
            spun_before_ns: 0,
        };
        control.run(crew.len(), statistics).await
    }
}
