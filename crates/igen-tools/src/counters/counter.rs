//! One counter of the kernel's perf events: the only unsafe code of those who count.

#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{FromRawFd, OwnedFd};

use super::Event;

/// `PERF_ATTR_SIZE_VER5` of `struct perf_event_attr`, and where its fields are.
const ATTRIBUTES: usize = 112;
const SIZE_AT: usize = 4;
const CONFIG_AT: usize = 8;
const READ_FORMAT_AT: usize = 32;
const FLAGS_AT: usize = 40;
/// Each reading says for how long the event was wanted, and for how long it was counted.
const TIMES: u64 = 1 | 2;
/// Threads and processes that are started later count too.
const INHERIT: u64 = 1 << 1;
const WITHOUT_KERNEL: u64 = 1 << 5;
const WITHOUT_HYPERVISOR: u64 = 1 << 6;
/// The descriptor does not outlive this program in others that it starts.
const CLOSE_ON_EXEC: libc::c_ulong = 8;

/// Whose events are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// All that runs on a processor.
    Processor(i32),
    /// A thread, and those that it starts.
    Thread(i32),
}

/// In whose code events are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Within {
    All,
    /// The programs' own, which needs fewer rights.
    Programs,
}

/// An event that is being counted since it was opened. It ends with this process, however that ends.
pub(crate) struct Counter(File);

/// What was counted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Reading {
    /// Scaled up where the event shared its counter with others.
    pub(crate) count: f64,
    /// For how long it was to be counted, and was. What was wanted and not counted is not known, and no 0.
    pub(crate) wanted_ns: u64,
    pub(crate) counted_ns: u64,
}

impl Counter {
    /// Begins to count. An error where there is no such counter, or not for this user.
    pub(crate) fn open(event: Event, of: Of, within: Within) -> io::Result<Self> {
        let mut attributes = [0_u8; ATTRIBUTES];
        let mut put =
            |at: usize, bytes: &[u8]| attributes[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &event.kind().to_ne_bytes());
        put(
            SIZE_AT,
            &u32::try_from(ATTRIBUTES).unwrap_or(0).to_ne_bytes(),
        );
        put(CONFIG_AT, &event.config.to_ne_bytes());
        put(READ_FORMAT_AT, &TIMES.to_ne_bytes());
        let (pid, processor, inherit) = match of {
            Of::Processor(number) => (-1, number, 0),
            Of::Thread(id) => (id, -1, INHERIT),
        };
        let left_out = match within {
            Within::All => 0,
            Within::Programs => WITHOUT_KERNEL | WITHOUT_HYPERVISOR,
        };
        put(FLAGS_AT, &(inherit | left_out).to_ne_bytes());
        // SAFETY: the attributes are as long as they say, and outlive the call, which only reads them.
        let opened = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                attributes.as_ptr(),
                pid,
                processor,
                -1,
                CLOSE_ON_EXEC,
            )
        };
        let descriptor = i32::try_from(opened).unwrap_or(-1);
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just opened it, and nobody else knows it.
        let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
        Ok(Self(File::from(descriptor)))
    }

    /// What was counted since it was opened.
    pub(crate) fn read(&mut self) -> io::Result<Reading> {
        let mut bytes = [0; 24];
        self.0.read_exact(&mut bytes)?;
        let numbers: Vec<u64> = bytes
            .as_chunks()
            .0
            .iter()
            .map(|word| u64::from_ne_bytes(*word))
            .collect();
        Ok(scaled(numbers[0], numbers[1], numbers[2]))
    }
}

fn scaled(count: u64, wanted_ns: u64, counted_ns: u64) -> Reading {
    let scale = wanted_ns as f64 / counted_ns.max(1) as f64;
    Reading {
        count: if counted_ns == 0 {
            0.0
        } else {
            count as f64 * scale
        },
        wanted_ns,
        counted_ns,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]

    use super::*;

    #[test]
    fn a_count_is_scaled_to_the_time_in_which_it_was_wanted() {
        assert_eq!(
            scaled(10, 100, 50),
            Reading {
                count: 20.0,
                wanted_ns: 100,
                counted_ns: 50
            }
        );
        let never = Reading {
            wanted_ns: 100,
            ..Reading::default()
        };
        assert_eq!(scaled(0, 100, 0), never);
        assert_eq!(scaled(0, 0, 0), Reading::default());
    }
}
