//! The control loop: leads all loads of a job through its phases, takes snapshots and reads monitors at their
//! times, and listens to commands.

use std::sync::Arc;
use std::time::Duration;

use igen_job::event::{Event, Outcome, Phase, PhaseStart};
use igen_job::{Command, JobError, Phases, facts};
use tokio::sync::mpsc;

use crate::begin;
use crate::clock::{Clock, ns, seconds};
use crate::failure::Failure;
use crate::host::Host;
use crate::load::SharedLoad;
use crate::load_statistics::LoadStatistics;
use crate::monitor::Moment;
use crate::report::Report;
use crate::snapshots::Snapshots;
use crate::stood_still::Watch;
use crate::stop::Stop;
use crate::thread_statistics::ThreadStatistics;
use crate::timer::Timer;
use crate::workload::Workload;

/// Longest wait for all users to connect.
const CONNECT_LIMIT: Duration = Duration::from_mins(1);
/// Time between readings of the monitors.
const READING_NS: u64 = 1_000_000_000;
/// Longest wait for the judge's answer to `measured`.
const ANSWER_NS: u64 = 10_000_000_000;

/// Longest extension that the judge may ask for at once.
const LONGEST_EXTENSION_S: f64 = 86_400.0;

/// Starts a thread for one more user of the load at that place; its statistics, unless there are as many users as
/// there may be.
pub(crate) type AddThread<'a> =
    &'a mut dyn FnMut(usize) -> Result<Option<Arc<ThreadStatistics>>, JobError>;

/// Leads the loads of one job.
pub(crate) struct Control<'a, W> {
    pub(crate) loads: Vec<Arc<SharedLoad<W>>>,
    /// Ends all of them.
    pub(crate) stop: Stop,
    pub(crate) clock: Clock,
    pub(crate) phases: &'a Phases,
    pub(crate) host: &'a mut Host,
    /// A timer that outlives the stop of the loads.
    pub(crate) timer: Timer,
    /// Users that report as ready.
    pub(crate) ready: mpsc::UnboundedReceiver<Result<(), Failure>>,
    /// Requests for one more user, each on a thread of its own.
    pub(crate) more: mpsc::UnboundedReceiver<usize>,
    /// Starts such a thread.
    pub(crate) add_thread: AddThread<'a>,
    /// Time that threads had spun when MEASURE began.
    pub(crate) spun_before_ns: u64,
}

/// What ended a wait.
enum Woken {
    Due,
    Stop,
    Extend(u64),
    Finish,
}

