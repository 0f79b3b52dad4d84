//! The process that watches is another one than the tool, and does its work to the end of a step.
//!
//! A thread that executes step by step has the trap flag of the processor set. Where its tracer is killed in the middle
//! of that, the kernel lets the thread go on with the flag, and it dies of the next trap. So the tracer is a
//! process of its own, in a group of its own: when the tool is killed, its standard input ends, and it lets the
//! thread go.

use std::env;
use std::io::{self, BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use igen_job::tool::Verdict;
use igen_job::{JobError, ToolLine};
use rustix::process::{Pid, Signal, kill_process_group};

use super::{Pfp, PfpArgs};
use crate::emit::Emit;
use crate::tool::Tool;

const LOOK: Duration = Duration::from_millis(50);

/// Watches in another process, and says what that says.
pub(super) fn run(args: &PfpArgs, emit: &mut Emit) -> Result<Verdict, JobError> {
    let program = args.run.as_deref().map(Program::start).transpose()?;
    let pid = match (&program, args.pid) {
        (Some(program), _) => program.0.id(),
        (None, pid) => pid.unwrap_or(0),
    };
    let mut watcher = watcher(args, pid).map_err(|error| {
        JobError::new(format!(
            "the process that watches cannot be started: {error}"
        ))
    })?;
    let lines = lines(&mut watcher);
    let mut input = watcher.stdin.take();
    let mut last = None;
    loop {
        if emit.stopped() {
            input = None;
        }
        match lines.recv_timeout(LOOK) {
            Ok(ToolLine::Table(table)) => emit.table(table),
            Ok(ToolLine::Note(text)) => emit.note(text),
            Ok(ToolLine::Progress(text)) => emit.progress(text),
            Ok(ToolLine::Verdict(verdict)) => last = Some(Ok(verdict)),
            Ok(ToolLine::Error(error)) => last = Some(Err(error)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    drop(input);
    let ended = watcher.wait();
    last.unwrap_or_else(|| {
        let how = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
        Err(JobError::new(format!(
            "the process that watches ended without a word: {how}"
        )))
    })
}

/// A program that was started to be watched; it is told to end when this is dropped.
struct Program(Child);

impl Program {
    fn start(command: &str) -> Result<Self, JobError> {
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

fn watcher(args: &PfpArgs, pid: u32) -> io::Result<Child> {
    Command::new(env::current_exe()?)
        .args(["tool", Pfp::NAME, "--apart"])
        .arg(format!("{}s", args.duration.0))
        .arg(format!("--pid={pid}"))
        .arg(format!(
            "--thresholds={},{}",
            args.thresholds.low, args.thresholds.high
        ))
        .arg(format!("--budget={}", args.budget))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
}

/// Its lines as they come, to its end.
fn lines(watcher: &mut Child) -> Receiver<ToolLine> {
    let (send, receive) = mpsc::channel();
    if let Some(output) = watcher.stdout.take() {
        thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            for line in lines.filter_map(|line| serde_json::from_str(&line).ok()) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
    }
    receive
}
