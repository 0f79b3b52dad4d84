//! A process that ends programs of fixed priority when whoever started them cannot any more.
//!
//! Such a program may keep all processors: nobody else could end it. The guard is above it, waits at its standard input,
//! and is told which processes it is about. When whoever told it ends, however it does, the input ends, and so do they.
//!
//! The input may stay open: threads of a process that was killed have to run once more to end, and those of a fixed priority
//! do not get to run beside programs that never wait. So the guard looks also whether the first thread is there.
//!
//! It ends what stays in its group or session, and all of a control group where whoever told it has made one. Only who may move
//! processes, as root may, leaves that one, and what a manager of services is asked to start was never in it. What is in none of
//! these only the kernel ends, by the limit that it has from its starter (`limit_fixed`): where it never waits.

use std::env;
use std::fmt;
use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio, id};
use std::str::FromStr;

use igen_job::JobError;
use igen_kernel::group::Group;
use igen_kernel::scheduling;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, getppid, kill_process, kill_process_group};

use crate::processes::{living, process};

/// What the process says when it is above the others.
const READY: &str = "ready";
/// How often it looks whether whoever started it is there.
const LOOK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};
/// Processes of a session that start others while they are killed are looked for so often.
const LOOKS: usize = 1000;

/// The process, as whoever started it sees it.
pub struct Guard(Child);

/// What ends when the guard's input does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Watched {
    /// A group of processes, and all of the control group.
    Group(u32, Option<Group>),
    /// All processes that are in a session when it ends, but the guard, and all of the control group. One that has made a
    /// session of its own (`setsid`) is in the session no more.
    Session(u32, Option<Group>),
}

impl Guard {
    /// Starts it. An error where no thread may have a fixed priority.
    pub fn start() -> io::Result<Self> {
        let mut process = Command::new(env::current_exe()?)
            .args(["tool", "schedule", "--guard"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let mut answer = String::new();
        if let Some(output) = process.stdout.take() {
            io::BufReader::new(output).read_line(&mut answer)?;
        }
        let started = Self(process);
        if answer.contains(READY) {
            Ok(started)
        } else {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }

    /// Says what it is about from now on.
    pub fn watch(&mut self, watched: &Watched) -> io::Result<()> {
        let input = self.0.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(input, "{watched}")
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // It ends with its input.
        let _ = self.0.wait();
    }
}

impl fmt::Display for Watched {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, id, group) = match self {
            Self::Group(id, group) => ("group", id, group),
            Self::Session(id, group) => ("session", id, group),
        };
        write!(formatter, "{kind} {id}")?;
        match group {
            Some(group) => write!(formatter, " {}", group.folder().display()),
            None => Ok(()),
        }
    }
}

impl FromStr for Watched {
    type Err = ();

    fn from_str(line: &str) -> Result<Self, ()> {
        let mut words = line.splitn(3, ' ');
        let kind = words.next();
        let id = words.next().and_then(|id| id.parse().ok()).ok_or(())?;
        let group = words.next().map(Group::at);
        match kind {
            Some("group") => Ok(Self::Group(id, group)),
            Some("session") => Ok(Self::Session(id, group)),
            _ => Err(()),
        }
    }
}

/// What the process does.
pub(super) fn run() -> Result<(), JobError> {
    scheduling::above()
        .map_err(|error| JobError::new(format!("cannot set a fixed priority: {error}")))?;
    println!("{READY}");
    if let Some(watched) = told_until_the_end() {
        let (Watched::Group(_, group) | Watched::Session(_, group)) = &watched;
        if let Some(group) = group {
            // Where it fails, there is the other still.
            let _ = group.end();
        }
        match watched {
            Watched::Group(id, _) => {
                if let Some(group) = Pid::from_raw(id.cast_signed()) {
                    // It fails only where all of the group have ended.
                    let _ = kill_process_group(group, Signal::KILL);
                }
            }
            Watched::Session(id, _) => end_session(id),
        }
    }
    Ok(())
}

/// What it was told last, when whoever told it has ended.
fn told_until_the_end() -> Option<Watched> {
    let starter = getppid();
    let input = io::stdin();
    let (mut told, mut bytes) = (Vec::new(), [0; 256]);
    loop {
        match poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&LOOK)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => match rustix::io::read(&input, &mut bytes) {
                Ok(0) | Err(_) => break,
                Ok(length) => told.extend_from_slice(&bytes[..length]),
            },
            Err(_) => break,
        }
        let lives = |pid: Pid| process(pid.as_raw_nonzero().get().cast_unsigned());
        let is_there = starter.and_then(lives).is_some_and(|one| !one.first_ended);
        if getppid() != starter || !is_there {
            break;
        }
    }
    let text = String::from_utf8_lossy(&told);
    text.lines().next_back()?.parse().ok()
}

fn end_session(session: u32) {
    for _ in 0..LOOKS {
        let mut all_ended = true;
        for process in living() {
            if process.session == session && process.pid != id() {
                all_ended &= process.has_ended();
                if let Some(pid) = Pid::from_raw(process.pid.cast_signed()) {
                    // Whatever its state: threads go on whose first one has ended. It may just have ended, too.
                    let _ = kill_process(pid, Signal::KILL);
                }
            }
        }
        if all_ended {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_watched_is_understood_as_it_is_said() {
        let group = Some(Group::at("/sys/fs/cgroup/a group/igen-7"));
        for watched in [
            Watched::Group(7, None),
            Watched::Group(7, group.clone()),
            Watched::Session(4_000_000, None),
            Watched::Session(7, group),
        ] {
            assert_eq!(watched.to_string().parse(), Ok(watched));
        }
        for nonsense in ["", "group", "group x", "session -1", "all 7"] {
            assert_eq!(nonsense.parse::<Watched>(), Err(()), "{nonsense}");
        }
    }
}