impl<W: Workload> Control<'_, W> {
    /// From the first user to the last transaction.
    pub(crate) async fn run(
        &mut self,
        users: usize,
        statistics: Vec<Vec<Arc<ThreadStatistics>>>,
    ) -> Result<Report, JobError> {
        for warning in self.loads.iter().flat_map(|load| load.workload.warnings()) {
            self.host.warning(warning);
        }
        let Some(begin_ns) = self.ready_and_begun(users).await? else {
            self.stop.set();
            return Ok(Report {
                outcome: Outcome::Interrupted,
                unfinished_users: 0,
            });
        };
        let loads = self.loads.iter().zip(statistics).map(|(load, threads)| {
            let (operations, counters) = (load.operations.clone(), load.counters.clone());
            LoadStatistics::new(threads, operations, counters, load.begin(begin_ns))
        });
        let loads = loads.collect();
        let names = self.loads.iter().filter_map(|load| load.name.clone());
        let mut snapshots = Snapshots::new(loads, names.collect(), begin_ns);
        let mut watch = None;
        let led = self.lead(&mut snapshots, begin_ns, &mut watch).await;
        let stood_still = watch.map(Watch::end).unwrap_or_default();
        let (drained, unfinished_users) = self.drain(&mut snapshots).await;
        self.report(&snapshots, stood_still);
        let outcome = if led && drained {
            Outcome::Complete
        } else {
            Outcome::Interrupted
        };
        Ok(Report {
            outcome,
            unfinished_users,
        })
    }

    /// Waits until all users exist and, where the job says so, for the command to begin. Returns when the
    /// load begins, which is the present or just past; `None` when told to stop.
    async fn ready_and_begun(&mut self, users: usize) -> Result<Option<u64>, JobError> {
        if !self.all_ready(users).await? {
            return Ok(None);
        }
        let at_s = self.clock.now_s();
        self.host.event(Event::Ready { at_s });
        if self.phases.await_begin {
            return Ok(begin::awaited(self.host, &self.timer).await);
        }
        Ok(Some(self.clock.now_ns()))
    }

    /// Waits until each of `users` users exists; `false` when told to stop.
    async fn all_ready(&mut self, users: usize) -> Result<bool, JobError> {
        let limit = tokio::time::sleep(CONNECT_LIMIT);
        tokio::pin!(limit);
        let mut ready = 0;
        while ready < users {
            tokio::select! {
                result = self.ready.recv() => match result {
                    Some(Ok(())) => ready += 1,
                    Some(Err(failure)) => return Err(not_ready(users, ready, &told(&failure))),
                    None => return Err(not_ready(users, ready, "the threads of the users ended")),
                },
                command = self.host.commands.recv() => match command {
                    Some(Command::Stop) => return Ok(false),
                    Some(Command::Begin(_)) => self.host.refuse("the command `begin` arrived before `ready` was sent"),
                    _ => {}
                },
                () = &mut limit => return Err(not_ready(users, ready, "not connected within 60 s")),
            }
        }
        Ok(true)
    }

    /// Runs the ramp, the warm-up, MEASURE with its extensions; `watch` sees MEASURE.
    /// Returns `false` if it was stopped.
    async fn lead(
        &mut self,
        snapshots: &mut Snapshots,
        begin_ns: u64,
        watch: &mut Option<Watch>,
    ) -> bool {
        let mut end_ns = begin_ns;
        for (phase, length_s) in [
            (Phase::Ramp, self.phases.ramp_s.0),
            (Phase::Warmup, self.phases.warmup_s.0),
            (Phase::Measure, self.phases.measure_s.0),
        ] {
            if length_s == 0.0 {
                continue;
            }
            self.start_phase(phase, Some(length_s));
            if phase == Phase::Measure {
                *watch = Watch::start();
                self.spun_before_ns = snapshots.spun_ns();
                self.host.read_monitors(Moment::Edge);
            }
            let start_ns = end_ns;
            end_ns += ns(length_s);
            if !self.run_phase(snapshots, phase, start_ns, end_ns).await {
                return false;
            }
        }
        while self.phases.extendable {
            self.host.event(Event::Measured {
                at_s: seconds(end_ns),
            });
            if self.host.is_unattended() {
                break;
            }
            match self.wait_until(snapshots, end_ns + ANSWER_NS).await {
                Woken::Stop => return false,
                Woken::Finish => break,
                Woken::Due => {
                    self.host
                        .warning(JobError::new("no answer to `measured` within 10 s"));
                    break;
                }
                Woken::Extend(length_ns) => {
                    let start_ns = end_ns;
                    end_ns += length_ns;
                    if !self
                        .run_phase(snapshots, Phase::Measure, start_ns, end_ns)
                        .await
                    {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn start_phase(&self, phase: Phase, planned_s: Option<f64>) {
        let at_s = self.clock.now_s();
        self.host.event(Event::Phase(PhaseStart {
            phase,
            at_s,
            planned_s,
        }));
    }

    /// Snapshots at each interval of one phase; `false` when told to stop.
    async fn run_phase(
        &mut self,
        snapshots: &mut Snapshots,
        phase: Phase,
        start_ns: u64,
        end_ns: u64,
    ) -> bool {
        let interval_ns = ns(self.phases.interval_s.0);
        let mut tick_ns = start_ns;
        let mut reading_ns = start_ns + READING_NS;
        while tick_ns < end_ns {
            tick_ns = (tick_ns + interval_ns).min(end_ns);
            let woken = loop {
                match self.wait_until(snapshots, tick_ns).await {
                    Woken::Extend(_) | Woken::Finish => {} // an answer that came too late
                    woken => break woken,
                }
            };
            let last = tick_ns >= end_ns || matches!(woken, Woken::Stop);
            self.snapshot(snapshots, phase, last);
            if phase == Phase::Measure && (last || tick_ns >= reading_ns) {
                reading_ns += READING_NS;
                self.host
                    .read_monitors(if last { Moment::Edge } else { Moment::Between });
            }
            if matches!(woken, Woken::Stop) {
                return false;
            }
        }
        true
    }

    fn snapshot(&self, snapshots: &mut Snapshots, phase: Phase, last_of_phase: bool) {
        let users: Vec<u32> = self.loads.iter().map(|load| load.crowd.driving()).collect();
        let snapshot = snapshots.take(phase, self.clock.now_ns(), &users, last_of_phase);
        self.host.event(Event::Snapshot(Box::new(snapshot)));
    }

    /// Waits until `deadline_ns` or a command; starts threads that the load asks for meanwhile.
    async fn wait_until(&mut self, snapshots: &mut Snapshots, deadline_ns: u64) -> Woken {
        loop {
            tokio::select! {
                // A stop that came before the deadline counts, even if this thread had no processor for both.
                biased;
                Some(command) = self.host.commands.recv() => match command {
                    Command::Stop => return Woken::Stop,
                    Command::Finish => return Woken::Finish,
                    Command::Extend { measure_s } => {
                        return Woken::Extend(ns(measure_s.0.min(LONGEST_EXTENSION_S)));
                    }
                    Command::Begin(_) => self.host.refuse("the command `begin` was ignored: the load is already running"),
                    Command::Renew => {}
                },
                _ = self.timer.sleep_until(deadline_ns) => return Woken::Due,
                Some(place) = self.more.recv() => match (self.add_thread)(place) {
                    Ok(Some(statistics)) => snapshots.add_thread(place, statistics),
                    Ok(None) => {}
                    Err(error) => self.host.warning(error),
                },
            }
        }
    }

    /// Lets transactions in flight end. Returns `false` when told to stop, and the number of users that
    /// did not end theirs.
    async fn drain(&mut self, snapshots: &mut Snapshots) -> (bool, u32) {
        let drain_s = self.phases.drain_s.0;
        self.start_phase(Phase::Drain, None);
        self.stop.set();
        let limit_ns = self.clock.now_ns() + ns(drain_s);
        let commands = &mut self.host.commands;
        let told_to_stop = async {
            while let Some(command) = commands.recv().await {
                if command == Command::Stop {
                    return;
                }
            }
            std::future::pending::<()>().await;
        };
        let all_left = async {
            for load in &self.loads {
                load.crowd.all_left().await;
            }
        };
        let waited = tokio::select! {
            () = all_left => true,
            () = told_to_stop => false,
            _ = self.timer.sleep_until(limit_ns) => true,
        };
        self.snapshot(snapshots, Phase::Drain, true);
        let driving = self.loads.iter().map(|load| load.crowd.driving());
        let unfinished = driving.sum();
        if unfinished > 0 {
            self.host.warning(JobError::new(format!(
                "{unfinished} users had an unfinished transaction at the end of DRAIN"
            )));
        }
        (waited, unfinished)
    }

    fn report(&self, snapshots: &Snapshots, stood_still: Duration) {
        let host = &self.host;
        host.fact(facts::ENGINE_CLOCK_DRIFT_PPM.is(self.clock.drift_ppm()));
        host.fact(facts::ENGINE_ASIDE_S.is(seconds(snapshots.aside_ns())));
        if !stood_still.is_zero() {
            host.fact(facts::ENGINE_STOOD_STILL_S.is(stood_still.as_secs_f64()));
        }
        let spun_ns = snapshots.spun_ns().saturating_sub(self.spun_before_ns);
        if spun_ns > 0 {
            host.fact(facts::ENGINE_SPUN_S.is(seconds(spun_ns)));
        }
        if let Some(first_end_ns) = snapshots.first_end_ns() {
            host.fact(facts::ENGINE_FIRST_TRANSACTION_S.is(seconds(first_end_ns)));
        }
        for load in self.loads.iter().filter(|load| load.crowd.is_full()) {
            let path = load.path("load.open.users");
            let text = "the load reached the limit of users";
            host.warning(JobError::at(path, text).hint("set a number of users, or lower the rate"));
        }
    }
}

/// A failure with what the other side has said.
fn told(failure: &Failure) -> String {
    match &failure.said {
        None => failure.reason.to_string(),
        Some(said) => format!("{}; the answer starts with: {said}", failure.reason),
    }
}

fn not_ready(users: usize, ready: usize, reason: &str) -> JobError {
    JobError::new(format!("only {ready} of {users} users started: {reason}"))
}

#[cfg(test)]
mod tests {
    use igen_job::FailureKind;

    use super::*;

    #[test]
    fn what_the_other_side_has_said_stands_behind_the_reason() {
        let failure = Failure {
            said: Some("<b>No</b>".into()),
            ..Failure::new(FailureKind::Check, "status 401").in_step("login")
        };
        for (failure, text) in [
            (
                &failure,
                "login: status 401; the answer starts with: <b>No</b>",
            ),
            (&Failure::new(FailureKind::Refused, "refused"), "refused"),
        ] {
            let error = not_ready(5, 2, &told(failure));
            let begin = "only 2 of 5 users started: ";
            assert_eq!(error.text, format!("{begin}{text}"));
        }
    }
}
