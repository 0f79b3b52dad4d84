//! How many users a job has here, and where they run.

use igen_job::{Job, JobLoad, Load, Placement};

use crate::own_users::OwnUsers;
use crate::placement::most_users;
use crate::workload::Workload;

/// Users that an open load without a fixed number starts with: enough for 10 ms of arrivals.
const FIRST_USERS: (f64, f64) = (2.0, 64.0);

/// Where the users of `job` run.
pub(crate) fn placement<W: Workload>(job: &Job) -> Placement {
    job.placement
        .unwrap_or_default()
        .or(W::placement(&job.targets))
}

/// This agent's users of each load of `job`, in their order.
pub(crate) fn own_users<W: Workload>(job: &Job) -> Vec<OwnUsers> {
    let share = job.share();
    let mut first = 0;
    let mut own = Vec::new();
    for load in job.loads() {
        let after = numbers::<W>(job, load).saturating_add(first);
        let most = share.users_between(first, after);
        own.push(OwnUsers {
            first,
            first_own: share.users(first),
            at_begin: match load.load {
                Load::Open {
                    rate_per_s,
                    users: None,
                    ..
                } => first_users(job, *rate_per_s),
                _ => most,
            },
            most,
        });
        first = after;
    }
    own
}

/// Most users of the whole job that will exist at once, on all agents: their numbers are below this.
pub(crate) fn all_users<W: Workload>(job: &Job) -> u32 {
    let all = job.loads().into_iter().map(|load| numbers::<W>(job, load));
    all.fold(0, u32::saturating_add)
}

/// How many numbers the users of one load have.
fn numbers<W: Workload>(job: &Job, load: JobLoad<'_>) -> u32 {
    load.load.users().map_or_else(
        || most_users(placement::<W>(job)).saturating_mul(job.share().of.get()),
        u32::from,
    )
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn first_users(job: &Job, rate_per_s: f64) -> u32 {
    let rate_per_s = rate_per_s / f64::from(job.share().of.get());
    let first = (rate_per_s * 0.01).clamp(FIRST_USERS.0, FIRST_USERS.1);
    first.max(job.targets.len() as f64) as u32
}
