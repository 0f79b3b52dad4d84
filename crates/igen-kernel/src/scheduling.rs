//! How the kernel is told to schedule: unsafe code for one system call, and for what a new process does before its program.
//!
//! `sched_setattr(2)`, `sched(7)`; `RLIMIT_RTTIME` of `setrlimit(2)`.

#![allow(unsafe_code)]

use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use igen_job::Scheduling;
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getpid, getrlimit, getsid, setrlimit, setsid};
use rustix::system::uname;

/// Priority of what is scheduled; whoever watches over it is above.
const FIXED_PRIORITY: u32 = 1;
const PRIORITY_ABOVE: u32 = 50;
const NICE: i32 = -10;
/// The longest that the kernel grants.
const SLICE_NS: u64 = 100_000_000;
/// The shortest that the kernel grants.
const SHORT_SLICE_NS: u64 = 100_000;
const BEST_NICE: i32 = -20;
/// Nice value that the process was started with.
static OWN_NICE: OnceLock<Option<i32>> = OnceLock::new();
/// From the signal of the end, which a program may refuse, to the one that none can.
const UNTIL_KILLED: Duration = Duration::from_secs(1);
const FIRST_WITH_SLICES: (u32, u32) = (6, 12);

/// `struct sched_attr` of include/uapi/linux/sched/types.h, in its first size.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime_ns: u64,
    deadline_ns: u64,
    period_ns: u64,
}

/// Schedules the calling thread like this, and whatever it starts. `Autogroup` is of whole processes: their threads are as
/// all others.
pub fn take(way: Scheduling) -> io::Result<()> {
    let own = Attributes::default();
    set(match way {
        Scheduling::Other | Scheduling::Autogroup => own,
        Scheduling::Batch => of_policy(libc::SCHED_BATCH),
        Scheduling::Idle => of_policy(libc::SCHED_IDLE),
        Scheduling::Nice => Attributes { nice: NICE, ..own },
        Scheduling::Slice => Attributes {
            runtime_ns: SLICE_NS,
            ..own
        },
        Scheduling::Fifo => fixed(libc::SCHED_FIFO, FIXED_PRIORITY),
        Scheduling::Rr => fixed(libc::SCHED_RR, FIXED_PRIORITY),
    })
}

/// Lets the calling thread run soon whenever it wakes, however many threads keep the processors busy: a short slice, and
/// the best nice value if this process may take it. Only for threads that work little: whatever they start is lifted
/// too, unless it is `lower`ed. A policy that the process was started with is kept.
pub fn lift() -> io::Result<()> {
    let Some(own) = *OWN_NICE.get_or_init(own_nice) else {
        return Ok(());
    };
    let lifted = |nice| Attributes {
        nice,
        runtime_ns: SHORT_SLICE_NS,
        ..Attributes::default()
    };
    set(lifted(BEST_NICE)).or_else(|_| set(lifted(own)))
}

/// Schedules the calling thread as the process was, before any of its threads was lifted.
pub fn lower() -> io::Result<()> {
    match OWN_NICE.get() {
        Some(Some(own)) => set(Attributes {
            nice: *own,
            ..Attributes::default()
        }),
        _ => Ok(()),
    }
}

/// Returns the nice value of the calling thread; nothing if it is scheduled by another policy than the usual one.
fn own_nice() -> Option<i32> {
    // SAFETY: the call reads no memory of this process.
    let policy = unsafe { libc::sched_getscheduler(0) };
    let nice = rustix::process::getpriority_process(None).ok()?;
    (policy == libc::SCHED_OTHER).then_some(nice)
}

/// Puts the calling thread above everything that `take` schedules.
pub fn above() -> io::Result<()> {
    set(fixed(libc::SCHED_FIFO, PRIORITY_ABOVE))
}

