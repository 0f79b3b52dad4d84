//! The processes that live now, and what `/proc` says of each.

use std::fs;

use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

/// What a line of `/proc/<pid>/stat` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    /// In brackets for a thread of the kernel, as ps shows it.
    pub(crate) name: String,
    /// True if it is a thread of the kernel.
    pub(crate) of_kernel: bool,
    /// Id of its session; 0 for none, as threads of the kernel have.
    pub(crate) session: u32,
    /// True if its first thread has ended: others may go on.
    pub(crate) first_ended: bool,
    /// Threads that have not ended, and the first one whether it has or not.
    pub(crate) threads: u64,
    /// User and system time in ticks of the clock, of threads that have ended too.
    pub(crate) used_ticks: u64,
    /// The same of those that it has waited for, and of all that these have waited for.
    pub(crate) waited_ticks: u64,
    /// When it was started, since the machine was: with the pid it tells a process from a later one of the same pid.
    pub(crate) start_ticks: u64,
}

impl Process {
    /// Returns true if all of it has ended, and it only waits to be waited for.
    pub(crate) fn has_ended(&self) -> bool {
        self.first_ended && self.threads <= 1
    }
}

/// `PF_KTHREAD` of the kernel's include/linux/sched.h.
const KERNEL_THREAD: u64 = 0x0020_0000;

/// All that live.
pub(crate) fn living() -> Vec<Process> {
    pids().filter_map(process).collect()
}

/// The process of that id; none where it has ended.
pub(crate) fn process(pid: u32) -> Option<Process> {
    let line = fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse(pid, &String::from_utf8_lossy(&line))
}

/// The present, as `start_ticks` counts.
pub(crate) fn now_ticks() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    let per_second = clock_ticks_per_second();
    let whole = now.tv_sec.cast_unsigned() * per_second;
    whole + now.tv_nsec.cast_unsigned() * per_second / 1_000_000_000
}

/// Ids of all that live.
pub(crate) fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The name may hold spaces and brackets: it ends at the last one. Fields as in `proc_pid_stat(5)`.
fn parse(pid: u32, line: &str) -> Option<Process> {
    let (_, rest) = line.split_once('(')?;
    let (name, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // The first of these is the third of the manual.
    let number = |field: usize| -> Option<u64> { fields.get(field - 3)?.parse().ok() };
    let of_kernel = number(9)? & KERNEL_THREAD != 0;
    Some(Process {
        pid,
        name: if of_kernel {
            format!("[{name}]")
        } else {
            name.to_owned()
        },
        of_kernel,
        session: fields.get(3)?.parse().ok()?,
        first_ended: matches!(fields.first(), Some(&("Z" | "X"))),
        used_ticks: number(14)? + number(15)?,
        threads: number(20)?,
        // Signed in the kernel, and never below 0 in what it counts.
        waited_ticks: number(16)? + number(17)?,
        start_ticks: number(22)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_are_where_the_manual_says() {
        let line = "7 (a) b) S 1 7 7 0 -1 4194304 97 0 0 0 700 80 30 4 20 0 2 0 99894 0 0\n";
        let expected = Process {
            pid: 7,
            name: "a) b".into(),
            of_kernel: false,
            session: 7,
            first_ended: false,
            threads: 2,
            used_ticks: 780,
            waited_ticks: 34,
            start_ticks: 99894,
        };
        assert_eq!(parse(7, line), Some(expected));
        let kernel = parse(2, &line.replace(" 4194304 ", " 2129984 "));
        assert_eq!(
            kernel.map(|process| process.name).as_deref(),
            Some("[a) b]")
        );
        assert_eq!(parse(7, &line[..30]), None);
        let first_gone = line.replace(" S ", " Z ");
        let all_gone = first_gone.replace(" 20 0 2 0 ", " 20 0 1 0 ");
        for (line, first_ended, has_ended) in [
            (line, false, false),
            (&line.replace(" 20 0 2 0 ", " 20 0 1 0 "), false, false),
            (&first_gone, true, false),
            (&all_gone, true, true),
        ] {
            let process = parse(7, line);
            let found = process.map(|one| (one.first_ended, one.has_ended()));
            assert_eq!(found, Some((first_ended, has_ended)), "{line}");
        }
    }

    #[test]
    fn this_process_lives() {
        let own = process(std::process::id());
        assert!(own.is_some_and(|one| !one.has_ended() && one.start_ticks <= now_ticks()));
        assert!(living().iter().any(|one| one.pid == std::process::id()));
    }
}
