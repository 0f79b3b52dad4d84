//! A program that is started to be watched. The process that watches starts it: where `kernel.yama.ptrace_scope` is 1,
//! only those before it may trace it.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio, id};
use std::thread;
use std::time::{Duration, Instant};

use igen_job::JobError;
use igen_kernel::group::Group;
use igen_kernel::started;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// How long a program may take to end when it is told to.
const PATIENCE: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(10);

/// Exit codes of a shell that cannot execute the command.
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;

/// Its input ends when it may go on.
const WAITS: &str = r#"read -r _; exec /bin/sh -c "$1" < /dev/null"#;

/// A program in groups of its own. When this is dropped it is told to end, and killed where it does not, with all that it has
/// started: all in its control group, where the kernel has one for it, else what stays in its group of processes.
pub(super) struct Program {
    shell: Child,
    control: Option<Group>,
}

impl Program {
    /// Starts a shell that waits, and executes the command when it is told to `go`, or when this process has ended.
    pub(super) fn start(command: &str) -> Result<Self, JobError> {
        let control = Group::make(&format!("igen-{}", id())).ok();
        match shell(control.as_ref(), command) {
            Ok(shell) => Ok(Self { shell, control }),
            Err(error) => {
                end(control.as_ref());
                let text = format!("cannot start the command: {error}");
                Err(JobError::at("--run", text))
            }
        }
    }

    /// Lets it execute the command.
    pub(super) fn go(&mut self) {
        drop(self.shell.stdin.take());
    }

    /// How it has failed so far, in words; an error where it is no program at all, or may not be executed.
    pub(super) fn failure(&self) -> Option<Result<String, JobError>> {
        let pid = Pid::from_raw(self.shell.id().cast_signed())?;
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(pid), look).ok()??;
        match (status.exit_status(), status.terminating_signal()) {
            (Some(0), _) | (None, None) => None,
            // As the shell says it.
            (Some(code @ (NOT_EXECUTABLE | NOT_FOUND)), _) => Some(Err(JobError::at(
                "--run",
                format!("cannot execute the command: exit code {code}"),
            )
            .hint("use its path, and make sure that it is executable"))),
            (Some(code), _) => Some(Ok(format!(
                "the command failed with exit code {code}: these figures cover its run until then"
            ))),
            (None, Some(signal)) => Some(Ok(format!(
                "the command was killed by signal {signal}: these figures cover its run until then"
            ))),
        }
    }

    /// The id of the shell, which many shells hand on to the command.
    pub(super) fn pid(&self) -> u32 {
        self.shell.id()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let Some(leader) = Pid::from_raw(self.shell.id().cast_signed()) else {
            return;
        };
        // Until it is waited for, nobody else has its id. It fails only where all of the group have just ended.
        let _ = kill_process_group(leader, Signal::TERM);
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE && !ended(leader) {
            thread::sleep(LOOK);
        }
        // What does not listen, or was left behind.
        let _ = kill_process_group(leader, Signal::KILL);
        let _ = self.shell.wait();
        // What made a session of its own has left the group of processes.
        end(self.control.as_ref());
    }
}

fn shell(control: Option<&Group>, command: &str) -> io::Result<Child> {
    let mut shell = Command::new("/bin/sh");
    // Standard output is the tool's own.
    shell
        .args(["-c", WAITS, "sh", command])
        .stdin(Stdio::piped())
        .stdout(io::stderr())
        .process_group(0);
    if let Some(control) = control {
        started::start_within(control, &mut shell)?;
    }
    shell.spawn()
}

/// Nobody is left to be told where the kernel refuses it.
fn end(control: Option<&Group>) {
    let _ = control.map(Group::end);
}

fn ended(pid: Pid) -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(pid), look), Ok(None))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn how_a_program_failed_is_told() {
        let failure = |command: &str| {
            let mut program = Program::start(command).unwrap();
            program.go();
            let leader = Pid::from_raw(program.shell.id().cast_signed()).unwrap();
            let wait = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            waitid(WaitId::Pid(leader), wait).unwrap();
            program.failure()
        };
        assert_eq!(failure("true"), None);
        assert!(failure("exit 3").unwrap().unwrap().contains("exit code 3"));
        assert!(failure("kill -9 $$").unwrap().unwrap().contains("signal 9"));
        let error = failure("/no/such/program 2> /dev/null")
            .unwrap()
            .unwrap_err();
        assert_eq!(error.path, "--run");
        let mut waits = Program::start("true").unwrap();
        assert_eq!(waits.failure(), None, "it has not ended");
        waits.go();
    }

    #[test]
    fn a_program_waits_until_it_may_go() {
        let seen = std::env::temp_dir().join(format!("igen-goes-{}", std::process::id()));
        let command = format!("echo $0 > {}", seen.display());
        drop(Program::start(&command).unwrap());
        assert!(!seen.exists(), "it was never told to go");
        let mut program = Program::start(&command).unwrap();
        program.go();
        assert!(program.shell.wait().unwrap().success());
        assert_eq!(std::fs::read_to_string(&seen).unwrap(), "/bin/sh\n");
        std::fs::remove_file(&seen).unwrap();
    }
}
