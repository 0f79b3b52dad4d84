//! One execution of a program, scheduled in one way.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio, id};
use std::thread;
use std::time::{Duration, Instant};

use igen_job::Scheduling;
use igen_kernel::group::Group;
use igen_kernel::{scheduling, started};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open, waitid,
};

use super::guard::{Guard, Watched};
use super::used::Used;
use crate::emit::Emit;

/// Before Linux 5.3 nobody tells the moment in which it ends.
const LOOK: Duration = Duration::from_millis(2);
/// How soon it is heard that the tool shall stop, or that the time is over.
const WAIT: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 10_000_000,
};

/// How it went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Attempt {
    pub(super) way: Scheduling,
    pub(super) wall: Duration,
    pub(super) used: Used,
    pub(super) end: End,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Well,
    /// With another code than 0, or by a signal.
    Badly(ExitStatus),
    /// It was ended when its time was over.
    Limit,
    /// It was ended because the tool shall.
    Stopped,
}

/// Runs a command of the shell. What it has started ends with it: all in its control group, where the kernel has one for it,
/// else what stays in its group of processes.
pub(super) fn attempt(
    command: &str,
    way: Scheduling,
    limit: Duration,
    guard: Option<&mut Guard>,
    emit: &Emit,
) -> io::Result<Attempt> {
    let control = Group::make(&format!("igen-{}", id())).ok();
    let done = attempt_in(control.as_ref(), command, way, limit, guard, emit);
    if let Some(control) = control {
        // What makes a session of its own has left the group of processes.
        control.end()?;
    }
    done
}

fn attempt_in(
    control: Option<&Group>,
    command: &str,
    way: Scheduling,
    limit: Duration,
    guard: Option<&mut Guard>,
    emit: &Emit,
) -> io::Result<Attempt> {
    let before = Used::read();
    let begun = Instant::now();
    let mut program = start(control, command, way, limit)?;
    if let Some(guard) = guard {
        guard.watch(&Watched::Group(program.id(), control.cloned()))?;
    }
    let group = Pid::from_raw(program.id().cast_signed()).ok_or(io::ErrorKind::NotFound)?;
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let ends = pidfd_open(group, PidfdFlags::empty()).ok();
    let mut cut = None;
    // Until it is waited for, nobody else has its id.
    while waitid(WaitId::Pid(group), look)?.is_none() {
        if emit.stopped() {
            cut = Some(End::Stopped);
        } else if begun.elapsed() > limit {
            cut = Some(End::Limit);
        }
        if cut.is_some() {
            break;
        }
        match &ends {
            Some(ends) => drop(poll(&mut [PollFd::new(ends, PollFlags::IN)], Some(&WAIT))),
            None => thread::sleep(LOOK),
        }
    }
    let wall = begun.elapsed();
    // It fails only where all of the group have just ended.
    let _ = kill_process_group(group, Signal::KILL);
    let status = program.wait()?;
    let end = cut.unwrap_or(if status.success() {
        End::Well
    } else {
        End::Badly(status)
    });
    Ok(Attempt {
        way,
        wall,
        used: Used::read().since(before),
        end,
    })
}

/// A thread of its own is scheduled like that, and what it starts inherits it.
fn start(
    control: Option<&Group>,
    command: &str,
    way: Scheduling,
    limit: Duration,
) -> io::Result<Child> {
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    if let Some(control) = control {
        started::start_within(control, &mut shell)?;
    }
    if way == Scheduling::Autogroup {
        scheduling::start_in_lifted_session(&mut shell);
    } else {
        shell.process_group(0);
    }
    if way.is_fixed() {
        scheduling::limit_fixed(limit)?;
    }
    let started = thread::spawn(move || {
        scheduling::take(way)?;
        shell.spawn()
    });
    let started = started.join();
    started.unwrap_or_else(|_| Err(io::Error::other("the thread that starts it failed")))
}