/// An error where this process cannot be scheduled like that. Nothing changes.
pub fn possible(way: Scheduling) -> io::Result<()> {
    match way {
        Scheduling::Slice => {
            let release = uname().release().to_string_lossy().into_owned();
            if !knows_slices(&release) {
                // It would take it for `other`, without a word.
                let text = format!("Linux {release} has no slices, 6.12 has");
                return Err(io::Error::new(io::ErrorKind::Unsupported, text));
            }
        }
        Scheduling::Autogroup => autogroup_counts()?,
        _ => {}
    }
    let as_thread = if way == Scheduling::Autogroup {
        Scheduling::Nice
    } else {
        way
    };
    // Only a thread of its own is changed.
    let tried = thread::spawn(move || take(as_thread)).join();
    tried.unwrap_or_else(|_| Err(io::Error::other("the thread failed")))
}

/// This process leaves its session for one of its own, unless it leads one. An error where it leads a group of
/// processes in another session.
pub fn lead_session() -> io::Result<()> {
    match setsid() {
        Ok(_) => Ok(()),
        Err(Errno::PERM) if getsid(None) == Ok(getpid()) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The session of this process has nice -10 as a whole, or 0 again.
pub fn lift_session(lifted: bool) -> io::Result<()> {
    let nice = if lifted { NICE } else { 0 };
    fs::write("/proc/self/autogroup", nice.to_string())
}

/// Makes `command` start its program in a separate session that has nice -10 as a whole.
pub fn start_in_lifted_session(command: &mut Command) {
    // SAFETY: between fork and exec, in a copy of one thread of a process that may have others: system calls only, on
    // memory that is there, without allocation.
    unsafe {
        command.pre_exec(|| {
            setsid()?;
            let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::CLOEXEC;
            let file = rustix::fs::open(c"/proc/self/autogroup", flags, rustix::fs::Mode::empty())?;
            rustix::io::write(&file, b"-10")?;
            Ok(())
        });
    }
}

/// The kernel itself ends a process, and what it starts from now on, one of whose threads had a processor at a fixed
/// priority for so long without waiting: should all who watch over it be killed, the machine comes back all the same. A
/// program may refuse the signal of the end (`SIGXCPU`): it is killed a second later. The kernel counts anew whenever the
/// thread waits, however shortly.
///
/// This process cannot take the limit back, unless it has the capability `SYS_RESOURCE`.
pub fn limit_fixed(longest: Duration) -> io::Result<()> {
    let most = getrlimit(Resource::Rttime).maximum;
    setrlimit(Resource::Rttime, limits(longest, most))?;
    Ok(())
}

/// Limits in µs where none above `most` is possible.
fn limits(longest: Duration, most: Option<u64>) -> Rlimit {
    let within = |limit: Duration| {
        let limit_us = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX - 1);
        Some(most.map_or(limit_us, |most| most.min(limit_us)))
    };
    Rlimit {
        current: within(longest),
        maximum: within(longest.saturating_add(UNTIL_KILLED)),
    }
}

/// An error where sessions are not what processors are shared between.
fn autogroup_counts() -> io::Result<()> {
    let refuse = |text: &str| Err(io::Error::new(io::ErrorKind::Unsupported, text.to_owned()));
    let on = fs::read_to_string("/proc/sys/kernel/sched_autogroup_enabled").unwrap_or_default();
    if on.trim() != "1" {
        return refuse("autogroup is off (kernel.sched_autogroup_enabled)");
    }
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    if shares_by_control_group(&groups, |path| fs::exists(path).unwrap_or(false)) {
        return refuse(
            "processors are shared between control groups here, and not between sessions",
        );
    }
    Ok(())
}

/// Returns true if a control group shares processors among processes; sessions do not share them then. `groups` is the
/// text of `/proc/self/cgroup`.
fn shares_by_control_group(groups: &str, exists: impl Fn(&str) -> bool) -> bool {
    groups.lines().any(|line| {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) =
            (fields.next(), fields.next(), fields.next())
        else {
            return false;
        };
        if !controllers.is_empty() {
            return controllers.split(',').any(|one| one == "cpu") && path != "/";
        }
        // It is enough that one above it has shares.
        path.match_indices('/')
            .map(|(at, _)| &path[..at])
            .chain([path])
            .filter(|path| path.len() > 1)
            .any(|path| exists(&format!("/sys/fs/cgroup{path}/cpu.weight")))
    })
}

