//! Waiting for the command to begin, so that the agents of one job begin together.

use std::time::{SystemTime, UNIX_EPOCH};

use igen_job::{Begin, Command, JobError};

use crate::clock::{Clock, ns};
use crate::host::Host;
use crate::timer::Timer;

/// Furthest begin that makes sense: users are connected and wait.
const FURTHEST_S: f64 = 3600.0;

/// Waits for the command and then until the moment that it names. Returns when the load begins, on the
/// engine's clock, which is the present or just past; `None` when told to stop.
pub(crate) async fn awaited(host: &mut Host, timer: &Timer) -> Option<u64> {
    let begin_ns = loop {
        match host.commands.recv().await {
            Some(Command::Begin(begin)) => {
                if let Some(begin_ns) = moment(begin, host) {
                    break begin_ns;
                }
            }
            Some(Command::Stop) | None => return None,
            Some(_) => {}
        }
    };
    loop {
        tokio::select! {
            _ = timer.sleep_until(begin_ns) => return Some(begin_ns),
            Some(command) = host.commands.recv() => {
                if command == Command::Stop {
                    return None;
                }
            }
        }
    }
}

/// The moment on the engine's clock; `None` for one that is refused.
fn moment(begin: Begin, host: &Host) -> Option<u64> {
    let Begin::AtUnixS(at_unix_s) = begin else {
        return Some(host.clock.now_ns());
    };
    let ahead_s = at_unix_s - unix_s();
    if !(-FURTHEST_S..=FURTHEST_S).contains(&ahead_s) {
        host.refuse(&format!(
            "the start time {at_unix_s} (seconds since 1970) is more than an hour away from the clock of this host"
        ));
        return None;
    }
    if ahead_s < 0.0 {
        let text = format!(
            "the load starts {:.3} s late: the time in `begin` had already passed",
            -ahead_s
        );
        host.warning(JobError::at("command", text));
    }
    Some(later(&host.clock, ahead_s))
}

fn later(clock: &Clock, ahead_s: f64) -> u64 {
    clock.now_ns() + ns(ahead_s.max(0.0))
}

fn unix_s() -> f64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0.0, |now| now.as_secs_f64())
}
