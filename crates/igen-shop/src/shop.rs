//! The processes of a shop: started in order, started again where one ends, ended together.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use igen_job::JobError;
use serde_json::json;

use crate::serve::Stop;

/// From the wish that they end to the end.
const END_WITHIN: Duration = Duration::from_secs(5);
/// So often processes are started again within `AGAIN_WITHIN`; a shop that needs it more often ends.
const AGAIN: usize = 10;
const AGAIN_WITHIN: Duration = Duration::from_mins(1);

/// A process of a shop.
pub struct Process {
    /// The tier that it belongs to.
    pub tier: &'static str,
    /// Command that starts it.
    pub command: Command,
}

/// What happens to processes, by their place in the list.
enum Happening {
    /// One has said a line: that it is ready.
    Ready(String),
    /// One has closed its standard output: it has ended.
    Ended(usize),
    /// All are to end.
    Stop,
}

/// Runs processes until they are to stop: each is started when the one before it has said its first line,
/// and `ready` is told the last one's when all have. They are to end when their standard input does, so that they do
/// so too where this process is killed. The file `pids` says which processes are of which tier, from when
/// they are ready to the end: `{"app": [17, 18], …}`.
pub fn run(
    processes: Vec<Process>,
    pids: Option<PathBuf>,
    ready: impl FnOnce(&str),
    mut stop: Stop,
) -> Result<(), JobError> {
    let (tell, happenings) = channel();
    let stopping = tell.clone();
    std::thread::spawn(move || {
        stop.blocking_recv();
        // The shop may have ended already.
        let _ = stopping.send(Happening::Stop);
    });
    let mut shop = Shop {
        processes,
        pids,
        running: Vec::new(),
        tell,
        happenings,
        again: VecDeque::new(),
    };
    let outcome = shop.start(ready).and_then(|goes_on| {
        if goes_on {
            return shop.watch();
        }
        Ok(())
    });
    shop.end();
    outcome
}

struct Shop {
    processes: Vec<Process>,
    pids: Option<PathBuf>,
    running: Vec<Running>,
    tell: Sender<Happening>,
    happenings: Receiver<Happening>,
    /// When processes were started again.
    again: VecDeque<Instant>,
}

struct Running {
    process: Child,
    /// Its end is the process's.
    input: Option<ChildStdin>,
    has_ended: bool,
}

impl Shop {
    /// Starts all; `false` when they are to stop before they are ready.
    fn start(&mut self, ready: impl FnOnce(&str)) -> Result<bool, JobError> {
        let mut said = String::new();
        for index in 0..self.processes.len() {
            let process = self.launch(index)?;
            self.running.push(process);
            match self.happenings.recv() {
                Ok(Happening::Ready(line)) => said = line,
                Ok(Happening::Ended(ended)) => {
                    self.running[ended].has_ended = true;
                    let text = format!("{} ended before it was ready", self.name(ended));
                    return Err(JobError::new(text));
                }
                Ok(Happening::Stop) | Err(_) => return Ok(false),
            }
        }
        self.write_pids()?;
        ready(&said);
        Ok(true)
    }

    /// Until they are to stop, starts those again that end.
    fn watch(&mut self) -> Result<(), JobError> {
        loop {
            match self.happenings.recv() {
                Ok(Happening::Ready(_)) => {}
                Ok(Happening::Stop) | Err(_) => return Ok(()),
                Ok(Happening::Ended(index)) => {
                    self.running[index].has_ended = true;
                    let status = self.running[index].process.wait();
                    let how =
                        status.map_or_else(|_| String::new(), |status| format!(" ({status})"));
                    let name = self.name(index);
                    eprintln!("{name} ended{how}: restarting it");
                    self.again.push_back(Instant::now());
                    self.again.retain(|then| then.elapsed() < AGAIN_WITHIN);
                    if self.again.len() > AGAIN {
                        let text = format!("{name} ended too often{how}");
                        return Err(JobError::new(text));
                    }
                    self.running[index] = self.launch(index)?;
                    self.write_pids()?;
                }
            }
        }
    }

