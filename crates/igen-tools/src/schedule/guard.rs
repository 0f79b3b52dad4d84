//! A process that ends a program of fixed priority when the tool cannot any more.
//!
//! Such a program may keep all processors: nobody else could end it. The guard is above it, waits at its standard input,
//! and is told which group of processes runs. When the tool ends, however it does, the input ends, and so does the group.

use std::env;
use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use igen_job::JobError;
use rustix::process::{Pid, Signal, kill_process_group};

use super::way::guard;

/// What the process says when it is above the others.
const READY: &str = "ready";

/// The process, as the tool sees it.
pub(super) struct Guard(Child);

impl Guard {
    /// Starts it. An error where no thread may have a fixed priority.
    pub(super) fn start() -> io::Result<Self> {
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

    /// Says which group runs now; 0 for none.
    pub(super) fn watch(&mut self, group: u32) -> io::Result<()> {
        let input = self.0.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(input, "{group}")
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        // It ends with its input.
        let _ = self.0.wait();
    }
}

/// What the process does.
pub(super) fn run() -> Result<(), JobError> {
    guard().map_err(|error| JobError::new(format!("no fixed priority: {error}")))?;
    println!("{READY}");
    let mut group = None;
    for line in io::stdin().lines().map_while(Result::ok) {
        group = line.parse().ok().and_then(Pid::from_raw);
    }
    if let Some(group) = group {
        // It fails only where all of the group have just ended.
        let _ = kill_process_group(group, Signal::KILL);
    }
    Ok(())
}
