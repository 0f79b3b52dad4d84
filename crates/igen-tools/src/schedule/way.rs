//! Ways to give processors to a program, and how the kernel is told: unsafe code for two system calls.

#![allow(unsafe_code)]

use std::io;
use std::mem::MaybeUninit;
use std::time::Duration;

use clap::ValueEnum;

/// A way to schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub(super) enum Way {
    /// As everything else, with nice 0.
    Other,
    /// As a job that nobody waits for.
    Batch,
    /// With nice -10.
    Nice,
    /// As everything else, in slices of 100 ms (Linux 6.12 and later).
    Slice,
    /// At a fixed priority above everything else, until it waits.
    Fifo,
    /// The same, in turns with its like.
    Rr,
}

/// Priority of the programs; guards are above it.
const PROGRAM_PRIORITY: u32 = 1;
/// Priority of whoever ends a program that goes on for too long.
const GUARD_PRIORITY: u32 = 50;
const NICE: i32 = -10;
/// The longest that the kernel grants.
const SLICE_NS: u64 = 100_000_000;

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

impl Way {
    /// Its name on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Other => "other",
            Self::Batch => "batch",
            Self::Nice => "nice",
            Self::Slice => "slice",
            Self::Fifo => "fifo",
            Self::Rr => "rr",
        }
    }

    /// Whether a program that never waits would keep a processor for itself.
    pub(super) fn is_fixed(self) -> bool {
        matches!(self, Self::Fifo | Self::Rr)
    }

    /// Whether a kernel of this release knows it: an older one takes it for `other`, without a word.
    pub(super) fn is_known(self, release: &str) -> bool {
        let mut numbers = release
            .split(['.', '-'])
            .map_while(|word| word.parse::<u32>().ok());
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        self != Self::Slice || version >= (6, 12)
    }

    /// Schedules the calling thread like this, and whatever it starts.
    pub(super) fn take(self) -> io::Result<()> {
        let own = Attributes::default();
        set(match self {
            Self::Other => own,
            Self::Batch => Attributes {
                policy: libc::SCHED_BATCH.cast_unsigned(),
                ..own
            },
            Self::Nice => Attributes { nice: NICE, ..own },
            Self::Slice => Attributes {
                runtime_ns: SLICE_NS,
                ..own
            },
            Self::Fifo => fixed(libc::SCHED_FIFO, PROGRAM_PRIORITY),
            Self::Rr => fixed(libc::SCHED_RR, PROGRAM_PRIORITY),
        })
    }
}

fn fixed(policy: libc::c_int, priority: u32) -> Attributes {
    Attributes {
        policy: policy.cast_unsigned(),
        priority,
        ..Attributes::default()
    }
}

/// Puts the calling thread above all programs.
pub(super) fn guard() -> io::Result<()> {
    set(fixed(libc::SCHED_FIFO, GUARD_PRIORITY))
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

/// What the programs have used that were waited for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) processor: Duration,
    /// How often one lost its processor to another.
    pub(super) involuntary: u64,
    /// How often one waited for something.
    pub(super) voluntary: u64,
}

impl Used {
    /// Until now.
    pub(super) fn read() -> Self {
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the kernel writes one `rusage` to where the argument points, which outlives the call; zeros are valid.
        let usage = unsafe {
            libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
            usage.assume_init()
        };
        let time = |time: libc::timeval| {
            let seconds = Duration::from_secs(time.tv_sec.unsigned_abs());
            seconds + Duration::from_micros(time.tv_usec.unsigned_abs())
        };
        Self {
            processor: time(usage.ru_utime) + time(usage.ru_stime),
            involuntary: usage.ru_nivcsw.unsigned_abs(),
            voluntary: usage.ru_nvcsw.unsigned_abs(),
        }
    }

    /// Since an earlier reading.
    pub(super) fn since(self, earlier: Self) -> Self {
        Self {
            processor: self.processor.saturating_sub(earlier.processor),
            involuntary: self.involuntary.saturating_sub(earlier.involuntary),
            voluntary: self.voluntary.saturating_sub(earlier.voluntary),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn slices_came_with_linux_6_12() {
        for (release, known) in [
            ("6.12.3", true),
            ("6.1.0-9", false),
            ("7.0-rc1", true),
            ("5.15", false),
        ] {
            assert_eq!(Way::Slice.is_known(release), known, "{release}");
            assert!(Way::Batch.is_known(release));
        }
    }

    #[test]
    fn everybody_may_be_a_batch_job() {
        std::thread::spawn(|| {
            Way::Batch.take().unwrap();
            let own = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
            // The 41st field, counted from behind the name.
            let policy = own.rsplit(") ").next().unwrap().split(' ').nth(38).unwrap();
            assert_eq!(policy, libc::SCHED_BATCH.to_string());
        })
        .join()
        .unwrap();
    }
}
