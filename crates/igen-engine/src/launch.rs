//! What every load needs before its first user: channels, a timer, and then the control loop.

use std::sync::Arc;

use igen_job::{Job, JobError};
use tokio::sync::mpsc;

use crate::control::Control;
use crate::failure::Failure;
use crate::host::Host;
use crate::load::SharedLoad;
use crate::report::Report;
use crate::stop::Stop;
use crate::thread_statistics::ThreadStatistics;
use crate::timer::Timer;
use crate::users::first_and_most_users;
use crate::workload::Workload;

/// A load without users yet. Whoever seats the users takes requests for more from `more`, or leaves
/// them to `lead`.
pub(crate) struct Launch<W> {
    pub(crate) load: Arc<SharedLoad<W>>,
    /// Users to begin with.
    pub(crate) users: u32,
    /// For requests of one more user on a thread of its own.
    pub(crate) more_sender: mpsc::UnboundedSender<()>,
    more: mpsc::UnboundedReceiver<()>,
    ready: mpsc::UnboundedReceiver<Result<(), Failure>>,
    timer: Timer,
}

impl<W: Workload> Launch<W> {
    /// The load of `job`. Call on the local task set that will lead it.
    pub(crate) fn new(job: &Job, host: &Host, workload: Arc<W>) -> Result<Self, JobError> {
        let (ready_sender, ready) = mpsc::unbounded_channel();
        let (more_sender, more) = mpsc::unbounded_channel();
        let (users, most) = first_and_most_users::<W>(job);
        let clock = host.clock.clone();
        let load = Arc::new(SharedLoad::new(
            workload,
            job,
            clock.clone(),
            (users, most),
            ready_sender,
        ));
        let (timer, serve) = Timer::new(clock, Stop::default())
            .map_err(|error| JobError::new(format!("no timer: {error}")))?;
        tokio::task::spawn_local(serve);
        Ok(Self {
            load,
            users,
            more_sender,
            more,
            ready,
            timer,
        })
    }

    /// Leads the load from its first user to its last transaction.
    pub(crate) async fn lead(
        self,
        job: &Job,
        host: &mut Host,
        statistics: Vec<Arc<ThreadStatistics>>,
        add_thread: &mut dyn FnMut() -> Result<Option<Arc<ThreadStatistics>>, JobError>,
    ) -> Result<Report, JobError> {
        let Self {
            load,
            users,
            more,
            ready,
            timer,
            ..
        } = self;
        let mut control = Control {
            load,
            phases: &job.phases,
            host,
            timer,
            ready,
            more,
            add_thread,
        };
        control.run(users, statistics).await
    }
}
