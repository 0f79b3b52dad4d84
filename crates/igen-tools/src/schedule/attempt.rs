//! One execution of a program, scheduled in one way.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use igen_job::Scheduling;
use igen_kernel::scheduling;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::guard::{Guard, Watched};
use super::used::Used;
use crate::emit::Emit;

const LOOK: Duration = Duration::from_millis(2);

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

/// Runs a command of the shell. What it has started in its group ends with it.
pub(super) fn attempt(
    command: &str,
    way: Scheduling,
    limit: Duration,
    guard: Option<&mut Guard>,
    emit: &Emit,
) -> io::Result<Attempt> {
    let before = Used::read();
    let begun = Instant::now();
    let mut program = start(command, way, limit)?;
    if let Some(guard) = guard {
        guard.watch(&Watched::Group(program.id()))?;
    }
    let group = Pid::from_raw(program.id().cast_signed()).ok_or(io::ErrorKind::NotFound)?;
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
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
        thread::sleep(LOOK);
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
fn start(command: &str, way: Scheduling, limit: Duration) -> io::Result<Child> {
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::null());
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
