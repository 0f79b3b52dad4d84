//! Limits of the system on threads, looked at before the first of them starts: a thread that the system refuses in the
//! middle of its start can end the whole process.

use std::fs;

use igen_job::{JobError, Placement};
use rustix::process::{Resource, getrlimit};

/// A mapping for each of: stack, its guard page, the stack of signals, its guard page.
const MAPPINGS_PER_THREAD: u64 = 4;
/// The event loop of a thread and what wakes it.
const FILES_PER_THREAD: u64 = 4;
/// As many start nearly anywhere; where they do not, the start of one is an error of its own.
const FEW: u64 = 100;
/// Room for what the process does beside: files of monitors, memory of the workload.
const SPARE: u64 = 200;

/// A limit, and how much of it the threads take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Limit {
    /// What is limited: `open files`.
    what: &'static str,
    name: &'static str,
    remedy: &'static str,
    most: u64,
    used: u64,
    per_thread: u64,
}

/// Threads that a job begins with, and what of it asks for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Demand {
    threads: u64,
    field: &'static str,
    /// What there may be fewer of.
    fewer: &'static str,
}

impl Demand {
    /// What so many `users` at the begin need; `loads` of the job asks for them.
    pub(crate) fn of(placement: Placement, users: u64, loads: &'static str) -> Self {
        match placement.task {
            None => Self {
                threads: users,
                field: loads,
                fewer: "users or placement `task`",
            },
            Some(tasks) => Self {
                // Without a number they are as many as there are processors.
                threads: tasks
                    .threads
                    .map_or(0, |threads| users.min(threads.get().into())),
                field: "placement.task.threads",
                fewer: "threads",
            },
        }
    }

    /// Refuses more threads than the system lets a process have.
    pub(crate) fn check(self) -> Result<(), JobError> {
        if self.threads <= FEW {
            return Ok(());
        }
        self.first_exceeded(&limits()).map_or(Ok(()), Err)
    }

    fn first_exceeded(self, limits: &[Limit]) -> Option<JobError> {
        let needed = |limit: &Limit| self.threads.saturating_mul(limit.per_thread) + limit.used;
        let limit = limits.iter().find(|limit| needed(limit) > limit.most)?;
        let fitting = limit.most.saturating_sub(limit.used) / limit.per_thread;
        let text = format!(
            "{} threads need {} {}, but only {} are allowed ({})",
            self.threads,
            needed(limit),
            limit.what,
            limit.most,
            limit.name
        );
        Some(JobError::at(self.field, text).hint(format!(
            "use at most {fitting} {}, or raise the limit: {}",
            self.fewer, limit.remedy
        )))
    }
}

/// Those that can be read here.
fn limits() -> Vec<Limit> {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let entries = |path: &str| fs::read_dir(path).map_or(0, |folder| folder.count() as u64);
    let mappings = fs::read_to_string("/proc/self/maps").map_or(0, |text| text.lines().count());
    // `0.52 0.58 0.59 2/345 6789`: tasks of the host that run, and all.
    let tasks = fs::read_to_string("/proc/loadavg").ok().and_then(|text| {
        let tasks = text.split_ascii_whitespace().nth(3)?.split_once('/')?.1;
        tasks.parse::<u64>().ok()
    });
    let limit = |what, name, remedy, most: Option<u64>, used: u64, per_thread| {
        most.map(|most| Limit {
            what,
            name,
            remedy,
            most,
            used: used + SPARE,
            per_thread,
        })
    };
    [
        limit(
            "open files",
            "ulimit -n",
            "ulimit -n",
            getrlimit(Resource::Nofile).current,
            entries("/proc/self/fd"),
            FILES_PER_THREAD,
        ),
        limit(
            "memory mappings",
            "vm.max_map_count",
            "sysctl -w vm.max_map_count=…",
            number("/proc/sys/vm/max_map_count"),
            mappings as u64,
            MAPPINGS_PER_THREAD,
        ),
        limit(
            "processes and threads of this user",
            "ulimit -u",
            "ulimit -u",
            getrlimit(Resource::Nproc).current,
            0,
            1,
        ),
        limit(
            "processes and threads of the host",
            "kernel.threads-max",
            "sysctl -w kernel.threads-max=…",
            number("/proc/sys/kernel/threads-max"),
            tasks.unwrap_or(0),
            1,
        ),
        limit(
            "processes and threads of the host",
            "kernel.pid_max",
            "sysctl -w kernel.pid_max=…",
            number("/proc/sys/kernel/pid_max"),
            tasks.unwrap_or(0),
            1,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::num::NonZeroU16;

    use super::*;

    #[test]
    fn a_limit_is_named_with_its_remedy_and_what_fits() {
        let limits = [
            Limit {
                what: "open files",
                name: "ulimit -n",
                remedy: "ulimit -n",
                most: 1_000_000,
                used: 10,
                per_thread: 4,
            },
            Limit {
                what: "memory mappings",
                name: "vm.max_map_count",
                remedy: "sysctl -w vm.max_map_count=…",
                most: 65_530,
                used: 130,
                per_thread: 4,
            },
        ];
        let own = |users| Demand::of(Placement::THREADS, users, "load");
        assert!(own(16_350).first_exceeded(&limits).is_none());
        let error = own(32_000).first_exceeded(&limits).unwrap();
        assert_eq!(error.path, "load");
        assert_eq!(
            error.text,
            "32000 threads need 128130 memory mappings, but only 65530 are allowed (vm.max_map_count)"
        );
        assert!(error.hint.contains("at most 16350 users"), "{error}");
        assert!(error.hint.contains("placement `task`"), "{error}");
        assert!(error.hint.contains("sysctl -w vm.max_map_count"), "{error}");

        // Threads of tasks that no user would have are not started.
        let mut placement = Placement::TASKS;
        placement.task.as_mut().unwrap().threads = NonZeroU16::new(32_000);
        let shared = |users| Demand::of(placement, users, "load");
        assert!(shared(10).first_exceeded(&limits).is_none());
        let error = shared(100_000).first_exceeded(&limits).unwrap();
        assert_eq!(error.path, "placement.task.threads");
        assert!(error.text.starts_with("32000 threads"), "{error}");
        assert!(
            error.hint.contains("at most 16350 threads, or raise"),
            "{error}"
        );
    }

    #[test]
    fn this_machine_lets_a_few_threads_run_and_not_any_number() {
        let own = |users| Demand::of(Placement::THREADS, users, "load");
        own(FEW).check().unwrap();
        let error = own(1 << 40).check().unwrap_err();
        assert_eq!(error.path, "load");
        assert!(!error.hint.is_empty());
    }
}
