//! What runs on this machine that nobody knows about: every process that is started, by whom, for how long, and what it
//! uses; who listens, and who talks to whom.
//!
//! REQUIREMENTS: root in the initial namespaces for the records of ended tasks, before Linux 6.6 for anything.
//! OVERHEAD: about 10 µs of a processor for each process that is started, and a look through /proc at either end.

mod connector;
mod netlink;
mod parents;
mod records;
mod show;
mod sockets;
mod tally;
mod unaccounted;

use std::time::{Duration, Instant};

use clap::Args;
use igen_job::tool::Verdict;
use igen_job::{JobError, Seconds};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use self::connector::Connector;
use self::records::Records;
use self::tally::Tally;
use self::unaccounted::Reading;
use crate::emit::Emit;
use crate::tool::Tool;

/// How long it waits for events at most before it looks at the time.
const LOOK: Duration = Duration::from_millis(50);
const HINT: &str =
    "run it as root, outside of containers: the kernel tells of processes nobody else";

pub(crate) struct Audit;

/// What the command line says.
#[derive(Args)]
pub(crate) struct AuditArgs {
    /// How long to listen, such as 10s.
    #[arg(value_name = "DURATION")]
    duration: Seconds,
    /// Rows of each table.
    #[arg(long, value_name = "N", default_value = "10")]
    rows: usize,
}

impl Tool for Audit {
    const NAME: &'static str = "audit";
    const SUMMARY: &'static str =
        "what runs that nobody knows about: short-lived processes, their parents, sockets";
    const REQUIREMENTS: &'static str = "root in the initial namespaces; since Linux 6.6 others see who is started, without names and times";
    const OVERHEAD: &'static str = "about 10 µs of a processor for each process that is started, and a look through /proc at either end";
    const EXAMPLES: &'static [&'static str] = &["10s", "1min --rows 30"];
    type Args = AuditArgs;

    fn run(args: AuditArgs, emit: &mut Emit) -> Result<Verdict, JobError> {
        let Ok(duration) = Duration::try_from_secs_f64(args.duration.0) else {
            return Err(JobError::at("DURATION", "is too long").hint("such as 10s"));
        };
        let mut connector = Connector::open().map_err(|error| {
            JobError::new(format!("processes cannot be watched here: {error}")).hint(HINT)
        })?;
        let mut records = Records::open()
            .inspect_err(|error| {
                emit.note(format!("no records of ended tasks ({error}): names and times of short-lived processes are missing"));
            })
            .ok();
        let mut tally = Tally::default();
        let before = Reading::take();
        let start = Instant::now();
        let failed = |error| JobError::new(format!("cannot hear of processes any more: {error}"));
        while start.elapsed() < duration && !emit.stopped() {
            let left = duration.saturating_sub(start.elapsed()).min(LOOK);
            wait(&connector, records.as_ref(), left).map_err(failed)?;
            listen(
                &mut connector,
                records.as_mut(),
                &mut tally,
                start + duration,
            )
            .map_err(failed)?;
        }
        let elapsed = start.elapsed();
        let after = Reading::take();
        // Those that have ended by now are missing in what was just read.
        listen(
            &mut connector,
            records.as_mut(),
            &mut tally,
            Instant::now() + LOOK,
        )
        .map_err(failed)?;
        let used = after.since(&before, &tally.used_by_process_us);
        for (pid, parent) in &mut tally.parents {
            if parent.name.is_empty() && parent.children > 0 {
                parents::describe(*pid, parent);
            }
        }
        let overruns = records.as_ref().map(|records| records.overruns);
        let seen = show::Seen {
            tally: &tally,
            used,
            elapsed,
            lost: connector.lost(),
            overruns,
        };
        seen.tables(args.rows, emit);
        for table in sockets::tables() {
            emit.table(table);
        }
        Ok(seen.verdict())
    }
}

fn wait(connector: &Connector, records: Option<&Records>, time: Duration) -> std::io::Result<()> {
    let time = Timespec {
        tv_sec: 0,
        tv_nsec: i64::from(time.subsec_nanos()),
    };
    let mut sockets = vec![PollFd::new(connector, PollFlags::IN)];
    sockets.extend(records.map(|records| PollFd::new(records, PollFlags::IN)));
    match poll(&mut sockets, Some(&time)) {
        // A signal asks to end.
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Takes all that is there, until `end` at the latest: more may come as fast.
fn listen(
    connector: &mut Connector,
    mut records: Option<&mut Records>,
    tally: &mut Tally,
    end: Instant,
) -> std::io::Result<()> {
    loop {
        let mut more = false;
        // A few at a time, so that neither waits for the other.
        for _ in 0..64 {
            let heard = connector.receive(|event| tally.event(event))?;
            let told = match records.as_deref_mut() {
                Some(records) => records.receive(|record| tally.record(record))?,
                None => false,
            };
            more = heard || told;
            if !more {
                break;
            }
        }
        if !more || Instant::now() >= end {
            return Ok(());
        }
    }
}