    fn launch(&mut self, index: usize) -> Result<Running, JobError> {
        let command = self.processes[index]
            .command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut process = command.spawn().map_err(|error| {
            let program = command.get_program().to_string_lossy();
            JobError::new(format!("cannot start {program}: {error}"))
        })?;
        let input = process.stdin.take();
        let output = process.stdout.take();
        let tell = self.tell.clone();
        std::thread::spawn(move || {
            // Nobody listens any more where sending fails.
            for line in output
                .map(BufReader::new)
                .into_iter()
                .flat_map(BufRead::lines)
            {
                let Ok(line) = line else { break };
                let _ = tell.send(Happening::Ready(line));
            }
            let _ = tell.send(Happening::Ended(index));
        });
        Ok(Running {
            process,
            input,
            has_ended: false,
        })
    }

    /// Its tier, for messages.
    fn name(&self, index: usize) -> &'static str {
        self.processes[index].tier
    }

    /// Says which processes are of which tier, at once or not at all.
    fn write_pids(&self) -> Result<(), JobError> {
        let Some(file) = &self.pids else {
            return Ok(());
        };
        let mut by_tier = BTreeMap::<_, Vec<u32>>::new();
        for (process, running) in self.processes.iter().zip(&self.running) {
            by_tier
                .entry(process.tier)
                .or_default()
                .push(running.process.id());
        }
        let part = part_of(file);
        std::fs::write(&part, format!("{}\n", json!(by_tier)))
            .and_then(|()| std::fs::rename(&part, file))
            .map_err(|error| JobError::at("--pids", format!("{}: {error}", file.display())))
    }

    /// Ends all, by force where one takes too long.
    fn end(&mut self) {
        if let Some(file) = &self.pids {
            // It may not have been written yet.
            let _ = std::fs::remove_file(file);
        }
        for running in &mut self.running {
            drop(running.input.take());
        }
        let deadline = Instant::now() + END_WITHIN;
        while self.running.iter().any(|running| !running.has_ended) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.happenings.recv_timeout(left) {
                Ok(Happening::Ended(index)) => self.running[index].has_ended = true,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        for running in &mut self.running {
            // One that has ended is only buried.
            let _ = running.process.kill();
            let _ = running.process.wait();
        }
    }
}

/// What a file is called while it is written.
fn part_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use tokio::sync::mpsc::unbounded_channel;

    fn shell(script: &str) -> Process {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Process {
            tier: "shell",
            command,
        }
    }

    #[test]
    fn processes_start_in_order_and_end_with_the_shop() {
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace").display().to_string();
        let processes = ["one", "two"].map(|name| {
            shell(&format!(
                "echo {name} >> {trace}; echo ready; cat; echo end >> {trace}"
            ))
        });
        let (sender, stop) = unbounded_channel();
        let pids = folder.path().join("pids");
        let ready = |said: &str| {
            assert_eq!(said, "ready");
            let told = std::fs::read_to_string(&pids).unwrap();
            assert_eq!(told.split(',').count(), 2, "{told}");
            sender.send(()).unwrap();
        };
        run(processes.into(), Some(pids.clone()), ready, stop).unwrap();
        assert!(!pids.exists());
        let traced = std::fs::read_to_string(trace).unwrap();
        assert_eq!(traced, "one\ntwo\nend\nend\n");
    }

    #[test]
    fn one_that_does_not_start_ends_the_shop() {
        let (_sender, stop) = unbounded_channel();
        let processes = vec![shell("echo ready; cat"), shell("exit 3")];
        let error = run(processes, None, |_| unreachable!(), stop).unwrap_err();
        assert_eq!(error.text, "shell ended before it was ready");
    }

    #[test]
    fn one_that_ends_is_started_again_but_not_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace").display().to_string();
        let (_sender, stop) = unbounded_channel();
        let processes = vec![shell(&format!("echo x >> {trace}; echo ready"))];
        let error = run(processes, None, |_| {}, stop).unwrap_err();
        assert!(error.text.contains("ended too often"), "{error}");
        let started = std::fs::read_to_string(trace).unwrap().lines().count();
        assert_eq!(started, AGAIN + 1);
    }
}
