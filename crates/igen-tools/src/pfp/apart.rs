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

use crate::emit::Emit;

const LOOK: Duration = Duration::from_millis(50);

/// Has this program do in another process what the words say, and says what that says.
pub(super) fn run(words: &[String], emit: &mut Emit) -> Result<Verdict, JobError> {
    let mut watcher = watcher(words)
        .map_err(|error| JobError::new(format!("cannot start the watching process: {error}")))?;
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
            "the watching process ended without a result: {how}"
        )))
    })
}

fn watcher(words: &[String]) -> io::Result<Child> {
    Command::new(env::current_exe()?)
        .args(words)
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
