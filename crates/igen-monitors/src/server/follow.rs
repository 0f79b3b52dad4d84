//! The thread of a server's monitor: connects, looks, reads, and connects again.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use igen_engine::{Clock, Failure, FailureKind};
use igen_job::JobError;
use igen_job::event::{Event, Reading};
use igen_sql::database::Database;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::others::Others;
use super::process_tree::ProcessTree;
use super::source::{Opened, Source, Totals};
use super::waits::Waits;
use crate::of_interest::OfInterest;
use crate::outlet::Outlet;

/// Longest time to connect and of one statement: a server that takes longer is given up until it is
/// connected to again.
pub(super) const LIMIT_S: f64 = 2.0;
/// Time between two looks at the sessions.
const SAMPLE_EVERY: Duration = Duration::from_millis(100);
/// A look that took 20 ms is followed by 200 ms of rest, so that a slow one does not become load; but where
/// it is slow because everybody waits for a processor there is no rest longer than the longest.
const REST_PER_SAMPLE: u32 = 10;
const LONGEST_REST: Duration = Duration::from_millis(300);
/// Waits before connecting again: from the first, doubled, to the longest.
const FIRST_RETRY: Duration = Duration::from_millis(100);
const LONGEST_RETRY: Duration = Duration::from_secs(2);

/// Follows one server.
pub(super) struct Follower<S> {
    database: Database,
    place: String,
    clock: Clock,
    of_interest: OfInterest,
    outlet: Arc<Outlet>,
    waits: Waits,
    others: Others,
    /// Readings were asked for: from then on it looks.
    asked: bool,
    /// What it has warned of.
    warned: Vec<JobError>,
    source: PhantomData<fn() -> S>,
}

/// Why a connection is not followed any more.
enum End {
    JobOver,
    Lost(Failure),
}

impl<S: Source> Follower<S> {
    pub(super) fn new(
        database: Database,
        place: String,
        clock: Clock,
        of_interest: OfInterest,
        outlet: Arc<Outlet>,
    ) -> Self {
        Self {
            others: Others::new(database.server().unwrap_or_default()),
            database,
            place,
            clock,
            of_interest,
            outlet,
            waits: Waits::default(),
            asked: false,
            warned: Vec::new(),
            source: PhantomData,
        }
    }

    /// Follows the server until the job is over.
    pub(super) async fn follow(mut self, mut orders: UnboundedReceiver<()>) {
        self.follow_orders(&mut orders).await;
        if let Some(fact) = self.others.fact(&self.place) {
            self.outlet.emit(Event::Fact(fact));
        }
    }

    async fn follow_orders(&mut self, orders: &mut UnboundedReceiver<()>) {
        let mut retry = FIRST_RETRY;
        loop {
            let failure = match self.connect().await {
                Ok(opened) => {
                    retry = FIRST_RETRY;
                    match self.follow_connection(opened, orders).await {
                        End::JobOver => return,
                        End::Lost(failure) => failure,
                    }
                }
                Err(failure) => failure,
            };
            if self.wait(orders, retry).await.is_none() {
                return;
            }
            if self.asked {
                self.warn(JobError::new(format!(
                    "monitor {}: {} cannot be read: {}",
                    S::NAME,
                    self.place,
                    failure.reason
                )));
            }
            retry = (2 * retry).min(LONGEST_RETRY);
        }
    }

    async fn connect(&self) -> Result<Opened<S>, Failure> {
        limited(async { S::open(self.database.session(&[]).await?).await }).await
    }

    /// Waits without a connection: readings that are asked for meanwhile are missing. `None` when the
    /// job is over.
    async fn wait(&mut self, orders: &mut UnboundedReceiver<()>, length: Duration) -> Option<()> {
        let over = sleep(length);
        tokio::pin!(over);
        loop {
            tokio::select! {
                order = orders.recv() => {
                    order?;
                    self.asked = true;
                }
                () = &mut over => return Some(()),
            }
        }
    }

    async fn follow_connection(
        &mut self,
        opened: Opened<S>,
        orders: &mut UnboundedReceiver<()>,
    ) -> End {
        let mut source = opened.source;
        let mut processes = opened.pid.and_then(ProcessTree::open);
        if let Some(tree) = &mut processes {
            // From now on they are nobody else's.
            tree.read(&self.of_interest, &mut Totals::default());
        }
        let mut next = Instant::now();
        loop {
            let worked = tokio::select! {
                biased;
                order = orders.recv() => {
                    if order.is_none() {
                        return End::JobOver;
                    }
                    if !std::mem::replace(&mut self.asked, true) && let Some(warning) = &opened.warning {
                        self.warn(warning.clone());
                    }
                    // Those that were asked for while the server did not answer.
                    while orders.try_recv().is_ok() {}
                    let read = self.read(&mut source, &mut processes).await;
                    let listed = limited(source.sessions()).await;
                    read.and(listed.map(|seen| self.others.look(seen, opened.lists_all)))
                }
                () = sleep_until(next) => {
                    let start = Instant::now();
                    let looked = limited(self.look(&mut source)).await;
                    let took = start.elapsed();
                    next = start + SAMPLE_EVERY.max(took + LONGEST_REST.min(took * REST_PER_SAMPLE));
                    looked
                }
            };
            if let Err(failure) = worked {
                return End::Lost(failure);
            }
        }
    }

    async fn look(&mut self, source: &mut S) -> Result<(), Failure> {
        source.tick().await?;
        if self.asked {
            source.sample(&mut self.waits).await?;
        }
        Ok(())
    }

    async fn read(
        &mut self,
        source: &mut S,
        processes: &mut Option<ProcessTree>,
    ) -> Result<(), Failure> {
        let mut totals: Totals = limited(source.totals()).await?;
        if let Some(tree) = processes
            && !tree.read(&self.of_interest, &mut totals)
        {
            *processes = None;
        }
        totals.counters.extend(self.waits.counters());
        totals.gauges.extend(self.waits.gauges());
        self.outlet.emit(Event::Reading(Reading {
            monitor: S::NAME.to_owned(),
            subject: self.place.clone(),
            at_s: self.clock.now_s(),
            counters: totals.counters,
            gauges: totals.gauges,
            ..Reading::default()
        }));
        Ok(())
    }

    /// Warns once of each thing.
    fn warn(&mut self, warning: JobError) {
        if !self.warned.contains(&warning) {
            self.warned.push(warning.clone());
            self.outlet.emit(Event::Warning(warning));
        }
    }
}

/// A server that does not answer is as good as lost.
async fn limited<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    timeout(Duration::from_secs_f64(2.0 * LIMIT_S), work)
        .await
        .unwrap_or_else(|_| Err(Failure::anew(FailureKind::Silent, "no answer")))
}
