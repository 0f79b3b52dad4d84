//! How many users a job has here, and where they run.

use igen_job::{Job, Placement};

use crate::placement::most_users;
use crate::workload::Workload;

/// Users that an open load without a fixed number starts with: enough for 10 ms of arrivals.
const FIRST_USERS: (f64, f64) = (2.0, 64.0);

/// Where the users of `job` run.
pub(crate) fn placement<W: Workload>(job: &Job) -> Placement {
    job.placement.unwrap_or_else(|| W::placement(&job.targets))
}

/// Users of this agent at the begin, and most users ever.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub(crate) fn first_and_most_users<W: Workload>(job: &Job) -> (u32, u32) {
    match (&job.load, job.load.users()) {
        (_, Some(users)) => {
            let own = job.share().users(users.get());
            (own, own)
        }
        (igen_job::Load::Open { rate_per_s, .. }, None) => {
            let rate_per_s = rate_per_s / f64::from(job.share().of.get());
            let first = (rate_per_s * 0.01).clamp(FIRST_USERS.0, FIRST_USERS.1);
            let first = first.max(job.targets.len() as f64);
            (first as u32, most_users(placement::<W>(job)))
        }
        (_, None) => (1, 1),
    }
}
