//! A thread that is stopped by ptrace: the only unsafe code of `pfp`.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::process;
use std::ptr;
use std::thread;
use std::time::Duration;

/// Where `struct user` of x86-64 has these registers, in bytes (`sys/user.h`).
const SYSTEM_CALL_AT: usize = 15 * 8;
const ADDRESS_AT: usize = 16 * 8;
const CODE_SEGMENT_AT: usize = 17 * 8;
/// The code segment of programs of 32 bits.
const SEGMENT_OF_32_BITS: libc::c_long = 0x23;

/// How long it is waited for one that fell asleep.
const LOOKS: u32 = 200;
const LOOK: Duration = Duration::from_micros(500);

/// How the C library takes the name of a request.
#[cfg(target_env = "musl")]
type Request = libc::c_int;
#[cfg(not(target_env = "musl"))]
type Request = libc::c_uint;

/// What became of a thread that was to execute one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It has executed it.
    Done,
    /// A signal came first, it stops for another reason, or it has ended.
    Ended,
}

/// Whether this process may trace at all: seccomp, as in many containers, refuses each request, whomever it is about.
pub(super) fn allowed() -> io::Result<()> {
    let own = process::id().cast_signed();
    let nothing = ptr::null_mut::<libc::c_void>();
    // SAFETY: nobody lets go of itself, so that the kernel says that there is no such traced process, and does nothing.
    let asked = unsafe { libc::ptrace(libc::PTRACE_DETACH as Request, own, nothing, nothing) };
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        _ if asked == 0 => Ok(()),
        Some(libc::EPERM | libc::EACCES | libc::ENOSYS) => Err(error),
        _ => Ok(()),
    }
}

/// A thread that stands still. It goes on when this is dropped; the kernel lets it go on when this process ends, but
/// not in the middle of a step (see `apart`).
pub(super) struct Stopped {
    thread: libc::pid_t,
    memory: File,
    /// A signal that it gets when it goes on.
    signal: libc::c_int,
    gone: bool,
}

impl Stopped {
    /// Stops a thread in the moment in which it `runs`. An error where that is forbidden, or the thread has ended; none
    /// where it was stopped already for another reason.
    pub(super) fn stop(thread: u32, runs: fn(u32) -> bool) -> io::Result<Option<Self>> {
        let memory = File::open(format!("/proc/{thread}/mem"))?;
        let mut stopped = Self {
            thread: thread.cast_signed(),
            memory,
            signal: 0,
            gone: true,
        };
        stopped.ask(libc::PTRACE_SEIZE, 0)?;
        stopped.gone = false;
        // To be traced changes nothing for it, and takes long enough to fall asleep in: then it is left to sleep. Only
        // one that stands still can be let go, so that there is an end to this.
        for _ in 0..LOOKS {
            if runs(thread) {
                break;
            }
            thread::sleep(LOOK);
        }
        stopped.ask(libc::PTRACE_INTERRUPT, 0)?;
        let status = stopped.wait()?;
        if status >> 16 == PTRACE_EVENT_STOP && libc::WSTOPSIG(status) == libc::SIGTRAP {
            return Ok(Some(stopped));
        }
        stopped.note(status);
        Ok(None)
    }

    /// Returns true if it stopped on its way out of a system call, which may have to be begun again.
    pub(super) fn in_system_call(&self) -> io::Result<bool> {
        Ok(self.register(SYSTEM_CALL_AT)? >= 0)
    }

    /// Address of the next instruction.
    pub(super) fn address(&self) -> io::Result<u64> {
        Ok(self.register(ADDRESS_AT)?.cast_unsigned())
    }

    /// 32 or 64.
    pub(super) fn bits(&self) -> io::Result<u32> {
        let segment = self.register(CODE_SEGMENT_AT)?;
        Ok(if segment == SEGMENT_OF_32_BITS {
            32
        } else {
            64
        })
    }

    /// Reads its memory; fewer bytes than asked for where memory ends.
    pub(super) fn read(&self, address: u64, bytes: &mut [u8]) -> io::Result<usize> {
        self.memory.read_at(bytes, address)
    }

    /// Lets it execute one instruction.
    pub(super) fn step(&mut self) -> io::Result<Step> {
        self.ask(libc::PTRACE_SINGLESTEP, 0)?;
        let status = self.wait()?;
        if libc::WIFSTOPPED(status) && status >> 8 == libc::SIGTRAP && self.stepped() {
            return Ok(Step::Done);
        }
        self.note(status);
        Ok(Step::Ended)
    }

    /// Returns true if it stands still because of the step, and not because another process has sent the same signal.
    fn stepped(&self) -> bool {
        // SAFETY: plain integers, for which zeros are valid.
        let mut information: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: the kernel writes one `siginfo_t` to where the last argument points, which outlives the call.
        let done = unsafe {
            libc::ptrace(
                libc::PTRACE_GETSIGINFO,
                self.thread,
                ptr::null_mut::<libc::c_void>(),
                &raw mut information,
            )
        };
        done == 0 && information.si_code > 0
    }

    fn note(&mut self, status: libc::c_int) {
        if !libc::WIFSTOPPED(status) {
            self.gone = true;
        } else if status >> 16 == 0 {
            self.signal = libc::WSTOPSIG(status);
        }
    }

    fn ask(&self, request: Request, value: libc::c_int) -> io::Result<()> {
        // SAFETY: the requests that come here take a number and no address, and write nothing in this process.
        let done = unsafe {
            libc::ptrace(
                request,
                self.thread,
                ptr::null_mut::<libc::c_void>(),
                libc::c_long::from(value),
            )
        };
        if done == -1 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    fn register(&self, at: usize) -> io::Result<libc::c_long> {
        let mut value: libc::c_long = 0;
        // SAFETY: the system call itself writes the register to where its last argument points, which outlives it.
        let done = unsafe {
            libc::syscall(
                libc::SYS_ptrace,
                libc::PTRACE_PEEKUSER,
                self.thread,
                at,
                &raw mut value,
            )
        };
        if done == -1 {
            return Err(io::Error::last_os_error());
        }
        Ok(value)
    }

    fn wait(&self) -> io::Result<libc::c_int> {
        let mut status = 0;
        loop {
            // SAFETY: the kernel writes the status, which outlives the call.
            let done = unsafe { libc::waitpid(self.thread, &raw mut status, libc::__WALL) };
            if done == self.thread {
                return Ok(status);
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        if !self.gone {
            // It fails only where the thread was killed meanwhile.
            let _ = self.ask(libc::PTRACE_DETACH, self.signal);
        }
    }
}

/// `include/uapi/linux/ptrace.h`: it was stopped as asked for, or with its whole process.
const PTRACE_EVENT_STOP: libc::c_int = 128;