fn knows_slices(release: &str) -> bool {
    let mut numbers = release
        .split(['.', '-'])
        .map_while(|word| word.parse::<u32>().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= FIRST_WITH_SLICES
}

fn of_policy(policy: libc::c_int) -> Attributes {
    Attributes {
        policy: policy.cast_unsigned(),
        ..Attributes::default()
    }
}

fn fixed(policy: libc::c_int, priority: u32) -> Attributes {
    Attributes {
        priority,
        ..of_policy(policy)
    }
}

fn set(mut attributes: Attributes) -> io::Result<()> {
    attributes.size = u32::try_from(size_of::<Attributes>()).map_err(io::Error::other)?;
    // SAFETY: the kernel reads as many bytes as the structure says that it has, and it outlives the call.
    let done = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    if done == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_thread_that_was_lifted_and_lowered_is_as_it_was() {
        let nice = || rustix::process::getpriority_process(None).unwrap();
        let before = nice();
        let lifted = thread::spawn(move || {
            lift().unwrap();
            let lifted = nice();
            let started = thread::spawn(move || {
                lower().unwrap();
                nice()
            });
            (lifted, started.join().unwrap())
        });
        let (lifted, lowered) = lifted.join().unwrap();
        assert!(lifted == BEST_NICE || lifted == before, "{lifted}");
        assert_eq!(lowered, before);
        assert_eq!(nice(), before);
    }

    #[test]
    fn slices_came_with_linux_6_12() {
        for (release, known) in [
            ("6.12.3", true),
            ("6.1.0-9", false),
            ("7.0-rc1", true),
            ("5.15", false),
        ] {
            assert_eq!(knows_slices(release), known, "{release}");
        }
    }

    #[test]
    fn the_limit_that_kills_comes_a_second_after_the_one_that_warns() {
        let s = 1_000_000;
        for (longest_s, most, current, maximum) in [
            (30, None, 30 * s, 31 * s),
            (30, Some(90 * s), 30 * s, 31 * s),
            (30, Some(31 * s), 30 * s, 31 * s),
            (30, Some(20 * s), 20 * s, 20 * s),
            (u64::MAX, None, u64::MAX - 1, u64::MAX - 1),
        ] {
            let found = limits(Duration::from_secs(longest_s), most);
            let expected = (Some(current), Some(maximum));
            assert_eq!(
                (found.current, found.maximum),
                expected,
                "{longest_s} {most:?}"
            );
        }
    }

    #[test]
    fn whoever_has_no_rights_may_wait() {
        for (way, policy) in [
            (Scheduling::Batch, libc::SCHED_BATCH),
            (Scheduling::Idle, libc::SCHED_IDLE),
        ] {
            possible(way).unwrap();
            thread::spawn(move || {
                take(way).unwrap();
                let own = fs::read_to_string("/proc/thread-self/stat").unwrap();
                // The 41st field, counted from behind the name.
                let found = own.rsplit(") ").next().unwrap().split(' ').nth(38).unwrap();
                assert_eq!(found, policy.to_string());
            })
            .join()
            .unwrap();
        }
    }

    #[test]
    fn control_groups_with_shares_have_no_sessions() {
        let service = "0::/system.slice/igen.service\n";
        for (groups, with_shares, expected) in [
            ("0::/\n", "", false),
            (service, "", false),
            (service, "/sys/fs/cgroup/system.slice/cpu.weight", true),
            (
                service,
                "/sys/fs/cgroup/system.slice/igen.service/cpu.weight",
                true,
            ),
            ("4:cpu,cpuacct:/a\n0::/\n", "", true),
            ("4:cpu,cpuacct:/\n3:cpuset:/a\n", "", false),
            ("", "", false),
        ] {
            let found = shares_by_control_group(groups, |path| path == with_shares);
            assert_eq!(found, expected, "{groups:?} {with_shares}");
        }
    }
}
