//! What runs on this machine that nobody knows about: every process that is started, by whom, for how long, and what it
//! uses; who listens, and who talks to whom.
//!
//! REQUIREMENTS: root in the initial namespaces for the records of ended tasks, before Linux 6.6 for anything.
//! OVERHEAD: about 5 µs of a processor for each process that is started, and a look through /proc at either end.

mod connector;
mod parents;
mod show;
mod sockets;
mod tally;
mod unaccounted;

use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use igen_job::tool::Verdict;
use igen_job::{JobError, Seconds};

use self::connector::Connector;
use self::tally::Tally;
use self::unaccounted::Reading;
use crate::emit::Emit;
use crate::tool::{Tool, duration};
use igen_kernel::records::Records;

/// How long events wait in their buffer: to wake up for each of them costs more than all else.
const LOOK: Duration = Duration::from_millis(10);
const BURST: u32 = 256;
const HINT: &str =
    "run it as root and outside of containers: the kernel reports processes only there";

pub(crate) struct Audit;

/// Options of the tool.
#[derive(Args)]
pub(crate) struct AuditArgs {
    /// Time to watch, such as 10s.
    #[arg(value_name = "DURATION")]
    duration: Seconds,
    /// Rows of each table.
    #[arg(long, value_name = "N", default_value = "10")]
    rows: usize,
}

impl Tool for Audit {
    const NAME: &'static str = "audit";
    const SUMMARY: &'static str = "find short-lived processes, their parents and sockets";
    const REQUIREMENTS: &'static str = "root in the initial namespaces; since Linux 6.6 other users see started processes, without names and times";
    const OVERHEAD: &'static str = "about 5 µs of processor time for each started process, and one scan of /proc at the start and at the end";
    const EXAMPLES: &'static [&'static str] = &["10s", "1min --rows 30"];
    type Args = AuditArgs;

    fn run(args: AuditArgs, emit: &mut Emit) -> Result<Verdict, JobError> {
        let duration = duration(args.duration)?;
        let mut connector = Connector::open().map_err(|error| {
            JobError::new(format!("cannot watch processes: {error}")).hint(HINT)
        })?;
        let mut records = Records::open()
            .inspect_err(|error| {
                emit.note(format!("cannot read records of ended tasks ({error}): names and times of short-lived processes are missing"));
            })
            .ok();
        let before = Reading::take();
        let mut tally = Tally {
            before: before.of_threads(),
            ..Tally::default()
        };
        let start = Instant::now();
        let failed = |error| JobError::new(format!("cannot read process events any more: {error}"));
        while start.elapsed() < duration && !emit.stopped() {
            thread::sleep(duration.saturating_sub(start.elapsed()).min(LOOK));
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
        tally.settle();
        let used = after.since(&before, &tally);
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

/// Takes all that is there, until `end` at the latest: more may come as fast.
fn listen(
    connector: &mut Connector,
    mut records: Option<&mut Records>,
    tally: &mut Tally,
    end: Instant,
) -> std::io::Result<()> {
    // Now that whatever was late with the last look has come.
    tally.settle();
    loop {
        let mut more = false;
        // A few at a time, so that neither waits for the other.
        for _ in 0..BURST {
            more = connector.receive(|event| tally.event(event))?;
            if !more {
                break;
            }
        }
        if let Some(records) = &mut records {
            for _ in 0..BURST {
                let told = records.receive(|record| tally.record(record))?;
                if !told {
                    break;
                }
                more = true;
            }
        }
        if !more || Instant::now() >= end {
            return Ok(());
        }
    }
}
