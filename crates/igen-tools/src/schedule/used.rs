//! What programs have used that were waited for: unsafe code for one system call.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::time::Duration;

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
