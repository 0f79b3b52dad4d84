//! What a job's way of scheduling needs of the whole process: a session of its own, and a guard where it may keep all
//! processors from everything else.

use std::io;
use std::process;
use std::time::Duration;

use igen_job::{Job, JobError, Scheduling};
use igen_kernel::group::Group;
use igen_kernel::scheduling;
use igen_tools::{Guard, Watched};

/// Beside what the phases say.
const REST: Duration = Duration::from_secs(10);
/// A judge may make a measurement so many times as long.
const LONGEST_EXTENDED: f64 = 10.0;
const HINT: &str = "run the agent as root and in its own session: `setsid --wait igen-agent run`";

/// Makes the process ready for what `job` says. Whatever it starts from now on ends with it, where it may keep the
/// processors.
pub fn prepare(job: &Job) -> Result<(), JobError> {
    let Some(way) = job.placement.and_then(|placement| placement.scheduling) else {
        return Ok(());
    };
    take_session(way, job).map_err(|error| {
        let text = format!("cannot use the scheduling `{way}`: {error}");
        JobError::at("placement.scheduling", text).hint(HINT)
    })
}

fn take_session(way: Scheduling, job: &Job) -> io::Result<()> {
    if way == Scheduling::Autogroup {
        scheduling::lead_session()?;
    }
    if way.is_fixed() {
        // By its session and its control group the guard knows what this process has started, in whichever groups of
        // processes, when it is gone.
        scheduling::lead_session()?;
        scheduling::limit_fixed(longest(job))?;
        let mut guard = Guard::start()?;
        let own = process::id();
        // Without rights to such a group, what makes a session of its own is not the guard's.
        let group = Group::enter(&format!("igen-{own}")).ok();
        guard.watch(&Watched::Session(own, group))?;
        // Not before the end of this process: what it has started may be at the same priority as its users, who cannot
        // end it then.
        std::mem::forget(guard);
    }
    Ok(())
}

/// How long a thread may work without ever waiting, at most.
fn longest(job: &Job) -> Duration {
    let phases = &job.phases;
    let times = if phases.extendable {
        LONGEST_EXTENDED
    } else {
        1.0
    };
    let all_s = phases.ramp_s.0 + phases.warmup_s.0 + times * phases.measure_s.0 + phases.drain_s.0;
    Duration::try_from_secs_f64(all_s).map_or(REST, |all| all + REST)
}
