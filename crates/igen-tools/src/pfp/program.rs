//! A program that is started to be watched. The process that watches starts it: where `kernel.yama.ptrace_scope` is 1,
//! only those before it may trace it.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use igen_job::JobError;
use rustix::process::{Pid, Signal, kill_process_group};

/// A program in a group of its own; it is told to end when this is dropped.
pub(super) struct Program(Child);

impl Program {
    /// Starts a command of the shell.
    pub(super) fn start(command: &str) -> Result<Self, JobError> {
        // Standard output is the tool's own.
        let started = Command::new("/bin/sh")
            .args(["-c", command])
            .stdin(Stdio::null())
            .stdout(io::stderr())
            .process_group(0)
            .spawn();
        started
            .map(Self)
            .map_err(|error| JobError::at("--run", format!("cannot be started: {error}")))
    }

    /// The id of the shell, which many shells hand on to the command.
    pub(super) fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Until it is waited for, nobody else has its id.
        if let Ok(None) = self.0.try_wait()
            && let Some(group) = Pid::from_raw(self.0.id().cast_signed())
        {
            // It fails only where all of the group have just ended.
            let _ = kill_process_group(group, Signal::TERM);
        }
    }
}
